#include <math.h>
#include <stdlib.h>

#include "harness/stats/curve.h"

/* Grids of two runs may round the same x differently, but no further. */
#define SAME_X 0.01

void curve_free(struct curve *curve)
{
	free(curve->x);
	free(curve->y);
	free(curve->origin);
	*curve = (struct curve){0};
}

size_t curve_find(const struct curve *curve, double x)
{
	size_t first = 0, end = curve->count;

	while (first < end) {
		const size_t middle = first + (end - first) / 2;

		if (curve->x[middle] < x)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* Of two that are as near the first. */
static size_t nearest(const struct curve *curve, double x)
{
	const size_t beyond = curve_find(curve, x);

	if (beyond == 0)
		return 0;
	if (beyond == curve->count ||
		x - curve->x[beyond - 1] <= curve->x[beyond] - x)
		return beyond - 1;
	return beyond;
}

bool curve_at(const struct curve *curve, double x, double *y)
{
	size_t near, other;
	double share;

	if (!curve->count)
		return false;
	near = nearest(curve, x);
	if (fabs(curve->x[near] - x) > SAME_X * fabs(x))
		return false;
	*y = curve->y[near];
	other = x > curve->x[near] ? near + 1 : near - 1;
	if (curve->x[near] == x || other >= curve->count)
		return true;
	if (x > 0 && curve->x[near] > 0 && curve->x[other] > 0)
		share = log2(x / curve->x[near]) /
			log2(curve->x[other] / curve->x[near]);
	else
		share = (x - curve->x[near]) /
			(curve->x[other] - curve->x[near]);
	*y += share * (curve->y[other] - curve->y[near]);
	return true;
}
