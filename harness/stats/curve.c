#include <math.h>
#include <stdlib.h>

#include "harness/stats/curve.h"

/* Grids of two runs may round the same x differently, but no further. */
#define SAME_X 0.01

void curve_free(struct curve *curve)
{
	free(curve->x);
	free(curve->y);
	*curve = (struct curve){0};
}

static size_t nearest(const struct curve *curve, double x)
{
	size_t best = 0, i;

	for (i = 1; i < curve->count; i++)
		if (fabs(curve->x[i] - x) < fabs(curve->x[best] - x))
			best = i;
	return best;
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
