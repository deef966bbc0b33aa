/* Clocks of warps: what they know, hand on and take. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/order/parts.h"

/* ---- life cycle ---- */

static bool is_asynchronous(const struct code *code, bool strict)
{
	uint32_t i;

	for (i = 0; i < code->count; i++)
		if (code->insns[i].kind == CODE_BULK ||
			code->insns[i].kind == CODE_TENSOR ||
			code->insns[i].kind == CODE_MBARRIER ||
			(strict && code->insns[i].kind == CODE_COPY) ||
			(code->insns[i].insn &&
				code->insns[i].insn->op == PTXO_WGMMA))
			return true;
	return false;
}

static int make_block(const struct order *o, struct block_order *b)
{
	const size_t n = o->components;

	b->clocks = calloc(o->warps * n, sizeof(*b->clocks));
	b->meetings = calloc(BARRIERS * n, sizeof(*b->meetings));
	b->told = calloc(2 * BARRIERS_SEEN * n, sizeof(*b->told));
	b->rest = calloc(n, sizeof(*b->rest));
	b->granules = calloc(o->granules + 1, sizeof(*b->granules));
	return b->clocks && b->meetings && b->told && b->rest && b->granules
		       ? 0
		       : -1;
}

int order_make(struct grid *g, bool strict)
{
	struct order *o;
	uint32_t i;

	if (!is_asynchronous(&g->code, strict))
		return 0;
	o = g->order = calloc(1, sizeof(*o));
	if (!o)
		return -1;
	o->strict = strict;
	o->warps = g->block_warps;
	o->components = 3 * o->warps + BARRIERS_SEEN + ISSUERS_SEEN;
	o->granules = (uint32_t)((g->shared_bytes + GRANULE - 1) / GRANULE);
	o->blocks = calloc(g->end_slot + 1, sizeof(*o->blocks));
	o->slots = o->blocks ? g->end_slot : 0;
	for (i = g->first_slot; i < o->slots; i++)
		if (make_block(o, &o->blocks[i]))
			return -1;
	return o->blocks ? 0 : -1;
}

void order_free(struct order *o)
{
	uint32_t i;

	for (i = 0; o && i < o->slots; i++) {
		free(o->blocks[i].clocks);
		free(o->blocks[i].meetings);
		free(o->blocks[i].told);
		free(o->blocks[i].rest);
		free(o->blocks[i].granules);
	}
	if (o)
		free(o->blocks);
	free(o);
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
	memset(b->clocks, 0, o->warps * n * sizeof(*b->clocks));
	memset(b->meetings, 0, BARRIERS * n * sizeof(*b->meetings));
	memset(b->told, 0, 2 * b->barrier_count * n * sizeof(*b->told));
	memset(b->rest, 0, n * sizeof(*b->rest));
	for (i = 0; i < o->granules; i++)
		b->granules[i] = (struct granule){.writer = NOBODY,
			.reader = NOBODY,
			.loader = NOBODY,
			.barrier = NOBODY,
			.issuer = NOBODY};
	for (i = 0; i < o->warps; i++)
		b->clocks[i * n + KNOWN(i)] = 1;
	b->barrier_count = b->issuer_count = b->flying = 0;
}

/* ---- clocks ---- */

