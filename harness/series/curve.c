#include <math.h>
#include <stdlib.h>

#include "harness/series/curve.h"

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
		const double y = point_summary(point, metric)->median;

		if (!point->skipped && isfinite(y) && isfinite(point->x))
			spots[count++] = (struct spot){point->x, y, i};
	}
	qsort(spots, count, sizeof(*spots), compare_spots);
	return count;
}

int series_curve(const struct series *series, int metric, struct curve *curve,
	struct error *error)
{
	const size_t room = series->point_count + 1;
	struct spot *spots = calloc(room, sizeof(*spots));
	double *x = calloc(room, sizeof(*x)), *y = calloc(room, sizeof(*y));
	size_t *origin = calloc(room, sizeof(*origin));
	size_t count = 0, found, i;

	if (!spots || !x || !y || !origin) {
		free(spots);
		free(x);
		free(y);
		free(origin);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	found = collect(series, metric, spots);
	for (i = 0; i < found; i++) {
		if (count && x[count - 1] == spots[i].x)
			continue;
		x[count] = spots[i].x;
		origin[count] = spots[i].order;
		y[count++] = spots[i].y;
	}
	free(spots);
	*curve = (struct curve){x, y, origin, count};
	return 0;
}
