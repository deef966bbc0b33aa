#ifndef NEARFAR_CHOICES_H
#define NEARFAR_CHOICES_H

/*
 * The words of an option that is a choice, "a|b|c" as struct bench_option has
 * them.
 */
#include <stddef.h>

/* A list that is longer is cut for people, who can read on elsewhere. */
#define CHOICES_SHOWN 180
/* Room for any list as choices_format() writes it. */
#define CHOICES_BYTES 256

/* The index of a word, or -1. */
int choices_find(const char *choices, const char *word);

size_t choices_count(const char *choices);

/* All words if that is short, else the first few, how many there are, and
   where to read on. */
void choices_format(const char *choices, char text[CHOICES_BYTES]);

#endif
