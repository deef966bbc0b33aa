#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/stats/curve.h"
#include "harness/stats/stats.h"

#define SMALLEST_SHARE 0.01 /* of the largest value */
#define GAP_OCTAVES    0.5

static double floor_of(const struct curve *curve)
{
	double largest = 0;
	size_t i;

	for (i = 0; i < curve->count; i++)
		largest = fmax(largest, fabs(curve->y[i]));
	return SMALLEST_SHARE * largest;
}

/* Of the step that begins at point i: -1, 0 (flat) or 1. */
static int direction(const struct curve *curve, size_t i, double floor)
{
	const double from = fmax(curve->y[i], floor);
	const double to = fmax(curve->y[i + 1], floor);
	double slope;

	if (curve->x[i] <= 0 || from <= 0 || to <= 0)
		return 0;
	slope = log2(to / from) / log2(curve->x[i + 1] / curve->x[i]);
	return slope > KNEE_SLOPE ? 1 : slope < -KNEE_SLOPE ? -1 : 0;
}

/* The last point of the run that begins at `first`. */
static size_t run_end(const struct curve *curve, size_t first, double floor)
{
	const int sign = direction(curve, first, floor);
	size_t last = first + 1;

	for (;;) {
		while (last + 1 < curve->count &&
			direction(curve, last, floor) == sign)
			last++;
		if (last + 2 >= curve->count ||
			direction(curve, last, floor) != 0 ||
			direction(curve, last + 1, floor) != sign ||
			log2(curve->x[last + 1] / curve->x[last]) >=
				GAP_OCTAVES)
			return last;
		last += 2;
	}
}

static size_t find_runs(
	const struct curve *curve, double floor, struct knee knees[KNEES_MAX])
{
	size_t count = 0, i = 0;

	while (i + 1 < curve->count && count < KNEES_MAX) {
		size_t last;
		double from, to;

		if (!direction(curve, i, floor)) {
			i++;
			continue;
		}
		last = run_end(curve, i, floor);
		from = fmax(curve->y[i], floor);
		to = fmax(curve->y[last], floor);
		if (fabs(to - from) > KNEE_CHANGE * fmin(from, to))
			knees[count++] =
				(struct knee){.first = i, .last = last};
		i = last;
	}
	return count;
}

/* Of points first .. last, in `scratch`. */
static double level(
	const struct curve *curve, size_t first, size_t last, double *scratch)
{
	const size_t count = last - first + 1;

	memcpy(scratch, curve->y + first, count * sizeof(*scratch));
	stats_sort(scratch, count);
	return stats_quantile(scratch, count, 0.5);
}

static double position(
	const struct curve *curve, const struct knee *knee, double floor)
{
	const double middle =
		log2(sqrt(fmax(knee->from, floor) * fmax(knee->to, floor)));
	size_t i;

	for (i = knee->first; i < knee->last; i++) {
		const double from = log2(fmax(curve->y[i], floor));
		const double to = log2(fmax(curve->y[i + 1], floor));
		const double share = (middle - from) / (to - from);

		if (to != from && share >= 0 && share <= 1)
			return curve->x[i] *
			       pow(curve->x[i + 1] / curve->x[i], share);
	}
	return sqrt(curve->x[knee->first] * curve->x[knee->last]);
}

int curve_knees(
	const struct curve *curve, struct knee knees[KNEES_MAX], size_t *count)
{
	const double floor = floor_of(curve);
	double *scratch = calloc(curve->count + 1, sizeof(*scratch));
	size_t i;

	if (!scratch)
		return ERR_FAILED;
	*count = find_runs(curve, floor, knees);
	for (i = 0; i < *count; i++) {
		struct knee *knee = &knees[i];
		const size_t before = i ? knees[i - 1].last : 0;
		const size_t after =
			i + 1 < *count ? knees[i + 1].first : curve->count - 1;

		knee->from = level(curve, before, knee->first, scratch);
		knee->to = level(curve, knee->last, after, scratch);
		knee->x = position(curve, knee, floor);
	}
	free(scratch);
	return 0;
}
