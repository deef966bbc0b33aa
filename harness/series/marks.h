#ifndef NEARFAR_MARKS_H
#define NEARFAR_MARKS_H

/*
 * Marks: what a reader must know of a point before trusting it. A point without
 * marks is the rule. The marks that there are stand in one table (marks.def);
 * a point has a set of them, 1 << MARK_*, which every format shows: JSON and
 * CSV by name, tables as letters with footnotes.
 */
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"

struct series;
struct series_list;

enum mark {
#define MARK(name, text, rule, sentence) MARK_##name,
#include "harness/series/marks.def"
#undef MARK
	MARK_COUNT
};

extern const char *const mark_names[MARK_COUNT];
extern const char *const mark_sentences[MARK_COUNT];

/* The enum mark of a name, or -1. */
int mark_find(const char *name);

/* "[a,c]", or "" without marks. */
#define MARKS_LETTERS_BYTES (2 * MARK_COUNT + 2)
void marks_letters(uint32_t marks, char text[MARKS_LETTERS_BYTES]);

/* "clock-moved shared" */
void marks_put_names(uint32_t marks, FILE *out);

/* ["clock-moved", "shared"] */
void marks_put_json(uint32_t marks, FILE *out);

/* A line for each mark, "a: SENTENCE", after an empty one; nothing without
   marks. */
void marks_put_footnotes(uint32_t marks, const char *bullet, FILE *out);

/* All marks of the points. */
uint32_t marks_of(const struct series *series);

/* ERR_GATE if any point is marked: the sentence counts them and names the
   first. */
int marks_gate(const struct series_list *list, struct error *error);

#endif
