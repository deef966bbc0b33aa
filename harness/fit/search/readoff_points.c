/* Which points a read-off looks at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"
#include "harness/observe/spots.h"

static int by_x(const void *a, const void *b, void *points)
{
	const struct target_point *list = points;
	double x = list[*(const size_t *)a].point->x;
	double y = list[*(const size_t *)b].point->x;

	return x < y ? -1 : x > y;
}

/* A series' training points; curve_free() in any case. */
static int curve_of(const struct search *c, size_t series,
	enum outcome_field field, struct curve *curve)
{
	const struct targets *t = &c->targets;
	size_t i;

	*curve = (struct curve){.x = calloc(t->count + 1, sizeof(double)),
		.y = calloc(t->count + 1, sizeof(double)),
		.origin = calloc(t->count + 1, sizeof(size_t))};
	if (!curve->x || !curve->y || !curve->origin)
		return ERR_FAILED;
	for (i = 0; i < t->count; i++)
		if (t->points[i].series == series && !t->points[i].held_out &&
			isfinite(t->points[i].target.field[field]))
			curve->origin[curve->count++] = i;
	qsort_r(curve->origin, curve->count, sizeof(*curve->origin), by_x,
		t->points);
	for (i = 0; i < curve->count; i++) {
		const struct target_point *p = &t->points[curve->origin[i]];

		curve->x[i] = p->point->x;
		curve->y[i] = p->target.field[field];
	}
	return 0;
}

static int take(const struct search *c, size_t series, enum spot spot,
	enum outcome_field field, struct point_set *set)
{
	struct curve curve;
	struct spots spots;
	size_t *points = &set->items[set->count], count, i;
	int code = curve_of(c, series, field, &curve);

	if (!code)
		code = spots_find(&curve, &spots);
	count = code ? 0 : spots_take(&spots, spot, points);
	for (i = 0; i < count; i++)
		points[i] = curve.origin[points[i]];
	set->count += count;
	curve_free(&curve);
	return code;
}

/* Adds the points at a spot of the series that match. */
static int add_points(const struct search *c, const char *patterns,
	enum spot spot, enum outcome_field field, struct point_set *set)
{
	const struct targets *t = &c->targets;
	bool knee = false;
	size_t i;
	int code = 0;

	for (i = 0; !code && !knee && i < t->series_count; i++) {
		if (t->series[i].held_out ||
			!pattern_matches(patterns, t->series[i].series))
			continue;
		code = take(c, i, spot, field, set);
		knee = spot == SPOT_FIRST_KNEE && set->count;
	}
	return code;
}

int readoff_points(const struct search *c, const struct readoff *row,
	struct point_set *set, size_t *subtracted, struct error *error)
{
	size_t first;
	int code;

	*set = (struct point_set){
		calloc(2 * c->targets.count + 1, sizeof(size_t)), 0};
	if (!set->items)
		return error_set(error, ERR_FAILED, "out of memory");
	code = add_points(c, row->series, row->spot, row->field, set);
	first = set->count;
	if (!code && row->less_series)
		code = add_points(
			c, row->less_series, row->less_spot, row->field, set);
	if (code) {
		point_set_free(set);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	if (row->less_series && (!first || set->count == first))
		set->count = first = 0; /* half of it says nothing */
	if (subtracted)
		*subtracted = set->count - first;
	return 0;
}

int readoff_here(const struct search *c, const char *parameter,
	const struct readoff **row, struct point_set *set, size_t *subtracted,
	struct error *error)
{
	size_t i;
	int code;

	*row = NULL;
	*set = (struct point_set){0};
	for (i = 0; i < readoff_count; i++) {
		if (strcmp(readoffs[i].parameter, parameter))
			continue;
		code = readoff_points(c, &readoffs[i], set, subtracted, error);
		if (code)
			return code;
		if (set->count) {
			*row = &readoffs[i];
			return 0;
		}
		point_set_free(set);
	}
	return 0;
}
