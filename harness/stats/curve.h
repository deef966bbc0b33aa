#ifndef NEARFAR_CURVE_H
#define NEARFAR_CURVE_H

/*
 * A curve, such as the medians of a metric against an axis, and its knees.
 *
 * A knee is where one level of the hierarchy gives way to the next: a run of
 * steps between neighbouring points whose slope d log2(y) / d log2(x) exceeds
 * KNEE_SLOPE in size and does not change its sign, and which in all changes y
 * by more than KNEE_CHANGE of the smaller side. One flat step of less than
 * half an octave does not end a run. The slope is a power law's exponent: a
 * latency that rises by 19 % an octave has 0.25. So that shares which start
 * at 0 have knees too, y counts as at least 1 % of the curve's largest value.
 *
 * The level beside a knee is the median of the points up to the next knee; a
 * knee's position is where the curve crosses the geometric mean of its two
 * levels, interpolated in log2 x and log2 y.
 */
#include <stdbool.h>
#include <stddef.h>

#define KNEE_SLOPE  0.25
#define KNEE_CHANGE 0.10
#define KNEES_MAX   16

/* Ascending in x, finite; of points with the same x the first one stays.
   `origin` says which point of a series each is; NULL if of no series. */
struct curve {
	double *x, *y;
	size_t *origin;
	size_t count;
};

struct knee {
	size_t first, last; /* points: the ends of the run, first < last */
	double x;           /* position */
	double from, to;    /* levels before and after, in the curve's unit */
};

void curve_free(struct curve *curve);

/* The index of the first point at or beyond x; `count` if there is none. */
size_t curve_find(const struct curve *curve, double x);

/*
 * The value at x: of the point there, or, if the nearest point is within 1 %
 * of x, interpolated in log2 x to the neighbour on the other side. False if
 * there is no such point.
 */
bool curve_at(const struct curve *curve, double x, double *y);

/* Ascending, and how many. ERR_FAILED without memory. */
int curve_knees(
	const struct curve *curve, struct knee knees[KNEES_MAX], size_t *count);

#endif
