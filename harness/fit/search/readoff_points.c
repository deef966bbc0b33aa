/* Which points a read-off looks at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"
#include "harness/stats/curve.h"

#define POINTS_MAX   3   /* of a plateau, of one series */
#define PLATEAU_FROM 0.5 /* of its points, in the order of x: which */
#define PLATEAU_TO   0.8
#define KNEE_FACTOR  4
#define PLATEAU_RATIO                                                          \
	1.42 /* of the x of its ends: half an octave; what is shorter is a     \
		rest within one knee */

/* ---- which points ---- */

struct part { /* of a series: its training points, ascending in x */
	size_t *points;
	struct curve curve;
	struct knee knees[KNEES_MAX];
	size_t knee_count;
};

static int by_x(const void *a, const void *b, void *points)
{
	const struct target_point *list = points;
	double x = list[*(const size_t *)a].point->x;
	double y = list[*(const size_t *)b].point->x;

	return x < y ? -1 : x > y;
}

/* Two knees with no plateau between them are one. */
static void join_knees(struct part *part)
{
	size_t i, kept = 0;

	for (i = 1; i < part->knee_count; i++) {
		struct knee *last = &part->knees[kept];
		const struct knee *next = &part->knees[i];

		if (part->curve.x[next->first] <
			PLATEAU_RATIO * part->curve.x[last->last]) {
			last->last = next->last;
			last->to = next->to;
		} else {
			part->knees[++kept] = *next;
		}
	}
	if (part->knee_count)
		part->knee_count = kept + 1;
}

static int part_make(const struct search *c, size_t series,
	enum outcome_field field, struct part *part)
{
	const struct targets *t = &c->targets;
	size_t i;

	*part = (struct part){0};
	part->points = calloc(t->count + 1, sizeof(*part->points));
	part->curve.x = calloc(t->count + 1, sizeof(double));
	part->curve.y = calloc(t->count + 1, sizeof(double));
	if (!part->points || !part->curve.x || !part->curve.y)
		return ERR_FAILED;
	for (i = 0; i < t->count; i++)
		if (t->points[i].series == series && !t->points[i].held_out &&
			isfinite(t->points[i].target.field[field]))
			part->points[part->curve.count++] = i;
	qsort_r(part->points, part->curve.count, sizeof(*part->points), by_x,
		t->points);
	for (i = 0; i < part->curve.count; i++) {
		const struct target_point *p = &t->points[part->points[i]];

		part->curve.x[i] = p->point->x;
		part->curve.y[i] = p->target.field[field];
	}
	if (part->curve.count > 1 &&
		curve_knees(&part->curve, part->knees, &part->knee_count))
		return -1;
	join_knees(part);
	return 0;
}

static void part_free(struct part *part)
{
	free(part->points);
	curve_free(&part->curve);
}

/* From the indices first .. last of the part. */
static void take_plateau(const struct part *part, size_t first, size_t last,
	struct point_set *set)
{
	const double width = (double)(last - first);
	size_t from = first + (size_t)(PLATEAU_FROM * width);
	size_t to = first + (size_t)(PLATEAU_TO * width);
	size_t count = to - from + 1, i;

	if (count > POINTS_MAX)
		count = POINTS_MAX;
	for (i = 0; i < count; i++)
		set->items[set->count++] =
			part->points[from +
				     (count > 1 ? i * (to - from) / (count - 1)
						: 0)];
}

/* Around the first knee, as far as its parameter may be off: only up to the
   next knee, so that the ends are on either side of the step. */
static void take_knee(const struct part *part, struct point_set *set)
{
	const struct knee *knee = &part->knees[0];
	size_t last = part->knee_count > 1 ? part->knees[1].first
					   : part->curve.count - 1;
	size_t i;

	for (i = 0; part->knee_count && i <= last; i++)
		if (part->curve.x[i] * KNEE_FACTOR >= knee->x &&
			part->curve.x[i] <= knee->x * KNEE_FACTOR)
			set->items[set->count++] = part->points[i];
}

static size_t highest(const struct curve *curve)
{
	size_t best = 0, i;

	for (i = 1; i < curve->count; i++)
		if (curve->y[i] > curve->y[best])
			best = i;
	return best;
}

static void take(const struct part *part, enum spot spot, struct point_set *set)
{
	const size_t count = part->curve.count;
	const struct knee *knees = part->knees;
	size_t i;

	if (!count)
		return;
	switch (spot) {
	case SPOT_FIRST:
		set->items[set->count++] = part->points[0];
		break;
	case SPOT_LAST:
		set->items[set->count++] = part->points[count - 1];
		break;
	case SPOT_HIGHEST:
		set->items[set->count++] = part->points[highest(&part->curve)];
		break;
	case SPOT_ALL:
		for (i = 0; i < count; i++)
			set->items[set->count++] = part->points[i];
		break;
	case SPOT_FIRST_PLATEAU:
		take_plateau(part, 0,
			part->knee_count ? knees[0].first : count - 1, set);
		break;
	case SPOT_SECOND_PLATEAU:
		if (part->knee_count)
			take_plateau(part, knees[0].last,
				part->knee_count > 1 ? knees[1].first
						     : count - 1,
				set);
		break;
	case SPOT_LAST_PLATEAU:
		if (part->knee_count)
			take_plateau(part, knees[part->knee_count - 1].last,
				count - 1, set);
		break;
	case SPOT_PLATEAU_BEFORE:
		if (part->knee_count)
			take_plateau(part,
				part->knee_count > 1
					? knees[part->knee_count - 2].last
					: 0,
				knees[part->knee_count - 1].first, set);
		break;
	case SPOT_FIRST_KNEE:
		take_knee(part, set);
		break;
	}
}

/* Adds the points at a spot of the series that match. */
static int add_points(const struct search *c, const char *patterns,
	enum spot spot, enum outcome_field field, struct point_set *set)
{
	const struct targets *t = &c->targets;
	bool knee = false;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < t->series_count; i++) {
		struct part part;

		if (t->series[i].held_out || knee ||
			!pattern_matches(patterns, t->series[i].series))
			continue;
		code = part_make(c, i, field, &part);
		if (!code)
			take(&part, spot, set);
		knee = spot == SPOT_FIRST_KNEE && set->count;
		part_free(&part);
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
