#include <math.h>
#include <stdlib.h>

#include "harness/base/error.h"
#include "harness/observe/spots.h"
#include "harness/stats/stats.h"

#define POINTS_MAX   3   /* of a plateau, of one series */
#define PLATEAU_FROM 0.5 /* of its points, in the order of x: which */
#define PLATEAU_TO   0.8
#define KNEE_FACTOR  4
#define PLATEAU_RATIO                                                          \
	1.42 /* of the x of its ends: half an octave; what is shorter is a     \
		rest within one knee */

/* Two knees with no plateau between them are one. */
static void join_knees(struct spots *spots)
{
	size_t i, kept = 0;

	for (i = 1; i < spots->knee_count; i++) {
		struct knee *last = &spots->knees[kept];
		const struct knee *next = &spots->knees[i];

		if (spots->curve->x[next->first] <
			PLATEAU_RATIO * spots->curve->x[last->last]) {
			last->last = next->last;
			last->to = next->to;
		} else {
			spots->knees[++kept] = *next;
		}
	}
	if (spots->knee_count)
		spots->knee_count = kept + 1;
}

int spots_find(const struct curve *curve, struct spots *spots)
{
	*spots = (struct spots){.curve = curve};
	if (curve->count > 1 &&
		curve_knees(curve, spots->knees, &spots->knee_count))
		return ERR_FAILED;
	join_knees(spots);
	return 0;
}

/* ---- points ---- */

static size_t take_plateau(size_t first, size_t last, size_t *points)
{
	const double width = (double)(last - first);
	const size_t from = first + (size_t)(PLATEAU_FROM * width);
	const size_t to = first + (size_t)(PLATEAU_TO * width);
	size_t count = to - from + 1, i;

	if (count > POINTS_MAX)
		count = POINTS_MAX;
	for (i = 0; i < count; i++)
		points[i] =
			from + (count > 1 ? i * (to - from) / (count - 1) : 0);
	return count;
}

/* Around the first knee, as far as its parameter may be off: only up to the
   next knee, so that the ends are on either side of the step. */
static size_t take_knee(const struct spots *spots, size_t *points)
{
	const struct curve *curve = spots->curve;
	const struct knee *knee = &spots->knees[0];
	const size_t last = spots->knee_count > 1 ? spots->knees[1].first
						  : curve->count - 1;
	size_t count = 0, i;

	for (i = 0; spots->knee_count && i <= last; i++)
		if (curve->x[i] * KNEE_FACTOR >= knee->x &&
			curve->x[i] <= knee->x * KNEE_FACTOR)
			points[count++] = i;
	return count;
}

static size_t highest(const struct curve *curve)
{
	size_t best = 0, i;

	for (i = 1; i < curve->count; i++)
		if (curve->y[i] > curve->y[best])
			best = i;
	return best;
}

/* Plateau `number` lies before that knee. */
static size_t take_between(
	const struct spots *spots, size_t number, size_t *points)
{
	const struct knee *knees = spots->knees;

	return take_plateau(number ? knees[number - 1].last : 0,
		number < spots->knee_count ? knees[number].first
					   : spots->curve->count - 1,
		points);
}

size_t spots_take(const struct spots *spots, enum spot spot, size_t *points)
{
	const size_t count = spots->curve->count, knees = spots->knee_count;
	size_t i;

	if (!count)
		return 0;
	switch (spot) {
	case SPOT_ALL:
		for (i = 0; i < count; i++)
			points[i] = i;
		return count;
	case SPOT_FIRST:
		*points = 0;
		return 1;
	case SPOT_LAST:
		*points = count - 1;
		return 1;
	case SPOT_HIGHEST:
		*points = highest(spots->curve);
		return 1;
	case SPOT_FIRST_PLATEAU:
		return take_between(spots, 0, points);
	case SPOT_SECOND_PLATEAU:
		return knees ? take_between(spots, 1, points) : 0;
	case SPOT_LAST_PLATEAU:
		return knees ? take_between(spots, knees, points) : 0;
	case SPOT_PLATEAU_BEFORE:
		return knees ? take_between(spots, knees - 1, points) : 0;
	case SPOT_FIRST_KNEE:
		return take_knee(spots, points);
	}
	return 0;
}

/* ---- levels ---- */

int spots_median(
	const struct curve *curve, double from_x, double to_x, double *median)
{
	double *values = calloc(curve->count + 1, sizeof(*values));
	size_t count = 0, i;

	if (!values)
		return ERR_FAILED;
	for (i = 0; i < curve->count; i++)
		if (curve->x[i] >= from_x && curve->x[i] <= to_x)
			values[count++] = curve->y[i];
	*median = stats_median(values, count);
	free(values);
	return 0;
}

int spots_levels(const struct spots *spots,
	struct spots_level levels[KNEES_MAX + 1], size_t *count)
{
	const struct curve *curve = spots->curve;
	size_t first = 0, end, i;
	int code = 0;

	*count = 0;
	for (i = 0; !code && i <= spots->knee_count; i++) {
		struct spots_level *level = &levels[*count];

		end = i < spots->knee_count ? spots->knees[i].first
					    : curve->count;
		if (first < end) {
			*level = (struct spots_level){first, end - 1, NAN};
			code = spots_median(curve, curve->x[first],
				curve->x[end - 1], &level->y);
			++*count;
		}
		if (i < spots->knee_count)
			first = spots->knees[i].last + 1;
	}
	return code;
}
