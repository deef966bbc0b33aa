/* What the instructions of a kernel ask of global memory. */
#include <string.h>

#include "backend_sim/grid/copies.h"
#include "backend_sim/grid/grid.h"
#include "backend_sim/sm/qualifiers.h"

/* What the words of cp.async are for a load. */
static void qualify_copy(const struct ptx_insn *copy, uint8_t *q)
{
	static const uint8_t sizes[PTXW_COUNT] = {
		[PTXW_SIZE_L2_64B] = QV_SIZE_64B,
		[PTXW_SIZE_L2_128B] = QV_SIZE_128B,
		[PTXW_SIZE_L2_256B] = QV_SIZE_256B,
	};

	if (copy->word[PTX_CLASS_CACHE] == PTXW_CACHE_cg)
		q[Q_COP] = QV_COP_cg;
	if (copy->word[PTX_CLASS_HINT])
		q[Q_HINT] = QV_HINT_cache_hint;
	q[Q_SIZE] = sizes[copy->word[PTX_CLASS_SIZE]];
}

/* What a bulk copy asks of global memory. */
static uint8_t bulk_access(const struct ptx_insn *insn)
{
	if (insn->op == PTXO_CP_BULK_REDUCE ||
		insn->op == PTXO_CP_TENSOR_REDUCE)
		return OP_RED;
	if (insn->op == PTXO_CP_BULK_PREFETCH ||
		insn->op == PTXO_CP_TENSOR_PREFETCH)
		return OP_PREFETCH;
	return insn->word[PTX_CLASS_SPACE] == PTXW_SPACE_global ? OP_ST : OP_LD;
}

static bool is_bulk(const struct code_insn *c)
{
	return c->kind == CODE_BULK || c->kind == CODE_TENSOR;
}

/* What a tensor load asks with each promotion of its map: what a load of that
   size does, as measured on an H200. */
static void ask_promoted(struct grid *g, const struct execution *x, uint32_t i)
{
	static const uint8_t sizes[TENSOR_PROMOTION_COUNT] = {
		0, QV_SIZE_64B, QV_SIZE_128B, QV_SIZE_256B};
	struct asks *asks = grid_promoted(g, &g->code.insns[i], 0);
	struct insn access = g->accesses[i];
	uint32_t k;

	for (k = 0; k < TENSOR_PROMOTION_COUNT; k++) {
		if (access.op == OP_LD)
			access.q[Q_SIZE] = sizes[k];
		qualifiers_ask(x, &access, &asks[k]);
		asks[k].sender = i;
	}
}

/* Of copies that reduce it is not known what they take. */
static bool adds_floats(const struct code_insn *c, const struct asks *asks)
{
	const char kind[] = {ptx_types[c->insn->type].kind, 0};

	return asks->atomic && !is_bulk(c) &&
	       c->insn->qualifiers[Q_ATOMIC] == QV_ATOMIC_add &&
	       strpbrk("fhHtT", kind);
}

void grid_ask(struct grid *g, const struct execution *x)
{
	uint32_t i;

	for (i = 0; i < g->code.count; i++) {
		const struct code_insn *c = &g->code.insns[i];
		struct insn *access = &g->accesses[i];

		if ((!is_bulk(c) && !memory_is_global(c)) ||
			c->insn->op == PTXO_ST_ASYNC ||
			c->insn->op == PTXO_RED_ASYNC)
			continue;
		access->op = is_bulk(c)             ? bulk_access(c->insn)
			     : c->kind == CODE_COPY ? OP_LD
			     : c->insn->op == PTXO_WMMA_STORE ? OP_ST
			     : c->kind == CODE_FRAGMENT       ? OP_LD
							      : c->insn->access;
		access->address.mode = ADDRESS_AFFINE;
		memcpy(access->q, c->insn->qualifiers, sizeof(access->q));
		if (c->kind == CODE_COPY || is_bulk(c))
			qualify_copy(c->insn, access->q);
		qualifiers_ask(x, access, &g->asks[i]);
		g->asks[i].sender = i;
		g->asks[i].adds_floats = adds_floats(c, &g->asks[i]);
		if (c->kind == CODE_TENSOR)
			ask_promoted(g, x, i);
	}
}
