/* What is looked at, and from when on: launches and blocks. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/order/parts.h"

/* ---- what the code does ---- */

static bool is_asynchronous(const struct code_insn *c, bool strict)
{
	return c->kind == CODE_BULK || c->kind == CODE_TENSOR ||
	       c->kind == CODE_MBARRIER || (strict && c->kind == CODE_COPY) ||
	       (c->insn && c->insn->op == PTXO_WGMMA);
}

/* It is about shared memory, or may be. */
static bool is_shared(const struct code_insn *c)
{
	return c->kind == CODE_TILES || c->kind == CODE_COPY ||
	       ((c->kind == CODE_MEMORY || c->kind == CODE_FRAGMENT) &&
		       (c->space == PTX_SHARED || c->space == PTX_GENERIC));
}

static bool names_others(const struct code_insn *c)
{
	return c->insn && (c->insn->op == PTXO_MAPA || c->insn->is_cluster);
}

/* Of words that no access divides. */
static uint32_t shift_of(const struct code *code)
{
	uint32_t i, bytes, least = 4;

	for (i = 0; i < code->count; i++) {
		const struct code_insn *c = &code->insns[i];

		if (!is_shared(c) || (c->kind == CODE_MEMORY && !c->bytes))
			continue;
		bytes = c->kind == CODE_MEMORY ? (uint32_t)c->bytes * c->count
					       : c->bytes;
		least = bytes < least ? bytes : least;
	}
	return least >= 4 ? 2 : least >= 2 ? 1 : 0;
}

static void look_at(struct order *o, const struct grid *g)
{
	bool shares = false, names = false;
	uint32_t i;

	for (i = 0; i < g->code.count; i++) {
		const struct code_insn *c = &g->code.insns[i];

		o->has_copies |= is_asynchronous(c, o->strict);
		shares |= is_shared(c);
		names |= names_others(c);
	}
	names = g->cluster_blocks > 1 && (names || o->has_copies);
	o->ranks = names ? g->cluster_blocks : 1;
	o->has_threads = shares && g->shared_bytes && !g->trace &&
			 (o->has_copies || names || o->strict);
	o->shift = shift_of(&g->code);
}

/* ---- life cycle ---- */

static int make_block(const struct order *o, struct block_order *b)
{
	const size_t n = o->components;

	b->clocks = calloc(o->warps * n, sizeof(*b->clocks));
	b->released = calloc(o->warps * n, sizeof(*b->released));
	b->pending =
		calloc(o->ranks > 1 ? o->warps * n : 1, sizeof(*b->pending));
	b->each = calloc(o->warps, sizeof(*b->each));
	b->meetings = calloc(BARRIERS * n, sizeof(*b->meetings));
	b->told = calloc(2 * BARRIERS_SEEN * n, sizeof(*b->told));
	b->granules = calloc(o->granules + 1, sizeof(*b->granules));
	b->pages = calloc(o->pages + 1, sizeof(*b->pages));
	b->visits = calloc(o->peers, sizeof(*b->visits));
	b->given = calloc(o->ranks * BARRIERS_SEEN, sizeof(*b->given));
	return b->clocks && b->released && b->pending && b->each &&
			       b->meetings && b->told && b->granules &&
			       b->pages && b->visits && b->given
		       ? 0
		       : -1;
}

static int make_group(const struct order *o, struct group_order *group)
{
	group->rest = calloc(o->components, sizeof(*group->rest));
	group->arrived = calloc(o->components, sizeof(*group->arrived));
	group->over = calloc(o->components, sizeof(*group->over));
	return group->rest && group->arrived && group->over ? 0 : -1;
}

static int make_all(struct grid *g, struct order *o)
{
	uint32_t i;

	o->blocks = calloc(g->end_slot + 1, sizeof(*o->blocks));
	o->groups = calloc(g->end_slot + 1, sizeof(*o->groups));
	o->slots = o->blocks && o->groups ? g->end_slot : 0;
	for (i = g->first_slot; i < o->slots; i++)
		if (make_block(o, &o->blocks[i]) ||
			(i % o->ranks == 0 &&
				make_group(o, &o->groups[i / o->ranks])))
			return -1;
	return o->slots == g->end_slot ? 0 : -1;
}

