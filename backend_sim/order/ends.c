/* Blocks that may not have begun, or may have ended, when others use their
   shared memory. */
#include <inttypes.h>

#include "backend_sim/order/parts.h"

/* The warp knows something of the block in the slot. */
static bool knows(const struct execution *x, uint32_t warp, uint32_t slot)
{
	const struct order *o = x->grid->order;
	const uint32_t *clock = clock_of(x, warp);
	const uint32_t first = slot % o->ranks * o->warps;
	uint32_t i;

	for (i = first; i < first + o->warps; i++)
		if (clock[KNOWN(i)] >= group_of(x, warp)->base)
			return true;
	return false;
}

bool order_visits(const struct access_of *a, unsigned lane, uint32_t slot)
{
	const struct order *o = a->g->order;
	const uint32_t peer = peer_of(a->x, a->warp);
	const struct accessor by = {
		.x = a->x, .warp = a->warp, .pc = a->pc, .lane = lane};

	if (!o || o->ranks == 1)
		return true;
	if (!knows(a->x, a->warp, slot))
		return order_accuse_block(&by, slot,
			"which may not have begun: no barrier.cluster stands "
			"before");
	o->blocks[slot].visits[peer] = (struct visit){
		clock_of(a->x, a->warp)[KNOWN(peer)], a->pc, lane & 31};
	return true;
}

/* Any of the block's warps has waited for so much of a component, whether it
   acquires what others did there or not. */
static bool is_known(const struct order *o, const struct block_order *b,
	uint32_t component, uint32_t least)
{
	size_t i;

	for (i = 0; i < o->warps; i++)
		if (b->clocks[i * o->components + component] >= least ||
			(o->ranks > 1 &&
				b->pending[i * o->components + component] >=
					least))
			return true;
	return false;
}

static bool end_stores(struct execution *x, const struct block_order *b,
	const struct issuer_seen *s, uint64_t number)
{
	const struct order *o = x->grid->order;
	const uint32_t i = (uint32_t)(s - b->issuers);

	if (!s->any || clock_of(x, s->warp)[GROUPS_OF(o, b) + i] > s->last)
		return true;
	grid_fail(x, s->warp, s->pc,
		"block %" PRIu64 ", thread %u: the block ends before this copy "
		"is known to have read its shared memory: no "
		"cp.async.bulk.wait_group, behind its commit_group, comes "
		"after it",
		number, x->warps[s->warp].index * LANES + s->lane);
	return false;
}

static bool end_loads(struct execution *x, uint32_t warp,
	const struct block_order *b, uint64_t number)
{
	const struct order *o = x->grid->order;
	uint32_t i;

	if (b->flying) {
		grid_fail(x, warp, b->flying_pc,
			"block %" PRIu64 " ends while this copy still fills "
			"its shared memory",
			number);
		return false;
	}
	for (i = 0; i < b->barrier_count; i++) {
		const struct barrier_seen *s = &b->barriers[i];

		if (!s->is_filled || is_known(o, b, PHASES_OF(o, b) + i,
					     s->filled_phase + 1))
			continue;
		grid_fail(x, warp, s->filled_pc,
			"block %" PRIu64 " may end while this copy still fills "
			"its shared memory: none of its threads waits for the "
			"phase in which it completes, of the barrier at offset "
			"%u",
			number, s->offset);
		return false;
	}
	return true;
}

static bool end_gifts(
	struct execution *x, const struct block_order *b, uint64_t number)
{
	const struct order *o = x->grid->order;
	const uint32_t first = 4 * o->peers;
	uint32_t i;

	for (i = 0; o->has_copies && i < o->ranks * BARRIERS_SEEN; i++) {
		const struct given *s = &b->given[i];

		if (!s->phases || is_known(o, b, first + i, s->phases))
			continue;
		grid_fail(x, s->warp, s->pc,
			"block %" PRIu64 ", thread %u: the block may end "
			"before this copy has read its shared memory: it waits "
			"at no barrier.cluster behind the wait of who gets it",
			number, x->warps[s->warp].index * LANES + s->lane);
		return false;
	}
	return true;
}

static void end_visits(
	struct execution *x, uint32_t slot, const struct block_order *b)
{
	const struct order *o = x->grid->order;
	const uint32_t first = cluster_first(x->grid, slot);
	uint32_t p;

	for (p = 0; p < o->peers; p++) {
		const struct visit *v = &b->visits[p];
		const struct accessor by = {.x = x,
			.warp = first * o->warps + p,
			.pc = v->pc,
			.lane = v->lane};

		if (!v->epoch || is_known(o, b, KNOWN(p), v->epoch))
			continue;
		order_accuse_block(&by, slot,
			"which may have ended: it waits at no barrier.cluster "
			"behind");
		return;
	}
}

void order_close(struct execution *x, uint32_t warp)
{
	const struct order *o = x->grid->order;
	const uint32_t slot = x->warps[warp].block_index;
	const uint64_t number = x->grid->blocks[slot].number;
	const struct block_order *b;
	uint32_t i;

	if (!o)
		return;
	b = &o->blocks[slot];
	for (i = 0; i < b->issuer_count; i++)
		if (!end_stores(x, b, &b->issuers[i], number))
			return;
	if (end_loads(x, warp, b, number) && end_gifts(x, b, number) &&
		o->ranks > 1)
		end_visits(x, slot, b);
}
