/* What the stations of L2 will look at, on its way into the host's caches. */
#include "backend_sim/memory/l2_parts.h"

void l2_prefetch(const struct l2 *l, const struct request *r)
{
	unsigned side;

	for (side = 0; side < l->core->slices.partitions; side++)
		cache_prefetch(&l->sides[side], r->set);
}

static void prefetch_side(
	const struct l2 *l, unsigned side, const struct request *r)
{
	cache_prefetch(&l->sides[l2_side_number(l, side)], r->set);
}

void l2_foresee_slice(
	const struct l2 *l, const struct request *r, uint32_t datum)
{
	(void)datum;
	prefetch_side(l, r->side, r);
	if (r->kind == REQUEST_LOAD)
		fetch_prefetch(l->core, WAIT_GPC, r);
	fetch_prefetch(l->core, r->home == r->side ? WAIT_HOME : WAIT_NEAR, r);
	if (l->core->slices.partitions == 2 && r->home == r->side &&
		r->kind != REQUEST_LOAD)
		cache_prefetch(&l->sides[!r->side], r->set);
}

void l2_foresee_home(
	const struct l2 *l, const struct request *r, uint32_t datum)
{
	(void)datum;
	prefetch_side(l, r->home, r);
	fetch_prefetch(l->core, WAIT_HOME, r);
}

void l2_foresee_near_fill(
	const struct l2 *l, const struct request *r, uint32_t datum)
{
	(void)datum;
	prefetch_side(l, r->side, r);
	fetch_prefetch(l->core, WAIT_NEAR, r);
}

void l2_foresee_line(struct l2 *l, const struct request_queue *q)
{
	const struct core *core = l->core;
	const struct request *r = &core->requests[q->head];

	cache_prefetch(l2_side(l, r->home), r->set);
	if (r->wait_next != NONE)
		memory_prefetch(&core->requests[r->wait_next]);
}
