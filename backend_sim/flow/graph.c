#include <stdlib.h>

#include "backend_sim/flow/graph.h"

static bool is_branch(const struct flat_insn *i)
{
	return i->insn->op == PTXO_BRA || i->is_return;
}

/* A trap is none: if nobody comes there, paths meet behind it. */
static bool is_exit(const struct flat_insn *i)
{
	return !i->is_return &&
	       (i->insn->op == PTXO_RET || i->insn->op == PTXO_EXIT);
}

bool graph_is_end(const struct flat_insn *i)
{
	return is_branch(i) || is_exit(i);
}

static bool is_way_out(
	const struct graph *g, const struct flat *f, uint32_t block)
{
	const struct graph_block *b = &g->blocks[block];

	return b->end == b->first + 1 && is_exit(&f->insns[b->first]) &&
	       !f->insns[b->first].insn->guarded;
}

bool graph_exits(const struct graph *g, const struct flat *f, uint32_t block)
{
	const struct flat_insn *last = &f->insns[g->blocks[block].end - 1];

	if (!last->insn->guarded)
		return false;
	return is_exit(last) ||
	       (last->insn->op == PTXO_BRA && !last->is_return &&
		       last->target < f->count &&
		       is_way_out(g, f, g->block_of[last->target]));
}

/* ---- blocks ---- */

static void mark_leaders(const struct flat *f, uint32_t *leads)
{
	uint32_t i;

	leads[0] = 1;
	for (i = 0; i < f->count; i++) {
		if (is_branch(&f->insns[i]))
			leads[f->insns[i].target] = 1;
		if (graph_is_end(&f->insns[i]))
			leads[i + 1] = 1;
	}
}

static void cut(struct graph *g, const struct flat *f)
{
	uint32_t i;

	g->block_count = 0;
	for (i = 0; i < f->count; i++) {
		if (g->block_of[i]) {
			g->blocks[g->block_count++] =
				(struct graph_block){.first = i};
		}
		g->block_of[i] = g->block_count - 1;
		g->blocks[g->block_count - 1].end = i + 1;
	}
	g->block_of[f->count] = NO_BLOCK;
}

static void connect(struct graph *g, const struct flat *f)
{
	uint32_t b;

	for (b = 0; b < g->block_count; b++) {
		struct graph_block *block = &g->blocks[b];
		const struct flat_insn *last = &f->insns[block->end - 1];
		bool falls = !graph_is_end(last) || last->insn->guarded;
		uint32_t next = b + 1 < g->block_count ? b + 1 : NO_BLOCK;

		block->successor[0] = falls ? next : NO_BLOCK;
		block->successor[1] =
			is_branch(last) ? g->block_of[last->target] : NO_BLOCK;
		block->meets = block->depth = NO_BLOCK;
	}
}

/* ---- where paths meet ---- */

/* Against the arrows from the exit, which is block `exit`. Blocks have numbers
   in the order in which the walk comes to them, from 1, the exit's. */
struct walk {
	uint32_t exit, count;
	uint32_t *from;   /* [block]: the first of its predecessors in `list` */
	uint32_t *list;   /* blocks */
	uint32_t *number; /* [block]; 0: the walk does not come there */
	uint32_t *next;   /* [block]: of its predecessors that were looked at */
	uint32_t *stack;
	uint32_t *block;  /* [number], as the next */
	uint32_t *parent; /* from where the walk came */
	uint32_t *half;   /* the semi-dominator */
	uint32_t *meets;  /* the dominator */
	uint32_t *above;  /* in the forest of those that are linked; 0: none */
	uint32_t *best;   /* the least half on the way up there */
	uint32_t *first, *after; /* list of those that have this half */
};

/* Where block `b` goes: one or two blocks, or the exit. */
static uint32_t arrows(const struct graph *g, uint32_t b, uint32_t to[2])
{
	const struct graph_block *block = &g->blocks[b];
	uint32_t count = 0, s;

	for (s = 0; s < 2; s++)
		if (block->successor[s] != NO_BLOCK)
			to[count++] = block->successor[s];
	if (!count)
		to[count++] = g->block_count;
	return count;
}

static void find_predecessors(const struct graph *g, struct walk *w)
{
	uint32_t to[2], b, i, count;

	for (b = 0; b < g->block_count; b++)
		for (count = arrows(g, b, to), i = 0; i < count; i++)
			w->from[to[i] + 2]++;
	for (b = 2; b <= w->exit + 2; b++)
		w->from[b] += w->from[b - 1];
	for (b = 0; b < g->block_count; b++)
		for (count = arrows(g, b, to), i = 0; i < count; i++)
			w->list[w->from[to[i] + 1]++] = b;
}

