/* Clocks of warps: what they know, hand on and take. */
#include <string.h>

#include "backend_sim/grid/paths.h"
#include "backend_sim/order/parts.h"

static void join_range(uint32_t *to, const uint32_t *from, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

void order_join(const struct order *o, const struct block_order *b,
	uint32_t *to, const uint32_t *from, bool of_block)
{
	const uint32_t first = b->rank * o->warps;
	uint32_t kind, at;

	if (!of_block || o->ranks == 1) {
		join_range(to, from, o->components);
		return;
	}
	if (!o->has_copies) {
		join_range(to + first, from + first, o->warps);
		return;
	}
	for (kind = 0; kind < 4; kind++) {
		at = kind * o->peers + first;
		join_range(to + at, from + at, o->warps);
	}
	at = PHASES_OF(o, b);
	join_range(to + at, from + at, BARRIERS_SEEN);
	at = FENCED_PHASES(o, b);
	join_range(to + at, from + at, BARRIERS_SEEN);
	at = GROUPS_OF(o, b);
	join_range(to + at, from + at, ISSUERS_SEEN);
}

/* What it does from now on is not in what it has handed on. */
static void tick(const struct execution *x, uint32_t warp)
{
	clock_of(x, warp)[KNOWN(peer_of(x, warp))]++;
}

static void give(const struct execution *x, uint32_t warp, uint32_t *to)
{
	order_join(x->grid->order, block_of(x, warp), to, clock_of(x, warp),
		false);
	tick(x, warp);
}

/* Lanes know what others of their warp did up to an epoch. */
static void learn(const struct execution *x, uint32_t warp, uint32_t lanes,
	uint32_t epoch)
{
	struct warp_order *w = &block_of(x, warp)->each[x->warps[warp].index];

	if (epoch <= w->known)
		return;
	if (lanes == UINT32_MAX ||
		!(paths_alive(&x->grid->warps[warp]) & ~lanes)) {
		w->known = epoch;
		return;
	}
	for (; lanes; lanes &= lanes - 1) {
		uint32_t *known = &w->lanes[__builtin_ctz(lanes)];

		*known = epoch > *known ? epoch : *known;
	}
}

static uint32_t *row_of(
	const struct execution *x, uint32_t warp, uint32_t *rows)
{
	return rows + (size_t)x->warps[warp].index * x->grid->order->components;
}

void order_take(const struct execution *x, uint32_t warp, uint32_t lanes,
	const uint32_t *from, bool of_block)
{
	const struct order *o = x->grid->order;

	order_join(o, block_of(x, warp), clock_of(x, warp), from, of_block);
	learn(x, warp, lanes, from[KNOWN(peer_of(x, warp))]);
	if (of_block && o->ranks > 1)
		order_join(o, block_of(x, warp),
			row_of(x, warp, block_of(x, warp)->pending), from,
			false);
}

/* ---- lanes ---- */

void order_meet(struct execution *x, uint32_t warp, uint32_t lanes)
{
	if (!x->grid->order)
		return;
	learn(x, warp, lanes, clock_of(x, warp)[KNOWN(peer_of(x, warp))]);
	tick(x, warp);
}

/* ---- barriers ---- */

void order_arrive(struct execution *x, uint32_t warp, unsigned n)
{
	const struct order *o = x->grid->order;

	if (o)
		give(x, warp,
			block_of(x, warp)->meetings +
				(size_t)n * o->components);
}

void order_pass(struct execution *x, uint32_t warp, unsigned n)
{
	const struct order *o = x->grid->order;

	if (o)
		order_take(x, warp, UINT32_MAX,
			block_of(x, warp)->meetings + (size_t)n * o->components,
			false);
}

void order_cluster_arrive(struct execution *x, uint32_t warp)
{
	if (x->grid->order)
		give(x, warp, group_of(x, warp)->arrived);
}

void order_cluster_pass(struct execution *x, uint32_t warp, uint32_t lanes)
{
	if (x->grid->order)
		order_take(x, warp, lanes, group_of(x, warp)->over, false);
}

/* A cluster whose blocks do not know of each other is several groups. */
void order_cluster_over(struct grid *g, uint32_t slot)
{
	const struct order *o = g->order;
	const uint32_t first = cluster_first(g, slot);
	uint32_t i;

	for (i = 0; o && i < g->cluster_blocks; i += o->ranks) {
		struct group_order *group = &o->groups[(first + i) / o->ranks];

		memcpy(group->over, group->arrived,
			o->components * sizeof(*group->over));
	}
}

/* ---- strong accesses and fences ---- */

/* What the access lets go: all, or what was there at the last fence. */
static void hand_on(
	const struct execution *x, uint32_t warp, const struct code_insn *c)
{
	const uint8_t sem = c->insn->qualifiers[Q_SEM];
	struct block_order *b = block_of(x, warp);
	struct warp_order *w = &b->each[x->warps[warp].index];
	struct group_order *group = group_of(x, warp);

	if (sem == QV_SEM_release || sem == QV_SEM_acq_rel)
		give(x, warp, group->rest);
	else if (c->insn->op != PTXO_LD && w->has_fence)
		order_join(x->grid->order, b, group->rest,
			row_of(x, warp, b->released), false);
	else
		return;
	w->has_fence = false;
	group->handed++;
}

/* What others have let go, unless it has that already. */
static void take_rest(
	const struct execution *x, uint32_t warp, const struct code_insn *c)
{
	const uint8_t *q = c->insn->qualifiers;
	const bool of_block =
		(q[Q_SEM] != QV_SEM_acquire && q[Q_SEM] != QV_SEM_acq_rel) ||
		q[Q_SCOPE] == QV_SCOPE_cta;
	struct warp_order *w = &block_of(x, warp)->each[x->warps[warp].index];
	const struct group_order *group = group_of(x, warp);
	uint32_t *taken = of_block ? &w->taken_own : &w->taken;

	if (*taken == group->handed)
		return;
	*taken = group->handed;
	order_take(x, warp, UINT32_MAX, group->rest, of_block);
}

void order_strong(struct execution *x, uint32_t warp, const struct code_insn *c)
{
	if (!x->grid->order)
		return;
	hand_on(x, warp, c);
	if (c->insn->op == PTXO_LD || c->insn->op == PTXO_ATOM)
		take_rest(x, warp, c);
}

static void note_inits(const struct order *o, uint32_t *clock)
{
	if (o->has_copies)
		memcpy(&clock[INITED(o, 0)], &clock[KNOWN(0)],
			o->peers * sizeof(*clock));
}

void order_fence(struct execution *x, uint32_t warp, bool of_block)
{
	const struct order *o = x->grid->order;
	struct block_order *b;
	uint32_t *clock;

	if (!o)
		return;
	b = block_of(x, warp);
	clock = clock_of(x, warp);
	if (o->ranks > 1)
		order_take(x, warp, UINT32_MAX, row_of(x, warp, b->pending),
			of_block);
	if (!of_block)
		note_inits(o, clock);
	order_join(o, b, row_of(x, warp, b->released), clock, false);
	b->each[x->warps[warp].index].has_fence = true;
	tick(x, warp);
}

void order_initialised(struct execution *x, uint32_t warp)
{
	if (!x->grid->order)
		return;
	note_inits(x->grid->order, clock_of(x, warp));
	tick(x, warp);
}

void order_proxy(struct execution *x, uint32_t warp)
{
	const struct order *o = x->grid->order;
	const struct block_order *first;
	uint32_t *clock;

	if (!o || !o->has_copies)
		return;
	first = block_of(x, warp) - block_of(x, warp)->rank;
	clock = clock_of(x, warp);
	memcpy(&clock[FENCED(o, 0)], &clock[KNOWN(0)],
		o->peers * sizeof(*clock));
	memcpy(&clock[FENCED_PHASES(o, first)], &clock[PHASES_OF(o, first)],
		o->ranks * BARRIERS_SEEN * sizeof(*clock));
	order_initialised(x, warp);
}

/* ---- cp.async ---- */

void order_loaded(struct execution *x, uint32_t warp, uint32_t groups)
{
	const struct order *o = x->grid->order;
	uint32_t *loaded;

	if (!o || !o->has_copies)
		return;
	loaded = &clock_of(x, warp)[LOADED(o, peer_of(x, warp))];
	*loaded = groups > *loaded ? groups : *loaded;
}

/* ---- bulk groups ---- */

void order_groups(
	struct execution *x, uint32_t warp, unsigned lane, uint32_t group)
{
	const struct order *o = x->grid->order;
	struct block_order *b;
	uint32_t *groups, i;

	if (!o)
		return;
	b = block_of(x, warp);
	groups = clock_of(x, warp) + GROUPS_OF(o, b);
	for (i = 0; i < b->issuer_count; i++)
		if (b->issuers[i].warp == warp && b->issuers[i].lane == lane &&
			groups[i] < group)
			groups[i] = group;
}
