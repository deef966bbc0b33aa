#include <stdlib.h>

#include "backend_sim/flow/divided.h"
#include "backend_sim/flow/uses.h"

/* Which bits of a lane name its segment, in the last operand but one of shfl.
 */
#define SEGMENTS (31u << 8)

struct search {
	const struct flat *f;
	const struct graph *g;
	bool *varies;  /* [register]: it may differ from lane to lane; owned */
	bool *divided; /* [block] */
	uint32_t *stack; /* [block]; owned */
	bool changed;
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
		s->changed |= !s->varies[u.writes[k]];
		s->varies[u.writes[k]] = true;
	}
}

static void come_to(
	struct search *s, uint32_t block, uint32_t meets, uint32_t *depth)
{
	if (block == NO_BLOCK || block == meets || s->divided[block])
		return;
	s->divided[block] = s->changed = true;
	s->stack[(*depth)++] = block;
}

/* All between the branch at the block's end and where its paths meet. */
static void divide(struct search *s, uint32_t block)
{
	const struct graph_block *b = &s->g->blocks[block];
	uint32_t depth = 0;

	come_to(s, b->successor[0], b->meets, &depth);
	come_to(s, b->successor[1], b->meets, &depth);
	while (depth) {
		const struct graph_block *at = &s->g->blocks[s->stack[--depth]];

		come_to(s, at->successor[0], b->meets, &depth);
		come_to(s, at->successor[1], b->meets, &depth);
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

int divided_find(const struct flat *f, const struct graph *g, bool *divided,
	struct error *error)
{
	struct search s = {.f = f,
		.g = g,
		.varies = calloc(f->register_count + 1, sizeof(*s.varies)),
		.divided = divided,
		.stack = calloc(g->block_count + 1, sizeof(*s.stack)),
		.changed = true};
	const bool made = s.varies && s.stack;
	uint32_t i;

	for (i = 0; made && i < g->block_count; i++)
		divided[i] = false;
	while (made && s.changed) {
		s.changed = false;
		for (i = 0; i < f->count; i++)
			look_at(&s, i);
		for (i = 0; i < g->block_count; i++)
			if (branch_varies(&s, i))
				divide(&s, i);
	}
	free(s.varies);
	free(s.stack);
	return made ? 0 : error_set(error, ERR_FAILED, "out of memory");
}
