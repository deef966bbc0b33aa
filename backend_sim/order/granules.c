/* What shared memory knows of its last accesses. */
#include <inttypes.h>

#include "backend_sim/order/parts.h"

/* ---- accesses of threads ---- */

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

static uint8_t words_of(uint64_t at, uint64_t first, uint64_t end)
{
	uint8_t words = 0;
	uint32_t i;

	for (i = 0; i < GRANULE / 4; i++)
		if (at + 4 * i < end && at + 4 * i + 4 > first)
			words |= (uint8_t)(1u << i);
	return words;
}

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
			a->remote >> lane & 1 ? reach_block(a, lane) : own;

		for (at = first & ~(uint64_t)(GRANULE - 1); at < end;
			at += GRANULE) {
			if (at != t.at || slot != t.slot) {
				if (t.words && !touches(a, &t, writes))
					return false;
				t = (struct touched){lane, slot, at, 0};
			}
			t.words |= words_of(at, first, end);
		}
	}
	return !t.words || touches(a, &t, writes);
}

static bool visit_others(struct access_of *a)
{
	uint32_t rest;

	for (rest = a->remote; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);

		if (!order_visits(a, lane, reach_block(a, lane)))
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

/* ---- copies ---- */

static uint8_t issuer_of(struct block_order *b, const struct copy_order *o)
{
	uint32_t i;

	for (i = 0; i < b->issuer_count; i++)
		if (b->issuers[i].warp == o->warp &&
			b->issuers[i].lane == o->lane)
			return (uint8_t)i;
	if (i == ISSUERS_SEEN)
		return NOBODY;
	b->issuers[b->issuer_count++] =
		(struct issuer_seen){.warp = o->warp, .lane = o->lane};
	return (uint8_t)i;
}

/* What a copy that fills or reads 16 bytes lacks, and of whom. */
static enum lack lack_of_copy(const struct order *o,
	const struct block_order *b, const uint32_t *clock,
	const struct granule *g, bool fills, uint32_t *pc)
{
	*pc = g->copy_pc;
	if (!has_come(o, b, clock, g))
		return lack_of_wait(o, b, clock, g);
	*pc = g->load_pc;
	if (!has_loaded(o, clock, g))
		return LACKS_LOAD;
	if (!fills && g->by_words &&
		clock[FENCED_PHASES(o, b) + g->barrier] <= g->phase) {
		*pc = g->copy_pc;
		return LACKS_FENCE_OF_WORDS;
	}
	*pc = g->store_pc;
	if (fills && !has_been_read(o, b, clock, g))
		return LACKS_READ;
	*pc = g->write_pc;
	if (g->writer != NO_PEER && clock[KNOWN(g->writer)] < g->write_epoch)
		return LACKS_ORDER;
	if (!fills && g->writer != NO_PEER &&
		clock[FENCED(o, g->writer)] < g->write_epoch)
		return LACKS_FENCE;
	*pc = g->read_pc;
	return fills && g->reader != NO_PEER &&
			       clock[KNOWN(g->reader)] < g->read_epoch
		       ? LACKS_READER
		       : LACKS_NOTHING;
}

static bool follows(struct execution *x, const struct copy_order *c,
	const struct block_order *b, uint32_t offset, bool fills)
{
	const struct accessor by = {x, c->warp, c->pc, c->lane, A_COPY, fills};
	struct granule g = b->granules[offset / GRANULE];
	enum lack lack;
	uint32_t pc;

	/* Reductions may be under way side by side. */
	if (c->kind == COPY_ACROSS && c->reduces.op)
		g.barrier = NOBODY;
	lack = lack_of_copy(
		x->grid->order, b, clock_of(x, c->warp), &g, fills, &pc);

	return lack ? order_accuse(&by, offset, lack, pc) : true;
}

/* Granules of one copy, to which nobody has written since. */
static bool are_alike(const struct granule *a, const struct granule *b)
{
	return a->phase == b->phase && a->barrier == b->barrier &&
	       a->flies == b->flies && a->by_words == b->by_words &&
	       a->writer == NO_PEER && a->loader == NO_PEER;
}

/* What a product of matrices lacks that reads the granule. */
static enum lack lack_of_product(const struct order *o,
	const struct block_order *b, const uint32_t *clock,
	const struct granule *g, uint32_t *pc)
{
	const enum lack lack = lack_of_copy(o, b, clock, g, false, pc);

	return lack == LACKS_FENCE && !o->strict && g->write_pc == g->load_pc
		       ? LACKS_NOTHING
		       : lack;
}

void order_chunks(struct execution *x, uint32_t warp, uint32_t pc,
	const uint64_t chunks[ORDER_CHUNKS / 64])
{
	const struct order *o = x->grid->order;
	const struct accessor by = {x, warp, pc, 0, A_PRODUCT, false};
	const struct block_order *b = block_of(x, warp);
	struct granule *granules = b->granules, *g;
	const struct granule *last = NULL; /* it lacks nothing */
	const uint32_t *clock = clock_of(x, warp);
	const uint32_t peer = peer_of(x, warp);
	const uint32_t epoch = clock[KNOWN(peer)];
	uint32_t word, i, other;
	uint64_t rest;

	for (word = 0; word < ORDER_CHUNKS / 64; word++)
		for (rest = chunks[word]; rest; rest &= rest - 1) {
			enum lack lack = LACKS_NOTHING;

			i = 64 * word + (uint32_t)__builtin_ctzll(rest);
			if (i >= o->granules)
				return;
			g = &granules[i];
			if (!last || !are_alike(g, last))
				lack = lack_of_product(o, b, clock, g, &other);
			if (lack) {
				order_accuse(&by, i * GRANULE, lack, other);
				return;
			}
			last = g;
			g->reader = (uint16_t)peer;
			g->read_epoch = epoch;
			g->read_pc = pc;
		}
}

/* Of words of several barriers or phases the last ones are known. */
static void mark_filled(struct granule *g, const struct copy_order *c,
	const struct barrier_seen *s, uint8_t barrier, uint8_t words)
{
	const uint32_t phase = s ? s->phases : 0;
	const bool is_same = g->barrier == barrier && g->phase == phase;

	g->copy_words = is_same ? g->copy_words | words : words;
	g->barrier = barrier;
	g->phase = phase;
	g->copy_pc = c->pc;
	g->flies = barrier != NOBODY;
	g->by_words = g->flies && c->kind == COPY_WORDS;
	g->reader = g->writer = g->loader = NO_PEER;
	g->issuer = NOBODY;
}

/* Words of registers are held against what threads did to the same words: a
   reduction is an atomic. */
static bool follows_threads(
	struct execution *x, const struct copy_order *c, uint32_t slot)
{
	struct look l = {.by = {.x = x,
				 .warp = c->warp,
				 .pc = c->pc,
				 .lane = c->lane,
				 .who = A_COPY,
				 .writes = true},
		.slot = slot,
		.is_strong = c->reduces.op != 0};
	uint32_t i;

	for (i = 0; i < c->run_count; i++) {
		l.offset = c->runs[i].shared;
		l.bytes = c->runs[i].bytes;
		if (!order_look(&l))
			return false;
	}
	return true;
}

/* Whether what the copy overwrites in a block is behind it. */
static bool follows_all(
	struct execution *x, const struct copy_order *c, uint32_t slot)
{
	const struct block_order *b = &x->grid->order->blocks[slot];
	uint32_t i, at;

	for (i = 0; i < c->run_count; i++)
		for (at = c->runs[i].shared / GRANULE * GRANULE;
			at < c->runs[i].shared + c->runs[i].bytes;
			at += GRANULE)
			if (!follows(x, c, b, at, true))
				return false;
	return true;
}

/* The block's shared memory is filled by it, for the phase of the barrier in
   that block. */
static void fill_block(struct block_order *b, const struct copy_order *c)
{
	struct barrier_seen *s = find_barrier(b, c->barrier);
	const uint8_t barrier =
		s ? (uint8_t)(s - b->barriers) : (uint8_t)NOBODY;
	uint32_t i, at;

	for (i = 0; i < c->run_count; i++)
		for (at = c->runs[i].shared / GRANULE * GRANULE;
			at < c->runs[i].shared + c->runs[i].bytes;
			at += GRANULE)
			mark_filled(&b->granules[at / GRANULE], c, s, barrier,
				words_of(at, c->runs[i].shared,
					c->runs[i].shared + c->runs[i].bytes));
	b->flying++;
	b->flying_pc = c->pc;
}

/* Its runs may share a granule: all are held against what was there first. Of
   blocks that the copy's does not know it is not known who reads there. */
static bool fill(struct execution *x, const struct copy_order *c)
{
	const struct order *o = x->grid->order;
	const uint32_t own = x->warps[c->warp].block_index;
	uint32_t i;

	for (i = 0; i < c->block_count; i++) {
		const uint32_t slot = c->blocks[i];

		if (slot / o->ranks != own / o->ranks)
			continue;
		if (!order_completes(x, c, slot) ||
			!(c->kind == COPY_WORDS ? follows_threads(x, c, slot)
						: follows_all(x, c, slot)))
			return false;
	}
	for (i = 0; i < c->block_count; i++)
		fill_block(&x->grid->order->blocks[c->blocks[i]], c);
	return true;
}

static bool read(
	struct execution *x, const struct copy_order *c, uint32_t group)
{
	struct block_order *b = block_of(x, c->warp);
	const uint8_t issuer = issuer_of(b, c);
	uint32_t i, at;

	for (i = 0; i < c->run_count; i++)
		for (at = c->runs[i].shared / GRANULE * GRANULE;
			at < c->runs[i].shared + c->runs[i].bytes;
			at += GRANULE) {
			struct granule *g = granule_of(x, c->warp, at);

			if (!follows(x, c, b, at, false))
				return false;
			g->issuer = issuer;
			g->group = group;
			g->store_pc = c->pc;
		}
	if (issuer != NOBODY) {
		b->issuers[issuer].any = true;
		b->issuers[issuer].last = group;
		b->issuers[issuer].pc = c->pc;
	}
	return true;
}

/* What goes to another block's memory is there for copies. */
static bool gives(struct execution *x, const struct copy_order *c)
{
	uint64_t at, end;
	uint32_t i;

	for (i = 0; i < c->run_count; i++) {
		end = c->runs[i].global + c->runs[i].bytes;
		for (at = c->runs[i].global / GRANULE * GRANULE; at < end;
			at += GRANULE)
			if (!follows(x, c, block_of(x, c->warp), (uint32_t)at,
				    false))
				return false;
	}
	return true;
}

bool order_copy(struct execution *x, const struct copy_order *c, uint32_t group)
{
	if (!x->grid->order)
		return true;
	switch (c->kind) {
	case COPY_ACROSS:
		return gives(x, c) && fill(x, c);
	case COPY_LOAD:
	case COPY_WORDS:
		return fill(x, c);
	case COPY_STORE:
	case COPY_REDUCE:
		return read(x, c, group);
	default:
		return true;
	}
}
