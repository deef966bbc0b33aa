/* Accesses of threads, held against copies of 16 bytes of shared memory. */
#include "backend_sim/order/parts.h"

/* Words of 16 bytes from `at` on of a block, a bit each. */
struct touched {
	unsigned lane;
	uint32_t slot;
	uint64_t at;
	uint8_t words;
};

static bool touch(
	const struct access_of *a, const struct touched *t, bool writes)
{
	const struct accessor by = {
		a->x, a->warp, a->pc, t->lane, A_THREAD, writes};
	const struct order *o = a->g->order;
	const struct block_order *b = &o->blocks[t->slot];
	const uint32_t *clock = clock_of(a->x, a->warp);
	struct granule *g = &b->granules[t->at / GRANULE];
	const uint32_t peer = peer_of(a->x, a->warp);
	const uint32_t epoch = clock[KNOWN(peer)];
	const uint32_t offset = (uint32_t)t->at;

	if (g->copy_words & t->words && !has_come(o, b, clock, g))
		return order_accuse(
			&by, offset, lack_of_wait(o, b, clock, g), g->copy_pc);
	if (g->load_words & t->words && !has_loaded(o, clock, g))
		return order_accuse(&by, offset, LACKS_LOAD, g->load_pc);
	if (writes && !has_been_read(o, b, clock, g))
		return order_accuse(&by, offset, LACKS_READ, g->store_pc);
	if (writes) {
		g->writer = (uint16_t)peer;
		g->write_epoch = epoch;
		g->write_pc = a->pc;
	} else {
		g->reader = (uint16_t)peer;
		g->read_epoch = epoch;
		g->read_pc = a->pc;
	}
	return true;
}

typedef bool (*touch_fn)(
	const struct access_of *a, const struct touched *t, bool writes);

/* Lanes side by side are often on the same 16 bytes. */
static bool touch_all(const struct access_of *a, uint32_t bytes, bool writes,
	touch_fn touches)
{
	const uint32_t own = a->x->warps[a->warp].block_index;
	struct touched t = {.at = UINT64_MAX};
	uint32_t rest = a->shared | a->remote;
	uint64_t at;

	for (; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);
		const uint64_t first = a->address[lane], end = first + bytes;
		const uint32_t slot =
			a->remote >> lane & 1 ? access_block(a, lane) : own;

		for (at = first & ~(uint64_t)(GRANULE - 1); at < end;
			at += GRANULE) {
			if (at != t.at || slot != t.slot) {
				if (t.words && !touches(a, &t, writes))
					return false;
				t = (struct touched){lane, slot, at, 0};
			}
			t.words |= order_chunk_words(at, first, end);
		}
	}
	return !t.words || touches(a, &t, writes);
}

static bool visit_others(struct access_of *a)
{
	uint32_t rest;

	for (rest = a->remote; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);

		if (!order_visits(a, lane, access_block(a, lane)))
			return false;
	}
	return true;
}

bool order_access(struct access_of *a, uint32_t bytes, bool writes)
{
	const struct order *o = a->g->order;

	if (!o || !(a->shared | a->remote))
		return true;
	if (a->remote && o->ranks > 1 && !visit_others(a))
		return false;
	if (o->has_copies && !touch_all(a, bytes, writes, touch))
		return false;
	return !o->has_threads || order_words(a, bytes, writes, true);
}

/* A cp.async beside another one, of its warp or to other words, is no second
   write; what it overwrites, nobody may still read. Of the words of several
   warps or groups the last ones are known. */
static bool load(
	const struct access_of *a, const struct touched *t, bool writes)
{
	const struct accessor by = {
		a->x, a->warp, a->pc, t->lane, A_COPY, writes};
	const struct order *o = a->g->order;
	const uint32_t *clock = clock_of(a->x, a->warp);
	struct granule *g = &o->blocks[t->slot].granules[t->at / GRANULE];
	const uint32_t peer = peer_of(a->x, a->warp);
	const uint32_t epoch = a->k->group + 1;
	const bool is_own = g->loader == peer;

	if (g->reader != NO_PEER && clock[KNOWN(g->reader)] < g->read_epoch)
		return order_accuse(
			&by, (uint32_t)t->at, LACKS_READER, g->read_pc);
	if (!is_own && !touch(a, t, writes))
		return false;
	g->load_words = is_own && g->load_epoch == epoch
				? g->load_words | t->words
				: t->words;
	g->loader = (uint16_t)peer;
	g->load_epoch = epoch;
	g->load_pc = g->write_pc = a->pc;
	g->reader = NO_PEER;
	return true;
}

bool order_load(struct access_of *a, uint32_t bytes)
{
	const struct order *o = a->g->order;

	if (!o)
		return true;
	if (o->has_threads && !order_words(a, bytes, true, false))
		return false;
	return !o->has_copies || touch_all(a, bytes, true, load);
}
