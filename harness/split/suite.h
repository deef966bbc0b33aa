#ifndef NEARFAR_SPLIT_SUITE_H
#define NEARFAR_SPLIT_SUITE_H

/*
 * A suite as people write it: a line a row, its name and then the words of
 * `nearfar run`, or "fit" and the words of `nearfar fit`, separated by spaces
 * and tabs; there is no quoting. Empty lines and lines that begin with '#' say
 * nothing. A name is letters, digits, '.',
 * '_', '+' and '-', does not begin with '.', and stands once: it becomes the
 * name of a file.
 *
 * The suite by which results/ is measured is in the program, too, as the suite
 * "default": results/suite.txt is its only place.
 */
#include "harness/split/split.h"

#define SUITE_DEFAULT "default"

/* Appends the rows of a file, "-" for standard input, or of the default suite,
   with their names and
   words, to which `more` are added; `lines` receives the line of each and is
   the caller's to free. ERR_USAGE with FILE:LINE:. */
int suite_read(const char *path, const char *const *more, size_t more_count,
	struct split *split, size_t **lines, struct error *error);

/* The words of a row of the default suite, for the caller to free. NULL: there
   is no such row, or no memory. */
char *suite_words(const char *name);

#endif
