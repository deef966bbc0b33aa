/*
 * Values before their instructions are issued. When an instruction is issued
 * decides what it costs, not what it makes: of instructions that follow each
 * other, without a guard and without memory that others write, the first one
 * that is issued has all values computed at once. So a warp's registers come
 * into the host's caches once for all of them.
 */
#include "backend_sim/grid/access.h"

/* ---- which ---- */

/* A load of a parameter that is there. */
static bool is_parameter(const struct grid *g, const struct code_insn *c)
{
	uint32_t bytes = (uint32_t)c->bytes * c->count;
	uint64_t window = c->offset & WINDOW_BITS;

	return c->kind == CODE_MEMORY && c->insn->op == PTXO_LD &&
	       c->space == PTX_PARAM && !c->has_base &&
	       window != WINDOW_SHARED && window != WINDOW_LOCAL &&
	       !(c->offset & (bytes - 1)) &&
	       (c->offset & ~WINDOW_BITS) + bytes <= g->parameter_bytes;
}

static bool is_plain(const struct grid *g, const struct code_insn *c)
{
	switch (c->kind) {
	case CODE_VALUE:
	case CODE_PREDICATE:
	case CODE_PACK:
	case CODE_NOTHING:
		return !c->guarded && c->insn->op != PTXO_BAR_WARP;
	default:
		return !c->guarded && is_parameter(g, c);
	}
}

void ahead_prepare(struct grid *g)
{
	uint32_t i, end = 0;

	for (i = g->code.count; i-- > 0;) {
		struct code_insn *c = &g->code.insns[i];

		if (!is_plain(g, c))
			end = 0;
		else if (!end)
			end = i + 1;
		c->plain_end = end;
	}
}

/* ---- values ---- */

static void fill32(row_u32 *row, uint32_t value, uint32_t mask)
{
	uint32_t l;

	for (l = 0; l < LANES && mask == UINT32_MAX; l++)
		row[l] = value;
	for (; l < LANES; l++)
		row[l] = value_blend(mask, l, value, row[l]);
}

static void fill64(row_u64 *row, uint64_t value, uint32_t mask)
{
	uint32_t l;

	for (l = 0; l < LANES && mask == UINT32_MAX; l++)
		row[l] = value;
	for (; l < LANES; l++)
		row[l] = mask >> l & 1 ? value : row[l];
}

static void load_parameter(const struct grid *g, struct kernel_warp *k,
	const struct code_insn *c, uint32_t mask)
{
	const uint8_t *at = g->parameters + (c->offset & ~WINDOW_BITS);
	bool is_signed = ptx_types[c->insn->type].kind == 's';
	uint32_t i;

	for (i = 0; i < c->count; i++, at += c->bytes) {
		void *row = kernel_row(g, k, &c->rows[i]);
		uint64_t value;

		if (c->rows[i].is_constant)
			continue;
		value = access_bits(at, c->bytes);
		value = is_signed ? access_signed(value, c->bytes) : value;
		if (c->wide_rows)
			fill64(row, value, mask);
		else
			fill32(row, (uint32_t)value, mask);
	}
}

void ahead_compute(struct execution *x, uint32_t warp, uint32_t pc)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	const struct path *path = kernel_path(k);
	const struct code_insn *insns = g->code.insns;
	uint32_t end = insns[pc].plain_end;

	/* Where paths meet, more lanes go on. */
	if (path->meets > pc && path->meets < end)
		end = path->meets;
	for (; pc < end; pc++) {
		const struct code_insn *c = &insns[pc];

		if (c->kind == CODE_MEMORY)
			load_parameter(g, k, c, path->mask);
		else if (c->kind == CODE_VALUE)
			operate_value(g, k, c, path->mask);
		else
			operate(x, warp, c, path->mask);
	}
	k->computed = end;
	k->run_pc = 0;
	if (path->mask == UINT32_MAX)
		dense_find(g, k, end);
}
