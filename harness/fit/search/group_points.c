/* Which training points a group of parameters looks at. */
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"

void point_set_free(struct point_set *set)
{
	free(set->items);
	*set = (struct point_set){0};
}

/*
 * Line accesses that one evaluation may cost for each parameter of a group,
 * roughly half a microsecond each. Points are taken from all series in turn,
 * of each in an order that is even at any length, until one does not fit.
 */
#define GROUP_COST 4e5
#define SERIES_MIN                                                             \
	2 /* points of a series that fit by themselves; or its                 \
	     cheapest, if none does */

/* The i-th of 0 .. count - 1: the last, then the others in the order of their
   reversed bits. */
static size_t spread_index(size_t i, size_t count)
{
	size_t bits = 1, reversed, k, at;

	if (!i)
		return count - 1;
	while (((size_t)1 << bits) < count - 1)
		bits++;
	for (at = 0, i--;; at++) { /* i < count - 1: one is found */
		for (k = 0, reversed = 0; k < bits; k++)
			reversed |= ((at >> k) & 1) << (bits - 1 - k);
		if (reversed < count - 1 && !i--)
			return reversed;
	}
}

struct picking {
	const struct search *c;
	size_t *count;               /* training points of each series */
	bool *taken;                 /* by point */
	double cost_left, cost_most; /* of all points; of one */
};

static bool trains(const struct search *c, size_t point)
{
	return !c->targets.points[point].held_out;
}

/* The points of a series that are not held out; they are neighbours in the
   list but for those that are. */
static size_t training_point(
	const struct search *c, size_t series, size_t number)
{
	size_t i;

	for (i = 0; i < c->targets.count; i++)
		if (c->targets.points[i].series == series && trains(c, i) &&
			!number--)
			return i;
	return c->targets.count;
}

static void choose(struct picking *picking, const bool *wanted)
{
	const struct targets *t = &picking->c->targets;
	size_t round, s;
	bool any = true;

	for (round = 0; any; round++) {
		any = false;
		for (s = 0; s < t->series_count; s++) {
			size_t point;

			if (!wanted[s] || round >= picking->count[s])
				continue;
			any = true;
			point = training_point(picking->c, s,
				spread_index(round, picking->count[s]));
			if (t->points[point].cost >
				(round < SERIES_MIN ? picking->cost_most
						    : picking->cost_left))
				continue;
			picking->cost_left -= t->points[point].cost;
			picking->taken[point] = true;
		}
	}
}

/* A series of which no point is cheap is not left out. */
static void take_cheapest(struct picking *picking, size_t series)
{
	const struct targets *t = &picking->c->targets;
	size_t best = t->count, number, point;

	for (number = 0; number < picking->count[series]; number++) {
		point = training_point(picking->c, series, number);
		if (picking->taken[point])
			return;
		if (best == t->count ||
			t->points[point].cost < t->points[best].cost)
			best = point;
	}
	if (best < t->count)
		picking->taken[best] = true;
}

int group_points(const struct search *c, const char *series, size_t parameters,
	struct point_set *set, struct error *error)
{
	const struct targets *t = &c->targets;
	struct picking picking = {
		.c = c,
		.count = calloc(t->series_count + 1, sizeof(size_t)),
		.taken = calloc(t->count + 1, sizeof(bool)),
		.cost_left = GROUP_COST * (double)parameters,
		.cost_most = GROUP_COST * (double)parameters,
	};
	bool *wanted = calloc(t->series_count + 1, sizeof(bool));
	size_t i;
	int code = 0;

	*set = (struct point_set){calloc(t->count + 1, sizeof(size_t)), 0};
	if (!picking.count || !picking.taken || !wanted || !set->items) {
		code = error_set(error, ERR_FAILED, "out of memory");
		point_set_free(set);
		goto out;
	}
	for (i = 0; i < t->series_count; i++)
		wanted[i] = !t->series[i].held_out &&
			    pattern_matches(series, t->series[i].series);
	for (i = 0; i < t->count; i++)
		picking.count[t->points[i].series] += trains(c, i);
	choose(&picking, wanted);
	for (i = 0; i < t->series_count; i++)
		if (wanted[i])
			take_cheapest(&picking, i);
	for (i = 0; i < t->count; i++)
		if (picking.taken[i])
			set->items[set->count++] = i;
out:
	free(picking.count);
	free(picking.taken);
	free(wanted);
	return code;
}
