/* Loads, stores, atomics and copies, and their policies. */
#include "backend_sim/code/decode.h"
#include "backend_sim/code/parameters.h"
#include "backend_sim/rules/constants.h"

int decode_address(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, struct row *base, bool *has_base,
	uint64_t *offset, bool *is_launch)
{
	*is_launch = true;
	*offset = o->bits;
	*has_base = o->kind == PTX_ADDRESS && !o->is_absolute;
	*base = (struct row){.slot = NO_SLOT, .is_constant = true};
	if (o->kind == PTX_PLACED)
		*offset += bind_variable(d, flat, o->index, is_launch);
	if (o->kind == PTX_PLACED && bind_is_home(d, o->index)) {
		*has_base = true;
		return bind_home(d, 0, true, base);
	}
	if (!*has_base)
		return 0;
	*base = d->live->rows[flat_register(d->flat, flat->instance, o->index)];
	return 0;
}

/* Does a register of 32 bits hold the address? */
bool decode_is_narrow(const struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o)
{
	return o->kind == PTX_ADDRESS && !o->is_absolute &&
	       ptx_types[flat_type(d->flat, flat->instance, o->index)].bytes <
		       8;
}

static const struct ptx_operand *address_of(const struct ptx_insn *insn)
{
	uint32_t i;

	for (i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind == PTX_ADDRESS ||
			insn->operands[i].kind == PTX_PLACED)
			return &insn->operands[i];
	return NULL;
}

/* Is the first register that is loaded or stored of 64 bits? */
static bool has_wide_rows(const struct decoder *d, const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o =
		&insn->operands[insn->op == PTXO_ST || insn->op == PTXO_RED];
	uint32_t count = 1, i;

	if (o->kind == PTX_VECTOR) {
		count = o->count;
		o = &d->flat->instances[flat->instance]
			     .function->items[o->index];
	}
	for (i = 0; i < count; i++)
		if (o[i].kind == PTX_REGISTER)
			return ptx_types[flat_type(d->flat, flat->instance,
						 o[i].index)]
				       .bytes == 8;
	return ptx_types[insn->type].bytes == 8;
}

/* What is loaded or stored: no register is narrower than the type, that of an
   atomic not wider either, and all are as wide as the first. */
static int check_value(struct decoder *d, const struct flat_insn *flat,
	const struct code_insn *c, const struct ptx_operand *o, uint32_t place)
{
	const struct ptx_insn *insn = flat->insn;
	bool exact = insn->op == PTXO_ATOM || insn->op == PTXO_RED;
	unsigned bytes;

	if (o->kind != PTX_REGISTER)
		return 0;
	bytes = ptx_types[flat_type(d->flat, flat->instance, o->index)].bytes;
	if (bytes < c->bytes || (exact && bytes != c->bytes))
		return flat_refuse(d->flat, insn, d->error,
			"operand %u is a register of %u bits, the instruction "
			"has %u",
			place, bytes * 8, c->bytes * 8u);
	if ((bytes == 8) != c->wide_rows)
		return flat_refuse(d->flat, insn, d->error,
			"operand %u has elements of different sizes", place);
	return 0;
}

static int check_values(struct decoder *d, const struct flat_insn *flat,
	const struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const uint32_t count = insn->operand_count - ptx_has_policy(insn);
	uint32_t i, k;
	int code = 0;

	for (i = 0; !code && i < count; i++) {
		const struct ptx_operand *o = &insn->operands[i];
		const struct ptx_operand *items =
			d->flat->instances[flat->instance].function->items;

		if (o->kind == PTX_ADDRESS || o->kind == PTX_PLACED)
			continue;
		if (o->kind != PTX_VECTOR)
			code = check_value(d, flat, c, o, i + 1);
		for (k = 0; o->kind == PTX_VECTOR && !code && k < o->count; k++)
			code = check_value(
				d, flat, c, &items[o->index + k], i + 1);
	}
	return code;
}

static int bind_values(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	int code = 0;

	switch (insn->op) {
	case PTXO_LD:
		code = bind_items(
			d, flat, &insn->operands[0], insn->type, true, c);
		break;
	case PTXO_ST:
		code = bind_items(
			d, flat, &insn->operands[1], insn->type, false, c);
		break;
	case PTXO_ATOM:
		if (insn->vector > 1)
			return bind_vectors(d, flat, c);
		code = bind_operand(
			d, flat, &insn->operands[0], insn->type, &c->d);
		bind_write(c, &c->d);
		if (!code)
			code = bind_operand(d, flat, &insn->operands[2],
				insn->type, &c->s[1]);
		if (!code && insn->qualifiers[Q_ATOMIC] == QV_ATOMIC_cas)
			code = bind_operand(d, flat, &insn->operands[3],
				insn->type, &c->s[2]);
		break;
	case PTXO_RED:
		if (insn->vector > 1)
			return bind_items(d, flat, &insn->operands[1],
				insn->type, false, c);
		code = bind_operand(
			d, flat, &insn->operands[1], insn->type, &c->s[1]);
		break;
	default:
		break;
	}
	bind_wait(c, &c->s[1]);
	bind_wait(c, &c->s[2]);
	return code;
}