static void join(const struct order *o, uint32_t *to, const uint32_t *from)
{
	uint32_t i;

	for (i = 0; i < o->components; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* What it does from now on is not in what it has handed on. */
static void tick(const struct execution *x, uint32_t warp)
{
	clock_of(x, warp)[KNOWN(x->warps[warp].index)]++;
}

void order_sync(struct execution *x, uint32_t warp)
{
	const struct order *o = x->grid->order;
	uint32_t *rest;

	if (!o)
		return;
	rest = block_of(x, warp)->rest;
	join(o, rest, clock_of(x, warp));
	join(o, clock_of(x, warp), rest);
	tick(x, warp);
}

void order_arrive(struct execution *x, uint32_t warp, unsigned n)
{
	const struct order *o = x->grid->order;

	if (!o)
		return;
	join(o, block_of(x, warp)->meetings + (size_t)n * o->components,
		clock_of(x, warp));
	tick(x, warp);
}

void order_pass(struct execution *x, uint32_t warp, unsigned n)
{
	const struct order *o = x->grid->order;

	if (o)
		join(o, clock_of(x, warp),
			block_of(x, warp)->meetings +
				(size_t)n * o->components);
}

void order_fence(struct execution *x, uint32_t warp)
{
	const struct order *o = x->grid->order;
	uint32_t *clock, i;

	if (!o)
		return;
	clock = clock_of(x, warp);
	for (i = 0; i < o->warps; i++)
		clock[FENCED(o, i)] = clock[KNOWN(i)];
	tick(x, warp);
}

/* ---- asynchronous barriers ---- */

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
	s->init_warp = (uint8_t)x->warps[warp].index;
	s->init_epoch = clock_of(x, warp)[KNOWN(s->init_warp)];
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

/* Barriers beyond those that are seen may be any. */
bool order_uses(const struct access_of *a, unsigned lane)
{
	const struct order *o = a->g->order;
	struct block_order *b;
	const struct barrier_seen *s;
	const struct warp *w = &a->x->warps[a->warp];
	const char *why;

	if (!o)
		return true;
	b = block_of(a->x, a->warp);
	s = find_barrier(b, (uint32_t)a->address[lane]);
	if (!s && b->barrier_count == BARRIERS_SEEN)
		return true;
	if (s && s->valid &&
		(s->init_warp == w->index ||
			clock_of(a->x, a->warp)[KNOWN(s->init_warp)] >=
				s->init_epoch))
		return true;
	why = !s          ? "is used before mbarrier.init"
	      : !s->valid ? "is used behind mbarrier.inval"
			  : "is used, and nothing that this thread has waited "
			    "for comes between its mbarrier.init and this";
	grid_fail(a->x, a->warp, a->pc,
		"block %" PRIu64 ", thread %u: the barrier at offset %" PRIu64
		" of shared memory %s",
		a->g->blocks[w->block_index].number, w->index * LANES + lane,
		a->address[lane], why);
	return false;
}

/* What arrivals of the phase have handed on; of the phases that are over. */
static uint32_t *told(const struct order *o, struct block_order *b,
	const struct barrier_seen *s, bool over)
{
	return b->told + (size_t)(2 * (s - b->barriers) + over) * o->components;
}

void order_arrive_at(struct execution *x, uint32_t warp, uint32_t offset)
{
	const struct order *o = x->grid->order;
	struct block_order *b;
	struct barrier_seen *s;

	if (!o)
		return;
	b = block_of(x, warp);
	s = find_barrier(b, offset);
	if (!s)
		return;
	join(o, told(o, b, s, false), clock_of(x, warp));
	tick(x, warp);
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
	join(o, told(o, b, s, true), told(o, b, s, false));
	told(o, b, s, true)[PHASES(o, (uint32_t)(s - b->barriers))] = s->phases;
}

void order_waited(struct execution *x, uint32_t warp, uint32_t offset)
{
	const struct order *o = x->grid->order;
	struct block_order *b;
	struct barrier_seen *s;

	if (!o)
		return;
	b = block_of(x, warp);
	s = find_barrier(b, offset);
	if (s)
		join(o, clock_of(x, warp), told(o, b, s, true));
}

/* ---- cp.async ---- */

void order_loaded(struct execution *x, uint32_t warp, uint32_t groups)
{
	const struct order *o = x->grid->order;
	uint32_t *loaded;

	if (!o)
		return;
	loaded = &clock_of(x, warp)[LOADED(o, x->warps[warp].index)];
	*loaded = groups > *loaded ? groups : *loaded;
}

void order_loads_at(struct execution *x, uint32_t warp, uint32_t offset)
{
	const struct order *o = x->grid->order;
	const uint32_t groups = x->grid->warps[warp].group + 1;
	struct block_order *b;
	struct barrier_seen *s;
	uint32_t *loaded;

	if (!o)
		return;
	b = block_of(x, warp);
	s = find_barrier(b, offset);
	if (!s)
		return;
	loaded = &told(o, b, s, false)[LOADED(o, x->warps[warp].index)];
	*loaded = groups > *loaded ? groups : *loaded;
}

/* ---- bulk groups ---- */

void order_groups(
	struct execution *x, uint32_t warp, unsigned lane, uint32_t group)
{
	const struct order *o = x->grid->order;
	struct block_order *b;
	uint32_t *clock, i;

	if (!o)
		return;
	b = block_of(x, warp);
	clock = clock_of(x, warp);
	for (i = 0; i < b->issuer_count; i++)
		if (b->issuers[i].warp == warp && b->issuers[i].lane == lane &&
			clock[GROUPS_OF(o, i)] < group)
			clock[GROUPS_OF(o, i)] = group;
}

/* ---- the end of a block ---- */

void order_close(struct execution *x, uint32_t warp)
{
	const struct order *o = x->grid->order;
	const uint32_t block = x->warps[warp].block_index;
	struct block_order *b;
	uint32_t i;

	if (!o)
		return;
	b = &o->blocks[block];
	for (i = 0; i < b->issuer_count; i++) {
		const struct issuer_seen *s = &b->issuers[i];

		if (s->any && clock_of(x, s->warp)[GROUPS_OF(o, i)] <= s->last)
			grid_fail(x, s->warp, s->pc,
				"block %" PRIu64 ", thread %u: the block ends "
				"before this copy is known to have read its "
				"shared memory: no cp.async.bulk.wait_group, "
				"behind its commit_group, comes after it",
				x->grid->blocks[block].number,
				x->warps[s->warp].index * LANES + s->lane);
	}
	if (b->flying)
		grid_fail(x, warp, b->flying_pc,
			"block %" PRIu64 " ends while this copy still fills "
			"its shared memory",
			x->grid->blocks[block].number);
}
