#include <math.h>
#include <stdlib.h>

#include "curve.h"

/* Grids of two runs may round the same x differently, but no further. */
#define SAME_X 0.01

struct spot {
	double x, y;
	size_t order;
};

static int compare_spots(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static size_t collect(
	const struct series *series, int metric, struct spot *spots)
{
	size_t count = 0, i;

	for (i = 0; i < series->point_count; i++) {
		const struct point *point = &series->points[i];
		const double y = point->metrics[metric].median;

		if (!point->skipped && isfinite(y) && isfinite(point->x))
			spots[count++] = (struct spot){point->x, y, i};
	}
	qsort(spots, count, sizeof(*spots), compare_spots);
	return count;
}

int curve_build(const struct series *series, int metric, struct curve *curve,
	struct error *error)
{
	const size_t room = series->point_count + 1;
	struct spot *spots = calloc(room, sizeof(*spots));
	double *x = calloc(room, sizeof(*x)), *y = calloc(room, sizeof(*y));
	size_t count = 0, found, i;

	if (!spots || !x || !y) {
		free(spots);
		free(x);
		free(y);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	found = collect(series, metric, spots);
	for (i = 0; i < found; i++) {
		if (count && x[count - 1] == spots[i].x)
			continue;
		x[count] = spots[i].x;
		y[count++] = spots[i].y;
	}
	free(spots);
	*curve = (struct curve){x, y, count};
	return 0;
}

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
