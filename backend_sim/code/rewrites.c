#include <stdlib.h>

#include "backend_sim/flow/liveness.h"
#include "backend_sim/flow/loops.h"
#include "backend_sim/flow/uses.h"
#include "backend_sim/code/rewrites.h"

struct rewrites {
	struct flat *f;
	const struct graph *g;
	struct liveness live;
	bool *in_loop;  /* [block]; owned, as the others */
	bool *held;     /* [register]: a store of a loop reads it */
	uint32_t *head; /* [block]: 1 + where a round of its innermost loop
			   begins; 0: no branch goes back over it */
	uint32_t *some; /* [block]: instructions before it that write some */
	uint32_t *late; /* [block]: those of them that the next round waits for
			 */
};

/* A load's value is waited for before its address is written again. */
static bool holds(const struct ptx_insn *insn)
{
	return (ptx_ops[insn->op].memory && insn->op != PTXO_LD) ||
	       insn->op == PTXO_CP_ASYNC || insn->op == PTXO_STMATRIX;
}

/* Its guard, which is read when it is issued, comes first. */
static void find_held(struct rewrites *r, uint32_t i)
{
	struct uses u;
	uint32_t k;

	if (!holds(r->f->insns[i].insn))
		return;
	uses_of(r->f, i, &u);
	for (k = r->f->insns[i].insn->guarded; k < u.read_count; k++)
		r->held[u.reads[k]] = true;
}

/* Of branches back over a block the inner loop's comes first. */
static void find_heads(struct rewrites *r)
{
	const struct flat_insn *last;
	uint32_t block, first, b;

	for (block = 0; block < r->g->block_count; block++) {
		last = &r->f->insns[r->g->blocks[block].end - 1];
		if (last->insn->op != PTXO_BRA ||
			r->g->block_of[last->target] > block)
			continue;
		first = r->g->block_of[last->target];
		for (b = first; b <= block; b++)
			if (!r->head[b])
				r->head[b] = first + 1;
	}
}

enum writes { NOTHING_HELD, HELD, CARRIED };

/* A register that a round gets from the one before is carried: it is the same
   in all rounds. */
static enum writes writes_held(
	const struct rewrites *r, uint32_t block, uint32_t i)
{
	enum writes writes = NOTHING_HELD;
	struct uses u;
	uint32_t k;

	uses_of(r->f, i, &u);
	for (k = 0; k < u.write_count; k++) {
		if (!r->held[u.writes[k]])
			continue;
		if (!r->head[block] || liveness_has(&r->live, r->live.in,
					       r->head[block] - 1, u.writes[k]))
			return CARRIED;
		writes = HELD;
	}
	return writes;
}

static bool is_own_sum(const struct ptx_insn *insn)
{
	return (insn->op == PTXO_ADD || insn->op == PTXO_SUB) &&
	       ptx_types[insn->type].bytes == 8 &&
	       insn->operands[1].kind == PTX_REGISTER &&
	       insn->operands[1].index == insn->operands[0].index;
}

static void find_rewrites(struct rewrites *r, uint32_t block)
{
	const struct graph_block *b = &r->g->blocks[block];
	uint32_t i;

	r->some[block + 1] = r->some[block];
	r->late[block + 1] = r->late[block];
	for (i = b->first; i < b->end && r->in_loop[block]; i++) {
		struct flat_insn *flat = &r->f->insns[i];
		const enum writes writes =
			flat->spare ? NOTHING_HELD : writes_held(r, block, i);

		if (writes == NOTHING_HELD)
			continue;
		r->some[block + 1]++;
		if (writes == HELD || is_own_sum(flat->insn))
			r->late[block + 1]++;
		else
			flat->rewrites = true;
	}
}

/* The block ends a round if it goes back. */
static void find_round(struct rewrites *r, uint32_t block)
{
	struct flat_insn *last = &r->f->insns[r->g->blocks[block].end - 1];
	uint32_t first, i;

	if (!r->in_loop[block] || last->insn->op != PTXO_BRA)
		return;
	first = r->g->block_of[last->target];
	if (first > block)
		return;
	last->rewrites = r->some[block + 1] > r->some[first];
	for (i = r->g->blocks[first].first; r->f->insns[i].spare; i++)
		;
	r->f->insns[i].rewrites |= r->late[block + 1] > r->late[first];
}

int rewrites_find(struct flat *f, const struct graph *g, struct error *error)
{
	const size_t blocks = (size_t)g->block_count + 1;
	struct rewrites r = {.f = f,
		.g = g,
		.in_loop = calloc(blocks, sizeof(*r.in_loop)),
		.held = calloc((size_t)f->register_count + 1, sizeof(*r.held)),
		.head = calloc(blocks, sizeof(*r.head)),
		.some = calloc(blocks, sizeof(*r.some)),
		.late = calloc(blocks, sizeof(*r.late))};
	uint32_t i;
	int code = r.in_loop && r.held && r.head && r.some && r.late
			   ? loops_find(g, r.in_loop, error)
			   : error_set(error, ERR_FAILED, "out of memory");

	if (!code)
		code = liveness_make(&r.live, f, g, error);
	if (!code)
		find_heads(&r);
	for (i = 0; !code && i < f->count; i++)
		if (r.in_loop[g->block_of[i]])
			find_held(&r, i);
	for (i = 0; !code && i < g->block_count; i++)
		find_rewrites(&r, i);
	for (i = 0; !code && i < g->block_count; i++)
		find_round(&r, i);
	liveness_free(&r.live);
	free(r.in_loop);
	free(r.held);
	free(r.head);
	free(r.some);
	free(r.late);
	return code;
}
