/* Tensor maps and tensor copies. */
#include "backend_sim/code/decode.h"

/* As in bulk/tensor.c: which address has 64 bits is bit i of c->count. */
enum { SHARED, MAP, RANKS, BARRIER };

#define NOWHERE                                                                \
	(struct row)                                                           \
	{                                                                      \
		.slot = NO_SLOT, .is_constant = true                           \
	}

static int refuse(
	struct decoder *d, const struct flat_insn *flat, const char *what)
{
	return flat_refuse(d->flat, flat->insn, d->error, "%s", what);
}

/* ---- copies ---- */

static int check_copy(
	struct decoder *d, const struct flat_insn *flat, uint32_t many)
{
	const struct ptx_insn *insn = flat->insn;

	if (insn->word[PTX_CLASS_BOX] == PTXW_BOX_im2col ||
		insn->word[PTX_CLASS_BOX] == PTXW_BOX_im2col_no_offs)
		return refuse(
			d, flat, "tensor copies by .im2col are not modelled");
	if (insn->operand_count != many + ptx_has_policy(insn))
		return flat_refuse(d->flat, insn, d->error,
			"expected %u operands", many + ptx_has_policy(insn));
	return 0;
}

/* The map of operand `at`, and the coordinates behind it in rows[1] and on. */
static int bind_box(struct decoder *d, const struct flat_insn *flat,
	struct code_insn *c, uint32_t at)
{
	const struct ptx_operand *o = &flat->insn->operands[at];
	const struct ptx_operand *items =
		d->flat->instances[flat->instance].function->items;
	uint32_t i;
	int code =
		bind_place(d, flat, c, o, MAP, &c->s[MAP], &c->second_offset);

	for (i = 0; !code && i < o[1].count; i++)
		code = bind_value(d, flat, c, &items[o[1].index + i], PTX_u32,
			&c->rows[1 + i]);
	return code;
}

/* s[0] shared memory, s[1] the map, s[2] the ranks of a multicast, s[3] the
   policy, rows[0] the barrier. */
static int decode_copy_of_tensor(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o = insn->operands;
	const bool loads = !o[0].has_place;
	const bool prefetches = insn->op == PTXO_CP_TENSOR_PREFETCH;
	const bool is_many = insn->word[PTX_CLASS_MULTICAST] != 0;
	const uint32_t many = loads ? 4 + is_many : prefetches ? 2 : 3;
	int code = check_copy(d, flat, many);

	c->kind = CODE_TENSOR;
	c->tensor = d->code->tensor_count++;
	c->rows[0] = NOWHERE;
	if (!code)
		code = bind_box(d, flat, c, loads);
	if (!code && !prefetches)
		code = bind_place(d, flat, c, &o[loads ? 0 : 2], SHARED,
			&c->s[SHARED], &c->offset);
	if (!code && loads)
		code = bind_place(d, flat, c, &o[3], BARRIER, &c->rows[0],
			&c->third_offset);
	if (!code && is_many)
		code = bind_ranks(d, flat, c, 4, &c->s[RANKS]);
	if (!code && ptx_has_policy(insn))
		code = bind_hint(d, flat, c, many);
	return code;
}

/* ---- maps ---- */

static bool has_ordinal(const struct ptx_insn *insn)
{
	switch (insn->word[PTX_CLASS_FIELD]) {
	case PTXW_FIELD_box_dim:
	case PTXW_FIELD_global_dim:
	case PTXW_FIELD_global_stride:
	case PTXW_FIELD_element_stride:
		return true;
	default:
		return false;
	}
}

/* s[0] the map, s[1] the value; the ordinal is third_offset. */
static int decode_replace(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o = insn->operands;
	const bool ordinal = has_ordinal(insn);
	int code;

	if (insn->word[PTX_CLASS_FIELD] == PTXW_FIELD_global_stride &&
		o[1].bits > 3)
		return refuse(d, flat,
			"a tensor of 5 dimensions has 4 strides: what a fifth "
			"one does is not modelled");
	c->space = insn->word[PTX_CLASS_SPACE] == PTXW_SPACE_global ? PTX_GLOBAL
		   : insn->word[PTX_CLASS_SPACE]                    ? PTX_SHARED
						 : PTX_GENERIC;
	c->third_offset = ordinal ? o[1].bits : 0;
	code = bind_place(d, flat, c, &o[0], SHARED, &c->s[0], &c->offset);
	return code ? code
		    : bind_value(d, flat, c, &o[1 + ordinal], insn->type,
			      &c->s[1]);
}

/* To global memory, s[0], from shared memory, s[1]. */
static int decode_map_copy(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_operand *o = flat->insn->operands;
	int code = bind_place(d, flat, c, &o[0], SHARED, &c->s[0], &c->offset);

	return code ? code
		    : bind_place(d, flat, c, &o[1], MAP, &c->s[1],
			      &c->second_offset);
}

int decode_tensor(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	c->count = 0;
	switch (flat->insn->op) {
	case PTXO_MAP_REPLACE:
		c->kind = CODE_MAP;
		return decode_replace(d, flat, c);
	case PTXO_MAP_COPY:
		c->kind = CODE_MAP;
		return decode_map_copy(d, flat, c);
	case PTXO_CP_TENSOR:
	case PTXO_CP_TENSOR_REDUCE:
	case PTXO_CP_TENSOR_PREFETCH:
		return decode_copy_of_tensor(d, flat, c);
	default: /* a map's way to the copy engine takes no time */
		c->kind = CODE_MAP;
		return 0;
	}
}
