#include <stdlib.h>

#include "backend_sim/flow/divided.h"
#include "backend_sim/flow/spread.h"
#include "backend_sim/flow/uses.h"

/* Which bits of a lane name its segment, in the last operand but one of shfl.
 */
#define SEGMENTS (31u << 8)

struct search {
	const struct flat *f;
	const struct graph *g;
	struct spread spread;
	bool *varies;    /* [register]: it may differ from lane to lane; owned,
			    as the next */
	bool *divided;   /* [block]; not owned */
	uint32_t *stack; /* [block] */
	uint32_t *open;  /* [block]: itself, or one behind it that all its paths
			    reach and before which all of such are divided */
};

static bool is_of_lane(const struct ptx_operand *o)
{
	if (o->kind != PTX_SPECIAL)
		return false;
	switch (o->index) {
	case PTXS_tid_x:
	case PTXS_tid_y:
	case PTXS_tid_z:
	case PTXS_laneid:
	case PTXS_warpid:
	case PTXS_lanemask_eq:
	case PTXS_lanemask_le:
	case PTXS_lanemask_lt:
	case PTXS_lanemask_ge:
	case PTXS_lanemask_gt:
		return true;
	default:
		return false;
	}
}

/* Each lane has its own there, or may have: parameters of calls, and what a
   generic address can lead to. */
static bool is_own_memory(const struct flat *f, const struct flat_insn *flat)
{
	const struct ptx_operand *o = &flat->insn->operands[1];
	bool is_launch = false;

	switch (flat->insn->space) {
	case PTX_LOCAL:
		return true;
	case PTX_GENERIC:
		return f->local_bytes || f->frame_bytes;
	case PTX_PARAM:
		if (o->kind == PTX_PLACED || o->kind == PTX_VARIABLE)
			flat_place(f, flat->instance, o->index, &is_launch);
		return !is_launch && f->frame_bytes;
	default:
		return false;
	}
}

/* What the lanes get differs though what they give does not. */
static bool is_source(const struct flat *f, const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;
	uint32_t i;

	for (i = 0; i < insn->operand_count; i++)
		if (is_of_lane(&insn->operands[i]))
			return true;
	switch (insn->op) {
	case PTXO_LD:
		return is_own_memory(f, flat);
	case PTXO_ATOM:
	case PTXO_SHFL:
	case PTXO_MATCH:
	case PTXO_ELECT:
	case PTXO_MBARRIER_ARRIVE:
	case PTXO_MBARRIER_DROP:
		return true;
	default:
		return false;
	}
}

/* One lane's value for all, not for segments of the warp. */
static bool is_broadcast(const struct ptx_insn *insn)
{
	const struct ptx_operand *o = insn->operands;

	return insn->word[PTX_CLASS_SHUFFLE] == PTXW_SHUFFLE_idx &&
	       o[2].kind == PTX_NUMBER && o[3].kind == PTX_NUMBER &&
	       !(o[3].bits & SEGMENTS);
}

/* The members are the same for all lanes. */
static bool is_of_all(const struct search *s, const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *members =
		&insn->operands[insn->operand_count - 1];

	return !insn->word[PTX_CLASS_SYNC] || members->kind != PTX_REGISTER ||
	       !s->varies[flat_register(s->f, flat->instance, members->index)];
}

/* What the lanes get is the same though what they give is not. */
static bool is_shared(const struct search *s, const struct flat_insn *flat)
{
	switch (flat->insn->op) {
	case PTXO_VOTE:
	case PTXO_REDUX:
		return is_of_all(s, flat);
	case PTXO_BAR:
	case PTXO_BAR_ARRIVE:
	case PTXO_BAR_RED:
	case PTXO_BARRIER:
	case PTXO_BARRIER_ARRIVE:
	case PTXO_BARRIER_RED:
		return true;
	case PTXO_SHFL:
		return is_broadcast(flat->insn) && is_of_all(s, flat);
	default:
		return false;
	}
}

