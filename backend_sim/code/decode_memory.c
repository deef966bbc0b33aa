/* Loads, stores, atomics and copies. */
#include <string.h>

#include "backend_sim/code/decode.h"
#include "backend_sim/code/parameters.h"

static int bind_address(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, struct row *base, bool *has_base,
	uint64_t *offset, bool *is_launch)
{
	*is_launch = true;
	*offset = o->bits;
	*has_base = o->kind == PTX_ADDRESS && !o->is_absolute;
	*base = (struct row){.slot = NO_SLOT, .is_constant = true};
	if (o->kind == PTX_PLACED)
		*offset += bind_variable(d, flat, o->index, is_launch);
	if (!*has_base)
		return 0;
	*base = d->live->rows[flat_register(d->flat, flat->instance, o->index)];
	return 0;
}

/* Does a register of 32 bits hold the address? */
static bool is_narrow(const struct decoder *d, const struct flat_insn *flat,
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
	uint32_t i, k;
	int code = 0;

	for (i = 0; !code && i < insn->operand_count; i++) {
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

/* An atomic of a vector: what it takes, what it stores if that is the same, and
   what was there. */
static int bind_vectors(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *result = &insn->operands[0];
	const struct ptx_operand *items =
		d->flat->instances[flat->instance].function->items;
	struct row rows[8];
	uint32_t i;
	int code = 0;

	for (i = 0; i < insn->vector; i++)
		c->results[i] =
			(struct row){.slot = NO_SLOT, .is_constant = true};
	if (insn->operand_count > 3) {
		code = bind_items(
			d, flat, &insn->operands[3], insn->type, false, c);
		memcpy(rows, c->rows, sizeof(rows));
	}
	if (!code)
		code = bind_items(
			d, flat, &insn->operands[2], insn->type, false, c);
	if (insn->operand_count > 3)
		memcpy(&c->rows[insn->vector], rows,
			insn->vector * sizeof(*rows));
	for (i = 0; !code && result->kind == PTX_VECTOR && i < insn->vector;
		i++) {
		code = bind_operand(d, flat, &items[result->index + i],
			insn->type, &c->results[i]);
		bind_write(c, &c->results[i]);
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
		if (!code && insn->operand_count > 3)
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
	code = bind_address(
		d, flat, o, &c->s[0], &c->has_base, &c->offset, &is_launch);
	c->is_wide = !is_narrow(d, flat, o);
	bind_wait(c, &c->s[0]);
	if (!code)
		code = bind_values(d, flat, c);
	if (!code)
		code = check_values(d, flat, c);
	c->moved = (uint8_t)(c->bytes * c->count *
			     (flat->leads ? flat->leads : 1));
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

static bool is_address(const struct ptx_operand *o)
{
	return o->kind == PTX_ADDRESS || o->kind == PTX_PLACED;
}

/* cp.async to shared memory: s[0] the destination, s[1] the source, s[2] how
   many bytes come from there, the rest is zero. */
int decode_copy(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	uint8_t group = insn->word[PTX_CLASS_GROUP];
	bool is_launch;
	int code;

	c->s[2].slot = NO_SLOT;
	if (group) {
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
	c->kind = CODE_COPY;
	if (insn->operand_count < 3 || insn->operand_count > 4 ||
		!is_address(&insn->operands[0]) ||
		!is_address(&insn->operands[1]) ||
		insn->operands[2].kind != PTX_NUMBER ||
		(insn->operands[2].bits != 4 && insn->operands[2].bits != 8 &&
			insn->operands[2].bits != 16))
		return flat_refuse(d->flat, insn, d->error,
			"expected two addresses and 4, 8 or 16 bytes to copy");
	c->bytes = c->moved = (uint8_t)insn->operands[2].bits;
	c->count = 1;
	code = bind_address(d, flat, &insn->operands[0], &c->s[0], &c->has_base,
		&c->offset, &is_launch);
	if (!code)
		code = bind_address(d, flat, &insn->operands[1], &c->s[1],
			&c->p_constant, &c->second_offset, &is_launch);
	c->is_wide = !is_narrow(d, flat, &insn->operands[0]);
	if (!code && insn->operand_count > 3)
		code = bind_operand(
			d, flat, &insn->operands[3], PTX_u32, &c->s[2]);
	if (!code)
		code = decode_widths(d, flat);
	bind_wait(c, &c->s[0]);
	bind_wait(c, &c->s[1]);
	bind_wait(c, &c->s[2]);
	return code;
}

/* ---- functions that the driver has: where a thread's local memory holds what
   they take and return ---- */

static uint32_t place_of(const struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o)
{
	bool is_launch;

	return (uint32_t)(d->code->frame +
			  bind_variable(d, flat, o->index, &is_launch));
}

/* Parameter i in rows[i], of 4 bytes where bit i of `bytes` is set; what is
   returned in `d`, if has_base. */
int decode_print(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_function *within =
		d->flat->instances[flat->instance].function;
	const struct ptx_operand *name = flat_callee(insn);
	const struct ptx_operand *taken = name + 1;
	const struct ptx_function *callee =
		&d->flat->module->functions[name->index];
	uint32_t i;

	c->kind = CODE_PRINT;
	c->count = insn->from;
	c->bytes = 0;
	c->has_base = name > insn->operands && insn->operands[0].count == 1;
	if (c->has_base)
		c->d.offset = place_of(
			d, flat, &within->items[insn->operands[0].index]);
	if (name + 1 >= insn->operands + insn->operand_count ||
		taken->count != callee->parameter_count)
		return flat_refuse(d->flat, insn, d->error,
			"expected %u parameters of '%.*s'",
			callee->parameter_count, (int)callee->name.length,
			callee->name.text);
	for (i = 0; i < taken->count; i++) {
		const struct ptx_operand *o = &within->items[taken->index + i];
		const uint64_t bytes =
			o->kind == PTX_VARIABLE
				? d->flat->module->variables[o->index].bytes
				: 0;

		if (bytes != 4 && bytes != 8)
			return flat_refuse(d->flat, insn, d->error,
				"expected parameters of 4 or 8 bytes");
		c->rows[i].offset = place_of(d, flat, o);
		c->bytes |= (uint8_t)((bytes == 4) << i);
	}
	return 0;
}
