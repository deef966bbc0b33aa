/* Instructions on registers. */
#include "backend_sim/code/decode.h"

/* The type as which operand `i` of those that are read is read. */
static uint8_t type_read(const struct ptx_insn *insn, uint32_t i)
{
	bool is_wide = insn->word[PTX_CLASS_MODE] == PTXW_MODE_wide;

	switch (insn->op) {
	case PTXO_CVT:
	case PTXO_SET:
		return insn->from;
	case PTXO_SHL:
	case PTXO_SHR:
		return i == 1 ? PTX_u32 : insn->type;
	case PTXO_MAD:
		if (i != 2 || !is_wide)
			return insn->type;
		return ptx_types[insn->type].bytes == 4 ? PTX_u64 : PTX_u32;
	case PTXO_BFE:
		return i ? PTX_u32 : insn->type;
	case PTXO_BFI:
		return i > 1 ? PTX_u32 : insn->type;
	case PTXO_LOP3:
		return i > 2 ? PTX_u32 : insn->type;
	case PTXO_SLCT:
		return i == 2 ? insn->from : insn->type;
	case PTXO_VOTE:
	case PTXO_ELECT:
	case PTXO_NANOSLEEP:
	case PTXO_BAR_WARP:
		return PTX_u32;
	case PTXO_MATCH:
	case PTXO_MAPA:
		return i ? PTX_u32 : insn->type;
	case PTXO_ISSPACEP:
		return PTX_u64;
	default:
		return insn->type ? insn->type : PTX_u32;
	}
}

static int bind_predicate(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, struct code_insn *c)
{
	c->p_negated = o->negated;
	if (o->kind == PTX_NUMBER) {
		c->p_constant = true;
		return bind_constant(d, o->bits ? UINT32_MAX : 0, false, &c->p);
	}
	bind_wait(c, &d->live->rows[flat_register(
			     d->flat, flat->instance, o->index)]);
	return bind_operand(d, flat, o, PTX_pred, &c->p);
}

static bool is_predicate_register(const struct decoder *d,
	const struct flat_insn *flat, const struct ptx_operand *o)
{
	return o->kind == PTX_REGISTER &&
	       flat_type(d->flat, flat->instance, o->index) == PTX_pred;
}

/* d, then what is read; a predicate among it is `p`. */
static int bind_plain(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	uint32_t i, number = 0;
	int code;

	c->d = c->e = (struct row){.slot = NO_SLOT, .is_constant = true};
	code = bind_operand(d, flat, &insn->operands[0], insn->type, &c->d);
	bind_write(c, &c->d);
	if (!code && insn->second.kind == PTX_REGISTER) {
		code = bind_operand(d, flat, &insn->second, PTX_pred, &c->e);
		bind_write(c, &c->e);
	}
	for (i = 1; !code && i < insn->operand_count; i++) {
		const struct ptx_operand *o = &insn->operands[i];

		if (is_predicate_register(d, flat, o) ||
			(insn->op == PTXO_SELP && i == 3) ||
			(insn->op == PTXO_LOP3 && i == 5) ||
			(insn->op == PTXO_VOTE && i == 1)) {
			code = bind_predicate(d, flat, o, c);
			continue;
		}
		code = bind_operand(
			d, flat, o, type_read(insn, number), &c->s[number]);
		bind_wait(c, &c->s[number++]);
	}
	c->sources = (uint8_t)number;
	return code;
}

/* Of a register that is named or special; 0: it is none. */
static unsigned register_bytes(const struct decoder *d,
	const struct flat_insn *flat, const struct ptx_operand *o)
{
	if (o->kind == PTX_REGISTER)
		return ptx_types[flat_type(d->flat, flat->instance, o->index)]
			.bytes;
	return o->kind == PTX_SPECIAL ? ptx_specials[o->index].bits / 8u : 0;
}

/* A register of 64 bits where 64 are read or written, and nowhere else: of a
   narrower one the neighbours would be. `place` counts from 1. */
static int check_width(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, uint32_t place, bool wide)
{
	unsigned bits = register_bytes(d, flat, o) * 8;

	if (!bits || wide == (bits == 64))
		return 0;
	return flat_refuse(d->flat, flat->insn, d->error,
		"operand %u is a register of %u bits, the instruction has %u",
		place, bits, wide ? 64u : 32u);
}

