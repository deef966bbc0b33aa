#ifndef NEARFAR_CHOICE_H
#define NEARFAR_CHOICE_H

/*
 * What-ifs as a user writes them. "NAME=A,B,C" is a thing with several values:
 * each combination of the values of several things is a series. "set:NAME=..."
 * or "var:NAME=..." makes the values the points of an axis instead: A,B,C, or
 * FIRST:LAST:POINTS_PER_OCTAVE.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

#define CHOICES_MOST 4096 /* combinations, and points of an axis */

struct choice {
	char *name, **words; /* owned */
	size_t count;        /* of the words, at least 1 */
};

struct choice_list {
	struct choice *items;
	size_t count;
};

/* Appends "NAME=A,B,C". `what` is how messages call it: "--set". ERR_USAGE. */
int choice_add(struct choice_list *list, const char *text, const char *what,
	struct error *error);

/* How many combinations; 1 for none. ERR_USAGE above CHOICES_MOST. */
int choice_combinations(
	const struct choice_list *list, size_t *count, struct error *error);

/* The word of item `item` in combination `index`; the last changes fastest. */
const char *choice_word(
	const struct choice_list *list, size_t index, size_t item);
void choice_list_free(struct choice_list *list);

struct choice_axis {
	bool is_set; /* a parameter of the machine; else a variable */
	struct choice choice;
	double *x; /* of each word; owned */
};

/* Whether -x is of such an axis. */
bool choice_is_axis(const char *text);

/* ERR_USAGE for words that are no numbers. */
int choice_axis_parse(
	const char *text, struct choice_axis *axis, struct error *error);
void choice_axis_free(struct choice_axis *axis);

#endif