/* The policy of an access that has one. */
static int bind_policy(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	int code;

	if (!ptx_has_policy(insn))
		return 0;
	code = bind_operand(d, flat, &insn->operands[insn->operand_count - 1],
		PTX_b64, &c->s[3]);
	c->has_policy = true;
	bind_wait(c, &c->s[3]);
	return code;
}

int decode_memory(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o = address_of(insn);
	bool is_launch;
	int code;

	if (!o)
		return flat_refuse(
			d->flat, insn, d->error, "expected an address");
	c->kind = CODE_MEMORY;
	c->space = insn->space;
	c->bytes = ptx_types[insn->type].bytes;
	c->count = 1;
	c->wide_rows = has_wide_rows(d, flat);
	c->s[1].slot = c->s[2].slot = NO_SLOT;
	code = decode_address(
		d, flat, o, &c->s[0], &c->has_base, &c->offset, &is_launch);
	c->is_wide = !decode_is_narrow(d, flat, o);
	bind_wait(c, &c->s[0]);
	if (!code)
		code = bind_values(d, flat, c);
	if (!code)
		code = bind_policy(d, flat, c);
	if (!code)
		code = check_values(d, flat, c);
	c->moved = (uint8_t)(c->bytes * c->count *
			     (flat->leads ? flat->leads : 1));
	if (insn->op != PTXO_LD)
		c->read_words = (uint8_t)((c->has_base ? 1 + c->is_wide : 0) +
					  (c->moved + 3) / 4);
	if (flat->follows)
		c->slots = c->moved = 0;
	if (insn->space == PTX_PARAM || insn->space == PTX_CONST) {
		c->pipe = flat->behind_exit ? PIPE_QUEUE : PIPE_NONE;
		c->moved = 0;
		c->slots = flat->behind_exit;
		c->latency_cycles = flat->behind_exit ? PARAMETER_CYCLES : 0;
	}
	/* What a call takes and returns is kept behind local variables. */
	if (insn->space == PTX_PARAM && !is_launch) {
		c->space = PTX_LOCAL;
		c->offset += d->code->frame;
	}
	return code;
}

/* ---- cp.async ---- */

/* Of its operands: what is copied, then how much, then what is left out. */
enum { TO, FROM, BYTES, LESS };

static bool is_address(const struct ptx_operand *o)
{
	return o->kind == PTX_ADDRESS || o->kind == PTX_PLACED;
}

static bool is_predicate(const struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o)
{
	return o->kind == PTX_REGISTER &&
	       flat_type(d->flat, flat->instance, o->index) == PTX_pred;
}

static int decode_group(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const uint8_t group = insn->word[PTX_CLASS_GROUP];

	if (insn->word[PTX_CLASS_HINT] || insn->word[PTX_CLASS_SIZE] ||
		insn->word[PTX_CLASS_CACHE] || insn->word[PTX_CLASS_SPACE])
		return flat_refuse(d->flat, insn, d->error,
			"groups of copies have neither spaces nor what says "
			"what caches do");
	if (insn->operand_count && insn->operands[0].kind != PTX_NUMBER)
		return flat_refuse(d->flat, insn, d->error,
			"expected the number of groups that are left");
	c->kind = CODE_GROUP;
	c->count = group == PTXW_GROUP_commit ? 1 : 0;
	c->offset = group == PTXW_GROUP_wait && insn->operand_count
			    ? insn->operands[0].bits
			    : 0;
	c->has_base = group == PTXW_GROUP_wait_all;
	c->pipe = PIPE_CONTROL;
	return 0;
}

/* What comes from the source, the rest is zero: s[2] bytes; or all, or where
   the predicate is true nothing. */
static int bind_less(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_operand *o = &flat->insn->operands[LESS];
	int code;

	if (is_predicate(d, flat, o)) {
		c->p_negated = o->negated;
		code = bind_operand(d, flat, o, PTX_pred, &c->p);
		bind_wait(c, &c->p);
		return code;
	}
	if (o->negated || o->is_float ||
		(o->kind == PTX_NUMBER ? o->bits > c->bytes
				       : o->kind != PTX_REGISTER))
		return flat_refuse(d->flat, flat->insn, d->error,
			"expected how many bytes are copied, up to %u, or a "
			"predicate as operand %u",
			c->bytes, LESS + 1);
	c->sources++;
	return bind_operand(d, flat, o, PTX_u32, &c->s[2]);
}

