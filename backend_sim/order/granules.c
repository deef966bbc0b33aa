/* What copies and products of matrices do to 16 bytes of shared memory. */
#include <inttypes.h>

#include "backend_sim/order/parts.h"

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
				order_chunk_words(at, c->runs[i].shared,
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
