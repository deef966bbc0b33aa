#ifndef NEARFAR_SPLIT_SUITE_H
#define NEARFAR_SPLIT_SUITE_H

/*
 * A suite as people write it: a line a row, its name and then the words of
 * `nearfar run`, or "fit" and the words of `nearfar fit`, separated by spaces
 * and tabs; there is no quoting. Empty lines and lines that begin with '#' say
 * nothing. A name is letters, digits, '.',
 * '_', '+' and '-', does not begin with '.', and stands once: it becomes the
 * name of a file.
 */
#include "harness/split/split.h"

/* Appends the rows of a file, "-" for standard input, with their names and
   words, to which `more` are added; `lines` receives the line of each and is
   the caller's to free. ERR_USAGE with FILE:LINE:. */
int suite_read(const char *path, const char *const *more, size_t more_count,
	struct split *split, size_t **lines, struct error *error);

#endif