/* `.ca.shared.global`, or .cg. */
static bool is_copy(const struct ptx_insn *insn)
{
	const uint8_t to = insn->word[PTX_CLASS_SPACE];

	return insn->word[PTX_CLASS_CACHE] && insn->word[PTX_CLASS_FROM] &&
	       (to == PTXW_SPACE_shared || to == PTXW_SPACE_shared_cta);
}

/* .cg copies 16 bytes. */
static bool is_size(const struct ptx_insn *insn)
{
	const struct ptx_operand *o = &insn->operands[BYTES];

	if (o->kind != PTX_NUMBER || o->is_float)
		return false;
	return o->bits == 16 ||
	       ((o->bits == 4 || o->bits == 8) &&
		       insn->word[PTX_CLASS_CACHE] != PTXW_CACHE_cg);
}

/* To shared memory: s[0] the destination, s[1] the source. */
int decode_copy(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const uint32_t count = insn->operand_count - ptx_has_policy(insn);
	const struct ptx_operand *o = insn->operands;
	bool is_launch;
	int code;

	c->s[2].slot = NO_SLOT;
	if (insn->word[PTX_CLASS_GROUP])
		return decode_group(d, flat, c);
	c->kind = CODE_COPY;
	if (!is_copy(insn))
		return flat_refuse(d->flat, insn, d->error,
			"a copy is .ca or .cg, from .global to .shared");
	if (count < LESS || count > LESS + 1 || !is_address(&o[TO]) ||
		!is_address(&o[FROM]) || !is_size(insn))
		return flat_refuse(d->flat, insn, d->error,
			"expected two addresses and 4, 8 or 16 bytes to copy, "
			"16 with .cg");
	c->bytes = c->moved = (uint8_t)o[BYTES].bits;
	c->read_words = 3; /* two addresses, one of shared memory */
	c->count = 1;
	c->sources = 2;
	code = decode_address(d, flat, &o[TO], &c->s[0], &c->has_base,
		&c->offset, &is_launch);
	if (!code)
		code = decode_address(d, flat, &o[FROM], &c->s[1],
			&c->p_constant, &c->second_offset, &is_launch);
	c->is_wide = !decode_is_narrow(d, flat, &o[TO]);
	if (!code && decode_is_narrow(d, flat, &o[FROM]))
		return flat_refuse(d->flat, insn, d->error,
			"a copy from an address of 32 bits is not modelled");
	if (!code && count > LESS)
		code = bind_less(d, flat, c);
	if (!code)
		code = bind_policy(d, flat, c);
	if (!code)
		code = decode_widths(d, flat);
	bind_wait(c, &c->s[0]);
	bind_wait(c, &c->s[1]);
	bind_wait(c, &c->s[2]);
	return code;
}

/* ---- createpolicy ---- */

/* An address as it is written: a register, to which the value's function adds,
   or the address of a variable. */
static int bind_begin(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, struct row *row)
{
	struct ptx_operand base = *o;

	base.kind = o->kind == PTX_PLACED ? PTX_VARIABLE : PTX_REGISTER;
	return bind_operand(d, flat, &base, PTX_u64, row);
}

/* d, then what it is made of: a fraction, which may be left out; an address and
   two sizes; or what is a policy already. */
int decode_policy(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o = insn->operands;
	const bool is_range = insn->op == PTXO_CREATEPOLICY_RANGE;
	const uint8_t type = insn->op == PTXO_CREATEPOLICY_FRACTIONAL ? PTX_f32
			     : is_range                               ? PTX_u32
								      : PTX_u64;
	const struct ptx_operand all = {.kind = PTX_NUMBER,
		.is_float = true,
		.is_single = true,
		.bits = 0x3f800000};
	uint32_t i;
	int code = bind_operand(d, flat, &o[0], PTX_b64, &c->d);

	bind_write(c, &c->d);
	c->kind = CODE_VALUE;
	c->run = value_function(insn);
	c->sources = is_range ? 3 : 1;
	for (i = 0; !code && i < c->sources; i++) {
		const struct ptx_operand *from =
			i + 1 < insn->operand_count ? &o[i + 1] : &all;

		code = is_range && !i
			       ? bind_begin(d, flat, from, &c->s[i])
			       : bind_operand(d, flat, from, type, &c->s[i]);
		bind_wait(c, &c->s[i]);
	}
	return code;
}
