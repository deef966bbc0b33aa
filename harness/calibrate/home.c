/* The home hash, which is read off near-far alone: no run is needed. */
#include <stdlib.h>

#include "harness/calibrate/parts.h"
#include "harness/map/map.h"

#define PARAMETER "home_hash_mask"

/* The bits beyond a page are not seen; they stay. */
static double mask_of(const struct map_hash *hash, double start)
{
	const uint64_t unseen = (uint64_t)start >> hash->page_shift
							   << hash->page_shift;

	return (double)(hash->bits | unseen);
}

static int read_point(struct calibration *c, struct tuned *t, size_t index,
	struct error *error)
{
	const struct target_point *p = &c->targets.points[index];
	const struct map_hash *hash;
	struct map map;
	int code = map_make(p->point, 0, &map, error);

	if (code)
		return code;
	hash = &map.hash;
	if (map.sides.count < 2 || hash->open || hash->contradictions) {
		code = calibrate_note(c,
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

int home_read(struct calibration *c, struct error *error)
{
	const int parameter = tuning_find(&c->tuning, PARAMETER);
	size_t i;

	if (parameter < 0 || !c->tuning.items[parameter].free)
		return 0;
	for (i = 0; i < c->targets.count; i++)
		if (c->targets.points[i].map && !c->targets.points[i].held_out)
			return read_point(
				c, &c->tuning.items[parameter], i, error);
	return calibrate_note(c,
		PARAMETER ": not read off, the targets do not hold near-far");
}