int decode_widths(struct decoder *d, const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;
	bool wide_result = insn->word[PTX_CLASS_MODE] == PTXW_MODE_wide
				   ? ptx_types[insn->type].bytes == 4
				   : ptx_types[insn->type].bytes == 8;
	const uint32_t count = insn->operand_count - ptx_has_policy(insn);
	uint32_t i, number = 0;
	int code = 0;

	if (insn->op == PTXO_POPC || insn->op == PTXO_CLZ ||
		insn->op == PTXO_BFIND || insn->op == PTXO_MATCH ||
		insn->op == PTXO_GETCTARANK)
		wide_result = false;
	for (i = 0; !code && i < count; i++) {
		const struct ptx_operand *o = &insn->operands[i];
		bool wide = i ? ptx_types[type_read(insn, number)].bytes == 8
			      : wide_result;

		if (is_predicate_register(d, flat, o))
			continue;
		number += i != 0;
		code = check_width(d, flat, o, i + 1, wide);
	}
	return code;
}

/* A conversion's registers may be wider than its types, those of bf16 may not;
   narrower they are nowhere. */
static int convert_widths(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	unsigned bytes[2] = {0, 0};
	uint32_t i;

	for (i = 0; i < insn->operand_count; i++) {
		uint8_t type = i ? insn->from : insn->type;
		unsigned least = ptx_types[type].bytes;
		unsigned has = register_bytes(d, flat, &insn->operands[i]);
		bool exact = type == PTX_bf16 || type == PTX_bf16x2 ||
			     !ptx_is_plain(type);

		if (has && (has < least || (exact && has != least)))
			return flat_refuse(d->flat, insn, d->error,
				"operand %u is a register of %u bits, the "
				"instruction has %u",
				i + 1, has * 8, least * 8);
		bytes[i < 1 ? 0 : 1] = has ? has : least;
	}
	if (ptx_is_plain(insn->type) && ptx_is_plain(insn->from))
		c->run = value_between(insn, bytes[1], bytes[0]);
	return 0;
}

int decode_value(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	int code = bind_plain(d, flat, c);

	c->kind = CODE_VALUE;
	c->run = value_function(flat->insn);
	if (!code && c->run && flat->insn->op == PTXO_CVT)
		code = convert_widths(d, flat, c);
	if (!code && !c->run)
		return flat_refuse(d->flat, flat->insn, d->error,
			"'%s' with these modifiers is not modelled",
			ptx_ops[flat->insn->op].text);
	return code || flat->insn->op == PTXO_CVT ? code
						  : decode_widths(d, flat);
}

static uint8_t type_of_bytes(unsigned bytes)
{
	return bytes == 8 ? PTX_b64 : bytes == 4 ? PTX_b32 : PTX_b16;
}

/* mov with a vector on either side: `d` is what is whole. */
static int decode_pack(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	bool packs = insn->operands[1].kind == PTX_VECTOR;
	const struct ptx_operand *many = &insn->operands[packs ? 1 : 0];
	const struct ptx_operand *one = &insn->operands[packs ? 0 : 1];
	unsigned bytes =
		many->count ? ptx_types[insn->type].bytes / many->count : 0;
	const struct ptx_operand *items =
		d->flat->instances[flat->instance].function->items;
	uint32_t i;
	int code;

	c->kind = CODE_PACK;
	c->bytes = (uint8_t)bytes;
	c->run = NULL;
	c->has_base = packs;
	if (many->kind != PTX_VECTOR || one->kind == PTX_VECTOR || !bytes)
		return flat_refuse(d->flat, insn, d->error,
			"a move between two vectors is not modelled here");
	code = bind_items(d, flat, many, type_of_bytes(bytes), !packs, c);
	for (i = 0; !code && i < many->count; i++)
		code = check_width(d, flat, &items[many->index + i],
			packs ? 2 : 1, bytes == 8);
	if (!code)
		code = check_width(d, flat, one, packs ? 1 : 2,
			ptx_types[insn->type].bytes == 8);
	if (!code)
		code = bind_operand(
			d, flat, one, insn->type, packs ? &c->d : &c->s[0]);
	if (!code && packs)
		bind_write(c, &c->d);
	else if (!code)
		bind_wait(c, &c->s[0]);
	return code;
}

