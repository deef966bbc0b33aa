/* Matrix instructions: their registers, and where in memory they go. */
#include "backend_sim/code/decode.h"

/* As numbers among them are read. */
static uint8_t type_of_rows(uint8_t type)
{
	switch (type) {
	case PTX_f64:
	case PTX_f32:
	case PTX_s32:
		return type;
	default:
		return PTX_b32;
	}
}

static int decode_move(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_operand *o = flat->insn->operands;
	int code = bind_fragment(
		d, flat, &o[0], PTX_b32, true, c, &c->fragment_counts[0]);

	return code ? code
		    : bind_fragment(d, flat, &o[1], PTX_b32, false, c,
			      &c->fragment_counts[1]);
}

int decode_matrix(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const uint8_t types[] = {
		insn->type, insn->from, insn->more[0], insn->more[1]};
	const uint8_t round = insn->word[PTX_CLASS_ROUND];
	uint32_t i;
	int code = 0;

	c->kind = CODE_MATRIX;
	c->fragments = d->code->fragment_count;
	if (insn->op == PTXO_MOVMATRIX)
		return decode_move(d, flat, c);
	if (round && round != PTXW_ROUND_rn)
		return flat_refuse(d->flat, insn, d->error,
			"products of matrices that are rounded otherwise than "
			"to the nearest are not modelled");
	for (i = 0; !code && i < 4; i++)
		code = bind_fragment(d, flat, &insn->operands[i],
			type_of_rows(types[i]), i == 0, c,
			&c->fragment_counts[i]);
	return code;
}

int decode_tiles(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const bool loads = insn->op == PTXO_LDMATRIX;
	const struct ptx_operand *address = &insn->operands[loads];
	bool is_launch;
	int code = decode_address(d, flat, address, &c->s[0], &c->has_base,
		&c->offset, &is_launch);

	c->kind = CODE_TILES;
	c->space = PTX_SHARED;
	c->bytes = 16; /* of a row of a matrix, which one lane finds */
	c->count = 1;
	c->is_wide = !decode_is_narrow(d, flat, address);
	c->fragments = d->code->fragment_count;
	bind_wait(c, &c->s[0]);
	if (!code)
		code = bind_fragment(d, flat, &insn->operands[!loads], PTX_b32,
			loads, c, &c->fragment_counts[0]);
	c->moved = (uint8_t)(4 * c->fragment_counts[0]);
	return code;
}

/* Elements from a row to the next, or from a column: of a matrix that stands
   alone. */
static uint32_t own_distance(const struct ptx_insn *insn)
{
	const struct ptx_shape *s = &insn->shape;
	const uint32_t rows = insn->op == PTXO_WMMA_LOAD_B ? s->k : s->m;
	const uint32_t columns = insn->op == PTXO_WMMA_LOAD_A ? s->k : s->n;

	return s->columns & 1 ? rows : columns;
}

int decode_fragment(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const bool loads = insn->op != PTXO_WMMA_STORE;
	const struct ptx_operand *address = &insn->operands[loads];
	const struct ptx_operand alone = {
		.kind = PTX_NUMBER, .bits = own_distance(insn)};
	bool is_launch;
	int code = decode_address(d, flat, address, &c->s[0], &c->has_base,
		&c->offset, &is_launch);

	c->kind = CODE_FRAGMENT;
	c->space = insn->space;
	c->bytes = ptx_types[insn->type].bytes;
	c->count = 1;
	c->moved = 4;
	c->is_wide = !decode_is_narrow(d, flat, address);
	c->fragments = d->code->fragment_count;
	bind_wait(c, &c->s[0]);
	if (!code)
		code = bind_operand(d, flat,
			insn->operand_count > 2 ? &insn->operands[2] : &alone,
			PTX_u32, &c->s[1]);
	bind_wait(c, &c->s[1]);
	if (code)
		return code;
	return bind_fragment(d, flat, &insn->operands[!loads],
		type_of_rows(insn->type), loads, c, &c->fragment_counts[0]);
}

/* ---- wgmma ---- */

/* A choice: 1 or -1, 0 or 1. */
static uint64_t chosen(const struct ptx_insn *insn, uint32_t i, uint64_t value)
{
	return i < insn->operand_count && insn->operands[i].bits == value;
}

/* D is not waited for: who reads it waits for its group. */
static int bind_product(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o = insn->operands;
	const bool in_registers = o[1].kind == PTX_VECTOR;
	int code = bind_fragment(d, flat, &o[0], type_of_rows(insn->type), true,
		NULL, &c->fragment_counts[0]);

	if (!code)
		code = in_registers ? bind_fragment(d, flat, &o[1], PTX_b32,
					      false, c, &c->fragment_counts[1])
				    : bind_operand(d, flat, &o[1], PTX_b64,
					      &c->s[0]);
	if (!code)
		code = bind_operand(d, flat, &o[2], PTX_b64, &c->s[1]);
	c->p_negated = o[3].negated;
	if (!code)
		code = o[3].kind == PTX_NUMBER
			       ? bind_constant(d, o[3].bits ? UINT32_MAX : 0,
					 false, &c->p)
			       : bind_operand(d, flat, &o[3], PTX_pred, &c->p);
	bind_wait(c, &c->s[0]);
	bind_wait(c, &c->s[1]);
	bind_wait(c, &c->p);
	c->offset = chosen(insn, 4, UINT64_MAX) |
		    chosen(insn, 5, UINT64_MAX) << 1 |
		    chosen(insn, in_registers ? 7 : 6, 1) << 2 |
		    chosen(insn, in_registers ? 6 : 7, 1) << 3;
	return code;
}

int decode_group_product(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;

	c->fragments = d->code->fragment_count;
	switch (insn->op) {
	case PTXO_WGMMA:
		c->kind = CODE_MATRIX;
		return bind_product(d, flat, c);
	case PTXO_WGMMA_COMMIT:
	case PTXO_WGMMA_WAIT:
		c->kind = CODE_PRODUCTS;
		c->offset = insn->operand_count ? insn->operands[0].bits : 0;
		return 0;
	default:
		c->kind = CODE_NOTHING;
		return 0;
	}
}
