#ifndef NEARFAR_SWEEP_H
#define NEARFAR_SWEEP_H

/*
 * The points of an axis, as the user writes them after -x:
 *   FIRST:LAST:POINTS_PER_OCTAVE   geometric, both ends included
 *   A,B,C                          as listed
 * Sizes may carry units on a bytes axis; %S stands for the number of SMs, %S-N
 * for N fewer.
 * A size is at most 1 TiB, a count at most 2^32 - 1.
 * Geometric sizes of 4 KiB and more are rounded to whole lines (128 B).
 */
#include <stddef.h>

#include "harness/contract/bench.h"

#define SWEEP_POINTS_MAX 4096

struct sweep {
	double *points; /* owned, ascending for a range: sweep_free */
	size_t count;
};

int sweep_parse(const char *text, enum axis_unit unit, unsigned sm_count,
	struct sweep *sweep, struct error *error);
void sweep_free(struct sweep *sweep);

#endif
