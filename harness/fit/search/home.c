/* What is read off the targets alone: no run is needed. */
#include <math.h>
#include <stdlib.h>

#include "harness/fit/search/parts.h"
#include "harness/map/map.h"

#define PARAMETER "home_hash_mask"

/* The bits beyond a page are not seen; they stay. */
static double mask_of(const struct map_hash *hash, double start)
{
	const uint64_t unseen = (uint64_t)start >> hash->page_shift
							   << hash->page_shift;

	return (double)(hash->bits | unseen);
}

static int read_point(
	struct search *c, struct tuned *t, size_t index, struct error *error)
{
	const struct target_point *p = &c->targets.points[index];
	const struct map_hash *hash;
	struct map map;
	int code = map_make(p->point, 0, &map, error);

	if (code)
		return code;
	hash = &map.hash;
	if (map.sides.count < 2 || hash->open || hash->contradictions) {
		code = search_note(c,
			PARAMETER
			": not read off, the lines of '%s' do not settle it",
			c->targets.series[p->series].label);
	} else {
		c->values[t - c->tuning.items] = mask_of(hash, t->start);
		t->origin = ORIGIN_READ_OFF;
		t->from = "near-far";
		t->judged = t->constrained = true;
	}
	map_free(&map);
	return code;
}

int home_read(struct search *c, struct error *error)
{
	const int parameter = tuning_find(&c->tuning, PARAMETER);
	size_t i;

	if (parameter < 0 || !c->tuning.items[parameter].free)
		return 0;
	for (i = 0; i < c->targets.count; i++)
		if (c->targets.points[i].map && !c->targets.points[i].held_out)
			return read_point(
				c, &c->tuning.items[parameter], i, error);
	return search_note(c,
		PARAMETER ": not read off, the targets do not hold near-far");
}

/* ---- the clock ---- */

#define CLOCK        "clock_hz"
#define CLOCK_DIFFER 5e-3 /* less is a clock that wanders */

static int median_clock(const struct targets *t, double *hz)
{
	double *clocks = calloc(t->count + 1, sizeof(*clocks));
	size_t i, count = 0;

	if (!clocks)
		return ERR_FAILED;
	for (i = 0; i < t->count; i++)
		if (!t->points[i].held_out && t->points[i].point->clock_hz > 0)
			clocks[count++] = t->points[i].point->clock_hz;
	*hz = stats_median(clocks, count);
	free(clocks);
	return 0;
}

int clock_read(struct search *c, struct error *error)
{
	const int parameter = tuning_find(&c->tuning, CLOCK);
	struct tuned *t;
	double hz;

	if (parameter < 0 || !c->tuning.items[parameter].free)
		return 0;
	if (median_clock(&c->targets, &hz))
		return error_set(error, ERR_FAILED, "out of memory");
	t = &c->tuning.items[parameter];
	t->judged = t->constrained = isfinite(hz);
	if (!isfinite(hz) || fabs(hz / t->start - 1) < CLOCK_DIFFER)
		return 0;
	c->values[parameter] = hz;
	t->origin = ORIGIN_READ_OFF;
	t->from = "*";
	return search_note(c,
		CLOCK ": the targets ran at %.0f MHz, not at %.0f", hz / 1e6,
		t->start / 1e6);
}
