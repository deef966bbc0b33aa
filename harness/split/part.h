#ifndef NEARFAR_SPLIT_PART_H
#define NEARFAR_SPLIT_PART_H

/*
 * Which points of a suite are whose: a point belongs to the part that its hash
 * names, which is that of its row's name, of its series' index in the row and
 * of its x. So nobody deals, and a point stays where it is when a suite gets
 * rows. Of whole series, x does not count.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

#define PARTS_MAX 100000

struct part {
	size_t number, count; /* from 1 to `count` */
	bool whole_series;
};

#define PART_TEXT_BYTES 48

/* "K/N". ERR_USAGE. */
int part_parse(const char *text, struct part *part, struct error *error);

bool part_has(
	const struct part *part, const char *row, size_t series, double x);
/* The index, from 0, of the part of `count` that has the point; of whole
   series, `x` is NULL. */
size_t part_owner(
	const char *row, size_t series, const double *x, size_t count);

/* "K-of-N.json.gz": the part of a file's name. False if it is none. */
bool part_of_file(const char *name, struct part *part);

/* "3/32", or "3/32 of series". */
void part_format(const struct part *part, char text[PART_TEXT_BYTES]);
bool part_read(const char *text, struct part *part);

#endif