int decode_mov(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *from = &insn->operands[1];
	int code;

	if (insn->operands[0].kind == PTX_VECTOR || from->kind == PTX_VECTOR)
		return decode_pack(d, flat, c);
	if (from->kind == PTX_SPECIAL && from->index >= PTXS_clock) {
		c->kind = CODE_CLOCK;
		c->count = (uint8_t)from->index;
		c->slots = 1;
		c->pipe = PIPE_ALU;
		c->latency_cycles = 4;
		code = bind_operand(
			d, flat, &insn->operands[0], insn->type, &c->d);
		bind_write(c, &c->d);
		return code ? code : decode_widths(d, flat);
	}
	code = decode_value(d, flat, c);
	/* Read from where the SM keeps it, which takes a while. */
	if (from->kind == PTX_SPECIAL && from->index != PTXS_ntid_x &&
		from->index != PTXS_ntid_y && from->index != PTXS_ntid_z &&
		(from->index < PTXS_nctaid_x || from->index > PTXS_nctaid_z)) {
		c->slots = 1;
		c->pipe = PIPE_QUEUE;
		c->latency_cycles = 20;
	}
	return code;
}

int decode_predicate(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	uint32_t i;
	int code;

	c->kind = CODE_PREDICATE;
	code = bind_operand(d, flat, &insn->operands[0], PTX_pred, &c->d);
	bind_write(c, &c->d);
	for (i = 1; !code && i < insn->operand_count; i++) {
		const struct ptx_operand *o = &insn->operands[i];

		if (o->kind == PTX_NUMBER)
			code = bind_constant(d, o->bits ? UINT32_MAX : 0, false,
				&c->s[i - 1]);
		else
			code = bind_operand(d, flat, o, PTX_pred, &c->s[i - 1]);
		bind_wait(c, &c->s[i - 1]);
		/* which sources are negated */
		c->count |= (uint8_t)(o->negated << (i - 1));
	}
	return code;
}

static uint64_t window_of(uint8_t word)
{
	switch (word) {
	case PTXW_SPACE_shared:
	case PTXW_SPACE_shared_cta:
	case PTXW_SPACE_shared_cluster:
		return WINDOW_SHARED;
	case PTXW_SPACE_local:
		return WINDOW_LOCAL;
	case PTXW_SPACE_const:
		return WINDOW_CONST;
	case PTXW_SPACE_param:
		return WINDOW_PARAM;
	default:
		return 0;
	}
}

/* To a generic address the window is added, from one it is taken away. */
int decode_cvta(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	static const struct ptx_insn add = {.op = PTXO_OR, .type = PTX_b64};
	static const struct ptx_insn take = {.op = PTXO_AND, .type = PTX_b64};
	const struct ptx_insn *insn = flat->insn;
	uint64_t window = window_of(insn->word[PTX_CLASS_SPACE]);
	bool to = insn->word[PTX_CLASS_TO] != 0;
	int code = bind_plain(d, flat, c);

	c->kind = CODE_VALUE;
	if (insn->type != PTX_u64)
		return flat_refuse(d->flat, insn, d->error,
			"addresses of 32 bits are not modelled");
	if (!code)
		code = bind_constant(d,
			to && window ? ~WINDOW_BITS
			: to         ? UINT64_MAX
				     : window,
			true, &c->s[1]);
	c->run = value_function(to ? &take : &add);
	return code ? code : decode_widths(d, flat);
}

int decode_bar_warp(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const int code = bind_operand(
		d, flat, &flat->insn->operands[0], PTX_u32, &c->s[0]);

	c->kind = CODE_NOTHING;
	c->sources = 1;
	if (!code)
		bind_wait(c, &c->s[0]);
	return code;
}

int decode_warp(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	int code = bind_plain(d, flat, c);

	c->kind = CODE_WARP;
	c->is_wide = ptx_types[flat->insn->type].bytes == 8;
	return code ? code : decode_widths(d, flat);
}