static void look_at(struct search *s, uint32_t i)
{
	const struct flat_insn *flat = &s->f->insns[i];
	const bool shared = is_shared(s, flat);
	bool varies = (!shared && is_source(s->f, flat)) ||
		      s->divided[s->g->block_of[i]];
	struct uses u;
	uint32_t k;

	uses_of(s->f, i, &u);
	for (k = 0; !shared && k < u.read_count; k++)
		varies |= s->varies[u.reads[k]];
	for (k = 0; varies && k < u.write_count; k++) {
		if (!s->varies[u.writes[k]])
			spread_register(&s->spread, u.writes[k]);
		s->varies[u.writes[k]] = true;
	}
}

/* ---- the blocks between a branch and where its paths meet ---- */

static uint32_t depth_of(const struct search *s, uint32_t block)
{
	return block == NO_BLOCK ? 0 : s->g->blocks[block].depth;
}

/* The first block that is not divided of the block and those that all its
   paths reach; NO_BLOCK. */
static uint32_t first_open(struct search *s, uint32_t block)
{
	uint32_t end = block, next;

	while (end != NO_BLOCK && s->divided[end])
		end = s->open[end];
	for (; block != end; block = next) {
		next = s->open[block];
		s->open[block] = end;
	}
	return end;
}

static void mark(struct search *s, uint32_t block, uint32_t *depth)
{
	uint32_t i;

	s->divided[block] = true;
	s->open[block] = s->g->blocks[block].meets;
	s->stack[(*depth)++] = block;
	for (i = s->g->blocks[block].first; i < s->g->blocks[block].end; i++)
		spread_insn(&s->spread, i);
}

/* From the block on, as far as all its paths go, to before where those of a
   branch meet. */
static void mark_way(
	struct search *s, uint32_t block, uint32_t meets, uint32_t *depth)
{
	for (block = first_open(s, block);
		depth_of(s, block) > depth_of(s, meets);
		block = first_open(s, block))
		mark(s, block, depth);
}

/* All between the branch at the block's end and where its paths meet: branches
   there have ways of their own. */
static void divide(struct search *s, uint32_t block)
{
	uint32_t depth = 0, k;

	for (;;) {
		const struct graph_block *b = &s->g->blocks[block];

		for (k = 0; k < 2; k++)
			if (b->successor[k] != NO_BLOCK)
				mark_way(s, b->successor[k], b->meets, &depth);
		if (!depth)
			return;
		block = s->stack[--depth];
	}
}

static bool branch_varies(const struct search *s, uint32_t block)
{
	const struct graph_block *b = &s->g->blocks[block];
	const struct flat_insn *last = &s->f->insns[b->end - 1];

	return b->successor[0] != NO_BLOCK && b->successor[1] != NO_BLOCK &&
	       !graph_exits(s->g, s->f, block) &&
	       s->varies[flat_register(
		       s->f, last->instance, last->insn->guard)];
}

static void find(struct search *s, bool *is_done)
{
	uint32_t i, block;

	while (spread_next(&s->spread, &i)) {
		block = s->g->block_of[i];
		look_at(s, i);
		if (i + 1 < s->g->blocks[block].end || is_done[block] ||
			!branch_varies(s, block))
			continue;
		is_done[block] = true;
		divide(s, block);
	}
}

int divided_find(const struct flat *f, const struct graph *g, bool *divided,
	struct error *error)
{
	const size_t blocks = (size_t)g->block_count + 1;
	bool *is_done = calloc(blocks, sizeof(*is_done));
	struct search s = {.f = f,
		.g = g,
		.varies = calloc(f->register_count + 1, sizeof(*s.varies)),
		.divided = divided,
		.stack = calloc(blocks, sizeof(*s.stack)),
		.open = calloc(blocks, sizeof(*s.open))};
	int code = spread_make(&s.spread, f, error);
	uint32_t i;

	for (i = 0; i < g->block_count; i++)
		divided[i] = false;
	if (!code && (!is_done || !s.varies || !s.stack || !s.open))
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		find(&s, is_done);
	spread_free(&s.spread);
	free(is_done);
	free(s.varies);
	free(s.stack);
	free(s.open);
	return code;
}