int order_make(struct grid *g, bool strict)
{
	struct order look = {.strict = strict}, *o;

	look_at(&look, g);
	if (!look.has_copies && !look.has_threads)
		return 0;
	o = g->order = calloc(1, sizeof(*o));
	if (!o)
		return -1;
	*o = look;
	o->warps = g->block_warps;
	o->peers = o->warps * o->ranks;
	o->components = o->peers;
	if (o->has_copies)
		o->components = 4 * o->peers +
				o->ranks * (2 * BARRIERS_SEEN + ISSUERS_SEEN);
	if (o->has_copies)
		o->granules =
			(uint32_t)((g->shared_bytes + GRANULE - 1) / GRANULE);
	if (o->has_threads)
		o->pages =
			(uint32_t)((g->shared_bytes >> o->shift) / PAGE_WORDS) +
			1;
	return make_all(g, o);
}

static void free_block(const struct order *o, struct block_order *b)
{
	uint32_t i;

	for (i = 0; b->pages && i < o->pages; i++)
		free(b->pages[i]);
	free(b->clocks);
	free(b->released);
	free(b->pending);
	free(b->each);
	free(b->meetings);
	free(b->told);
	free(b->granules);
	free(b->pages);
	free(b->visits);
	free(b->given);
}

void order_free(struct order *o)
{
	uint32_t i;

	for (i = 0; o && i < o->slots; i++) {
		free_block(o, &o->blocks[i]);
		if (i % o->ranks)
			continue;
		free(o->groups[i / o->ranks].rest);
		free(o->groups[i / o->ranks].arrived);
		free(o->groups[i / o->ranks].over);
	}
	if (o) {
		free(o->blocks);
		free(o->groups);
		free(o->maps);
	}
	free(o);
}

/* ---- blocks ---- */

/* Epochs go on from block to block: what others did in its place is behind all
   that it does. */
static void open_group(const struct order *o, uint32_t slot)
{
	struct group_order *group = &o->groups[slot / o->ranks];
	const size_t bytes = o->components * sizeof(*group->rest);
	uint32_t i, k, most = 0;

	for (i = 0; i < o->ranks; i++)
		for (k = 0; k < o->warps; k++) {
			const uint32_t epoch =
				o->blocks[slot + i]
					.clocks[k * o->components +
						KNOWN(i * o->warps + k)];

			most = epoch > most ? epoch : most;
		}
	group->base = most + 2;
	group->handed = 0;
	memset(group->rest, 0, bytes);
	memset(group->arrived, 0, bytes);
	memset(group->over, 0, bytes);
}

static void open_warp(
	const struct order *o, struct block_order *b, uint32_t i, uint32_t base)
{
	uint32_t *clock = b->clocks + (size_t)i * o->components, p;

	memset(clock, 0, o->components * sizeof(*clock));
	for (p = 0; p < o->peers; p++)
		clock[KNOWN(p)] = base - 1;
	clock[KNOWN(b->rank * o->warps + i)] = base;
	b->each[i] = (struct warp_order){.known = base - 1};
}

void order_open(struct grid *g, uint32_t slot)
{
	const struct order *o = g->order;
	struct block_order *b;
	uint32_t i;
	size_t n;

	if (!o)
		return;
	n = o->components;
	b = &o->blocks[slot];
	b->rank = slot % o->ranks;
	if (!b->rank)
		open_group(o, slot);
	memset(b->released, 0, o->warps * n * sizeof(*b->released));
	if (o->ranks > 1)
		memset(b->pending, 0, o->warps * n * sizeof(*b->pending));
	memset(b->meetings, 0, BARRIERS * n * sizeof(*b->meetings));
	memset(b->told, 0, 2 * b->barrier_count * n * sizeof(*b->told));
	memset(b->visits, 0, o->peers * sizeof(*b->visits));
	memset(b->given, 0, o->ranks * BARRIERS_SEEN * sizeof(*b->given));
	for (i = 0; i < o->granules; i++)
		b->granules[i] = (struct granule){.writer = NO_PEER,
			.reader = NO_PEER,
			.loader = NO_PEER,
			.barrier = NOBODY,
			.issuer = NOBODY};
	for (i = 0; i < o->warps; i++)
		open_warp(o, b, i, o->groups[slot / o->ranks].base);
	b->barrier_count = b->issuer_count = b->flying = 0;
}
