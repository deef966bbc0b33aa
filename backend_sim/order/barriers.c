/* Asynchronous barriers: who may use them, and what they hand on. */
#include <string.h>

#include "backend_sim/order/parts.h"

void order_init(struct execution *x, uint32_t warp, uint32_t offset)
{
	const struct order *o = x->grid->order;
	struct block_order *b;
	struct barrier_seen *s;

	if (!o)
		return;
	b = block_of(x, warp);
	s = find_barrier(b, offset);
	if (!s) {
		if (b->barrier_count == BARRIERS_SEEN)
			return;
		s = &b->barriers[b->barrier_count++];
		*s = (struct barrier_seen){.offset = offset};
	}
	s->valid = true;
	s->init_peer = (uint16_t)peer_of(x, warp);
	s->init_epoch = clock_of(x, warp)[KNOWN(s->init_peer)];
}

void order_inval(struct execution *x, uint32_t warp, uint32_t offset)
{
	struct barrier_seen *s;

	if (!x->grid->order)
		return;
	s = find_barrier(block_of(x, warp), offset);
	if (s)
		s->valid = false;
}

/* NULL: nothing. Barriers beyond those that are seen may be any, as those of
   blocks that are not looked at. */
static const char *wrong_with(const struct execution *x, uint32_t warp,
	uint32_t slot, uint32_t offset, bool by_copy)
{
	const struct order *o = x->grid->order;
	struct block_order *b = &o->blocks[slot];
	const struct barrier_seen *s = find_barrier(b, offset);
	const uint32_t *clock = clock_of(x, warp);

	if (slot / o->ranks != x->warps[warp].block_index / o->ranks ||
		(!s && b->barrier_count == BARRIERS_SEEN))
		return NULL;
	if (!s)
		return "is used before mbarrier.init";
	if (!s->valid)
		return "is used behind mbarrier.inval";
	if (s->init_peer != peer_of(x, warp) &&
		clock[KNOWN(s->init_peer)] < s->init_epoch)
		return "is used, and nothing that this thread has waited for "
		       "comes between its mbarrier.init and this";
	if (by_copy && b != block_of(x, warp) &&
		clock[INITED(o, s->init_peer)] < s->init_epoch)
		return "is used by what another block sends, and no "
		       "fence.mbarrier_init comes between its mbarrier.init "
		       "and this";
	return NULL;
}

bool order_uses(const struct access_of *a, unsigned lane)
{
	const uint32_t slot = access_block(a, lane);
	const uint32_t offset = (uint32_t)a->address[lane];
	const struct accessor by = {
		.x = a->x, .warp = a->warp, .pc = a->pc, .lane = lane};
	const char *wrong;

	if (!a->g->order)
		return true;
	wrong = wrong_with(a->x, a->warp, slot, offset, false);
	if (wrong)
		return order_accuse_barrier(&by, slot, offset, wrong);
	return !(a->remote >> lane & 1) || order_visits(a, lane, slot);
}

/* What the block gives is read when the copy completes. */
static void note_given(const struct execution *x, const struct copy_order *c,
	const struct block_order *to, const struct barrier_seen *s)
{
	struct block_order *b = block_of(x, c->warp);
	const uint32_t i = (uint32_t)(s - to->barriers);

	if (b != to && c->kind == COPY_ACROSS)
		b->given[to->rank * BARRIERS_SEEN + i] =
			(struct given){s->phases + 1, c->warp, c->pc, c->lane};
}

bool order_completes(
	struct execution *x, const struct copy_order *c, uint32_t slot)
{
	struct block_order *b = &x->grid->order->blocks[slot];
	const struct accessor by = {
		.x = x, .warp = c->warp, .pc = c->pc, .lane = c->lane};
	const char *wrong = wrong_with(x, c->warp, slot, c->barrier, true);
	struct barrier_seen *s = find_barrier(b, c->barrier);

	if (wrong)
		return order_accuse_barrier(&by, slot, c->barrier, wrong);
	if (s) {
		s->is_filled = true;
		s->filled_phase = s->phases;
		s->filled_pc = c->pc;
		note_given(x, c, b, s);
	}
	return true;
}

/* What arrivals of the phase have handed on; of the phases that are over. */
static uint32_t *told(const struct order *o, struct block_order *b,
	const struct barrier_seen *s, bool over)
{
	return b->told + (size_t)(2 * (s - b->barriers) + over) * o->components;
}

void order_arrive_at(
	struct execution *x, uint32_t warp, uint32_t block, uint32_t offset)
{
	const struct order *o = x->grid->order;
	struct block_order *b;
	struct barrier_seen *s;

	if (!o || block / o->ranks != x->warps[warp].block_index / o->ranks)
		return;
	b = &o->blocks[block];
	s = find_barrier(b, offset);
	if (!s)
		return;
	order_join(o, b, told(o, b, s, false), clock_of(x, warp), false);
	clock_of(x, warp)[KNOWN(peer_of(x, warp))]++;
}

void order_phase_over(struct grid *g, uint32_t block, uint32_t offset)
{
	const struct order *o = g->order;
	struct block_order *b;
	struct barrier_seen *s;

	if (!o)
		return;
	b = &o->blocks[block];
	s = find_barrier(b, offset);
	if (!s)
		return;
	s->phases++;
	order_join(o, b, told(o, b, s, true), told(o, b, s, false), false);
	told(o, b, s, true)[PHASES_OF(o, b) + (uint32_t)(s - b->barriers)] =
		s->phases;
}

/* One of the warp's block; NULL, too, where nothing is checked. */
static struct barrier_seen *own_barrier(
	const struct execution *x, uint32_t warp, uint32_t offset)
{
	return x->grid->order ? find_barrier(block_of(x, warp), offset) : NULL;
}

void order_waited(struct execution *x, uint32_t warp, uint32_t lanes,
	uint32_t offset, bool of_cluster)
{
	const struct barrier_seen *s = own_barrier(x, warp, offset);

	if (s)
		order_take(x, warp, lanes,
			told(x->grid->order, block_of(x, warp), s, true),
			!of_cluster);
}

/* The copies of the warp so far count in the phase. */
void order_loads_at(struct execution *x, uint32_t warp, uint32_t offset)
{
	const struct order *o = x->grid->order;
	const uint32_t groups = x->grid->warps[warp].group + 1;
	const struct barrier_seen *s = own_barrier(x, warp, offset);
	uint32_t *loaded;

	if (!s)
		return;
	loaded = &told(
		o, block_of(x, warp), s, false)[LOADED(o, peer_of(x, warp))];
	*loaded = groups > *loaded ? groups : *loaded;
}
