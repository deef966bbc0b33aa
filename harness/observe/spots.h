#ifndef NEARFAR_OBSERVE_SPOTS_H
#define NEARFAR_OBSERVE_SPOTS_H

/*
 * Where on a curve a number is read: at an end, at the highest point, on a
 * plateau or at a knee. Knees are those of harness/stats/curve.h; two of them
 * with less than half an octave between are one, for what lies between is a
 * rest within a knee.
 */
#include "harness/stats/curve.h"

enum spot {
	SPOT_ALL,
	SPOT_FIRST,          /* the least x */
	SPOT_LAST,           /* the greatest */
	SPOT_HIGHEST,        /* the greatest value */
	SPOT_FIRST_PLATEAU,  /* before the first knee */
	SPOT_SECOND_PLATEAU, /* between the first two, or behind the only one */
	SPOT_LAST_PLATEAU,   /* behind the last one */
	SPOT_PLATEAU_BEFORE, /* the one before that */
	SPOT_FIRST_KNEE,     /* the points around it, up to the next knee */
};

struct spots {
	const struct curve *curve; /* borrowed */
	struct knee knees[KNEES_MAX];
	size_t knee_count;
};

/* The points between two knees, without those of the knees. */
struct spots_level {
	size_t first, last; /* points */
	double y;           /* their median */
};

/* ERR_FAILED without memory. */
int spots_find(const struct curve *curve, struct spots *spots);

/* The points of a spot, as indices of the curve, ascending, and how many: of a
   plateau three at the most, from its middle on. `points` has room for all. */
size_t spots_take(const struct spots *spots, enum spot spot, size_t *points);

/* How many. ERR_FAILED without memory. */
int spots_levels(const struct spots *spots,
	struct spots_level levels[KNEES_MAX + 1], size_t *count);

/* The median of y from one x to another; NaN without points. ERR_FAILED without
   memory. */
int spots_median(
	const struct curve *curve, double from_x, double to_x, double *median);

#endif
