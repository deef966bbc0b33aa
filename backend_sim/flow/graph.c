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
		block->meets = NO_BLOCK;
	}
}

/* ---- where paths meet ---- */

/* Against the arrows from the exit, which is block `exit`. */
struct walk {
	uint32_t exit, count;
	uint32_t *from; /* [block]: the first of its predecessors in `list` */
	uint32_t *list;
	uint32_t *order; /* blocks as the walk leaves them, the exit last */
	uint32_t *rank;  /* [block]: its place in `order`; NO_BLOCK: the walk
			    does not come there */
	uint32_t *meets;
	uint32_t *stack, *next;
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

static void go(struct walk *w)
{
	uint32_t depth = 0, b;

	for (b = 0; b <= w->exit; b++)
		w->rank[b] = w->meets[b] = NO_BLOCK;
	w->stack[depth++] = w->exit;
	w->rank[w->exit] = 0;
	while (depth) {
		b = w->stack[depth - 1];
		if (w->from[b] + w->next[b] < w->from[b + 1]) {
			uint32_t p = w->list[w->from[b] + w->next[b]++];

			if (w->rank[p] != NO_BLOCK)
				continue;
			w->rank[p] = 0;
			w->stack[depth++] = p;
			continue;
		}
		w->rank[b] = w->count;
		w->order[w->count++] = b;
		depth--;
	}
}

static uint32_t intersect(const struct walk *w, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (w->rank[a] < w->rank[b])
			a = w->meets[a];
		while (w->rank[b] < w->rank[a])
			b = w->meets[b];
	}
	return a;
}

static void settle(const struct graph *g, struct walk *w)
{
	bool changed = true;
	uint32_t to[2], i, s, count;

	w->meets[w->exit] = w->exit;
	while (changed) {
		changed = false;
		for (i = w->count - 1; i-- > 0;) {
			uint32_t b = w->order[i], meets = NO_BLOCK;

			count = arrows(g, b, to);
			for (s = 0; s < count; s++)
				if (w->meets[to[s]] != NO_BLOCK)
					meets = meets == NO_BLOCK
							? to[s]
							: intersect(w, meets,
								  to[s]);
			changed = changed || meets != w->meets[b];
			w->meets[b] = meets;
		}
	}
}

static int walk_init(struct walk *w, uint32_t blocks)
{
	uint32_t *all = calloc(9 * ((size_t)blocks + 4), sizeof(*all));
	uint32_t n = blocks + 4;

	if (!all)
		return -1;
	*w = (struct walk){
		.exit = blocks,
		.from = all,
		.list = all + n, /* two for each block */
		.order = all + 3 * n,
		.rank = all + 4 * n,
		.meets = all + 5 * n,
		.stack = all + 6 * n,
		.next = all + 7 * n,
	};
	return 0;
}

/* Of sets of registers, one a block (liveness.h). */
#define SETS_BITS_MAX (UINT64_C(1) << 30)

int graph_make(struct graph *g, const struct flat *f, struct error *error)
{
	struct walk w = {0};
	uint32_t b;

	*g = (struct graph){0};
	g->block_of = calloc(f->count + 1, sizeof(*g->block_of));
	g->blocks = calloc(f->count + 1, sizeof(*g->blocks));
	if (!g->block_of || !g->blocks)
		return error_set(error, ERR_FAILED, "out of memory");
	mark_leaders(f, g->block_of);
	cut(g, f);
	connect(g, f);
	if ((uint64_t)g->block_count * f->register_count > SETS_BITS_MAX)
		return error_set(error, ERR_USAGE,
			"%s: expected at most 2^30 registers times blocks of "
			"instructions, not %u times %u",
			f->file, f->register_count, g->block_count);
	if (walk_init(&w, g->block_count))
		return error_set(error, ERR_FAILED, "out of memory");
	find_predecessors(g, &w);
	go(&w);
	settle(g, &w);
	for (b = 0; b < g->block_count; b++)
		g->blocks[b].meets =
			w.meets[b] == g->block_count ? NO_BLOCK : w.meets[b];
	free(w.from);
	return 0;
}

void graph_free(struct graph *g)
{
	free(g->blocks);
	free(g->block_of);
}