static void come_to(struct walk *w, uint32_t block, uint32_t parent)
{
	const uint32_t n = ++w->count;

	w->number[block] = w->half[n] = w->best[n] = n;
	w->block[n] = block;
	w->parent[n] = parent;
}

static void go(struct walk *w)
{
	uint32_t depth = 0, b;

	come_to(w, w->exit, 0);
	w->stack[depth++] = w->exit;
	while (depth) {
		b = w->stack[depth - 1];
		if (w->from[b] + w->next[b] < w->from[b + 1]) {
			uint32_t p = w->list[w->from[b] + w->next[b]++];

			if (w->number[p])
				continue;
			come_to(w, p, w->number[b]);
			w->stack[depth++] = p;
			continue;
		}
		depth--;
	}
}

/* Of those from `n` up in its tree, but for the root, the one with the least
   half. What it goes up by is shorter then. */
static uint32_t best_above(struct walk *w, uint32_t n)
{
	uint32_t depth = 0, at;

	if (!w->above[n])
		return n;
	for (at = n; w->above[w->above[at]]; at = w->above[at])
		w->stack[depth++] = at;
	while (depth) {
		const uint32_t up = w->above[at = w->stack[--depth]];

		if (w->half[w->best[up]] < w->half[w->best[at]])
			w->best[at] = w->best[up];
		w->above[at] = w->above[up];
	}
	return w->best[n];
}

static void find_half(const struct graph *g, struct walk *w, uint32_t n)
{
	uint32_t to[2], count = arrows(g, w->block[n], to), s;

	for (s = 0; s < count; s++) {
		const uint32_t other = w->number[to[s]];
		uint32_t half;

		if (!other)
			continue;
		half = w->half[best_above(w, other)];
		w->half[n] = half < w->half[n] ? half : w->half[n];
	}
	w->after[n] = w->first[w->half[n]];
	w->first[w->half[n]] = n;
}

static void settle(const struct graph *g, struct walk *w)
{
	uint32_t n, at;

	for (n = w->count; n > 1; n--) {
		const uint32_t parent = w->parent[n];

		find_half(g, w, n);
		w->above[n] = parent;
		for (at = w->first[parent]; at; at = w->after[at]) {
			const uint32_t best = best_above(w, at);

			w->meets[at] =
				w->half[best] < w->half[at] ? best : parent;
		}
		w->first[parent] = 0;
	}
	for (n = 2; n <= w->count; n++)
		if (w->meets[n] != w->half[n])
			w->meets[n] = w->meets[w->meets[n]];
}

static int walk_init(struct walk *w, uint32_t blocks)
{
	const size_t n = (size_t)blocks + 4;
	uint32_t *all = calloc(14 * n, sizeof(*all));

	if (!all)
		return -1;
	*w = (struct walk){
		.exit = blocks,
		.from = all,
		.list = all + n, /* two for each block */
		.number = all + 3 * n,
		.next = all + 4 * n,
		.stack = all + 5 * n,
		.block = all + 6 * n,
		.parent = all + 7 * n,
		.half = all + 8 * n,
		.meets = all + 9 * n,
		.above = all + 10 * n,
		.best = all + 11 * n,
		.first = all + 12 * n,
		.after = all + 13 * n,
	};
	return 0;
}

/* A block has a lower number than those that it is the dominator of. */
static void tell(struct graph *g, const struct walk *w)
{
	uint32_t n;

	for (n = 2; n <= w->count; n++) {
		struct graph_block *b = &g->blocks[w->block[n]];
		const uint32_t meets = w->block[w->meets[n]];

		b->meets = meets == w->exit ? NO_BLOCK : meets;
		b->depth = meets == w->exit ? 1 : g->blocks[meets].depth + 1;
	}
}

int graph_make(struct graph *g, const struct flat *f, struct error *error)
{
	struct walk w = {0};

	*g = (struct graph){0};
	g->block_of = calloc((size_t)f->count + 1, sizeof(*g->block_of));
	g->blocks = calloc((size_t)f->count + 1, sizeof(*g->blocks));
	if (!g->block_of || !g->blocks)
		return error_set(error, ERR_FAILED, "out of memory");
	mark_leaders(f, g->block_of);
	cut(g, f);
	connect(g, f);
	if (walk_init(&w, g->block_count))
		return error_set(error, ERR_FAILED, "out of memory");
	find_predecessors(g, &w);
	go(&w);
	settle(g, &w);
	tell(g, &w);
	free(w.from);
	return 0;
}

void graph_free(struct graph *g)
{
	free(g->blocks);
	free(g->block_of);
}
