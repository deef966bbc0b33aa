/* Operands become rows. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/code/decode.h"

static int grow_constants(struct decoder *d, uint32_t bytes)
{
	struct code *code = d->code;
	uint32_t larger = d->constant_capacity * 2 + 4096;
	uint8_t *grown;

	if (code->constant_bytes + bytes <= d->constant_capacity)
		return 0;
	grown = realloc(code->constants, larger);
	if (!grown)
		return error_set(d->error, ERR_FAILED, "out of memory");
	code->constants = grown;
	d->constant_capacity = larger;
	return 0;
}

/* Where the constant is among the known ones, or would be. */
static struct known_constant *find_constant(
	const struct decoder *d, uint64_t bits, bool is_wide)
{
	const uint32_t mask = d->known_capacity - 1;
	uint64_t at =
		(bits ^ bits >> 32 ^ is_wide) * UINT64_C(0x9e3779b97f4a7c15);
	struct known_constant *known;

	for (at >>= 32;; at++) {
		known = &d->known[at & mask];
		if (!known->is_used ||
			(known->bits == bits && known->is_wide == is_wide))
			return known;
	}
}

/* Room for one more, so that a quarter stays empty. */
static int grow_known(struct decoder *d)
{
	const uint32_t capacity = d->known_capacity;
	struct known_constant *old = d->known;
	uint32_t i;

	if (4 * (uint64_t)d->known_count < 3 * (uint64_t)capacity)
		return 0;
	d->known_capacity = capacity ? 2 * capacity : 64;
	d->known = calloc(d->known_capacity, sizeof(*d->known));
	for (i = 0; d->known && i < capacity; i++)
		if (old[i].is_used)
			*find_constant(d, old[i].bits, old[i].is_wide) = old[i];
	free(old);
	return d->known ? 0 : error_set(d->error, ERR_FAILED, "out of memory");
}

int bind_constant(
	struct decoder *d, uint64_t bits, bool is_wide, struct row *row)
{
	const uint32_t bytes = is_wide ? 8 * LANES : 4 * LANES;
	const uint32_t offset = d->code->constant_bytes;
	struct known_constant *known;
	uint32_t i;
	int code = grow_known(d);

	*row = (struct row){.slot = NO_SLOT, .is_constant = true};
	if (code)
		return code;
	known = find_constant(d, bits, is_wide);
	if (known->is_used) {
		row->offset = known->offset;
		return 0;
	}
	code = grow_constants(d, bytes);
	if (code)
		return code;
	*known = (struct known_constant){bits, offset, is_wide, true};
	d->known_count++;
	for (i = 0; i < LANES; i++)
		memcpy(d->code->constants + offset + i * (bytes / LANES), &bits,
			bytes / LANES);
	d->code->constant_bytes += bytes;
	row->offset = offset;
	return 0;
}

/* A number as the type has it. */
static uint64_t number(const struct ptx_operand *o, uint8_t type)
{
	double value;
	float single;
	uint32_t narrow;

	if (!o->is_float)
		return ptx_types[type].bytes == 2 ? o->bits & 0xffff : o->bits;
	if (o->is_single) {
		if (type != PTX_f64)
			return o->bits;
		narrow = (uint32_t)o->bits;
		memcpy(&single, &narrow, sizeof(single));
		value = single;
	} else {
		memcpy(&value, &o->bits, sizeof(value));
	}
	if (type == PTX_f32) {
		single = (float)value;
		memcpy(&narrow, &single, sizeof(narrow));
		return narrow;
	}
	if (type == PTX_f16 || type == PTX_bf16)
		return narrow_bits(type, value, FE_TONEAREST);
	return o->bits;
}

static int bind_special(struct decoder *d, uint32_t special, struct row *row)
{
	struct code *code = d->code;
	bool is_wide = ptx_specials[special].bits == 64;
	uint32_t i;

	*row = (struct row){.slot = NO_SLOT};
	for (i = 0; i < code->special_count; i++)
		if (code->specials[i].special == special) {
			row->offset = code->specials[i].offset;
			return 0;
		}
	row->offset = code->register_bytes;
	code->specials[code->special_count++] =
		(struct code_special){(uint8_t)special, row->offset};
	code->register_bytes += is_wide ? 8 * LANES : 4 * LANES;
	return 0;
}

int bind_home(struct decoder *d, uint64_t bits, bool is_wide, struct row *row)
{
	struct code *code = d->code;
	const uint32_t count = code->home_count;
	struct code_home *larger;
	uint32_t i;

	*row = (struct row){.slot = NO_SLOT};
	for (i = 0; i < count; i++)
		if (code->homes[i].bits == bits &&
			code->homes[i].is_wide == is_wide) {
			row->offset = code->homes[i].offset;
			return 0;
		}
	larger = reallocarray(code->homes, count + 1, sizeof(*larger));
	if (!larger)
		return error_set(d->error, ERR_FAILED, "out of memory");
	code->homes = larger;
	row->offset = code->register_bytes;
	larger[code->home_count++] = (struct code_home){
		.bits = bits, .offset = row->offset, .is_wide = is_wide};
	code->register_bytes += (is_wide ? 8 : 4) * LANES;
	return 0;
}

bool bind_is_home(const struct decoder *d, uint32_t variable)
{
	return d->code->in_cluster &&
	       d->flat->module->variables[variable].space == PTX_SHARED;
}

uint64_t bind_variable(const struct decoder *d, const struct flat_insn *flat,
	uint32_t variable, bool *is_launch)
{
	uint8_t space = d->flat->module->variables[variable].space;

	*is_launch = false;
	if (space == PTX_GLOBAL || space == PTX_CONST)
		return d->code->variables[variable];
	return flat_place(d->flat, flat->instance, variable, is_launch);
}

/* A variable's address as a value. What a call takes or returns is kept behind
   local variables, and found there by it. */
static uint64_t address_as_value(const struct decoder *d,
	const struct flat_insn *flat, const struct ptx_operand *o)
{
	bool is_launch;
	uint64_t place = bind_variable(d, flat, o->index, &is_launch) + o->bits;

	if (d->flat->module->variables[o->index].space == PTX_PARAM &&
		!is_launch)
		place += WINDOW_LOCAL + d->code->frame;
	return place;
}

/* A number is read as `type`, and lies in a row of 64 bits if it is wide. */
static int bind_as(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, uint8_t type, bool is_wide,
	struct row *row)
{
	switch (o->kind) {
	case PTX_REGISTER:
		*row = d->live->rows[flat_register(
			d->flat, flat->instance, o->index)];
		return 0;
	case PTX_SPECIAL:
		return bind_special(d, o->index, row);
	case PTX_NUMBER:
		return bind_constant(d, number(o, type), is_wide, row);
	case PTX_VARIABLE:
		if (bind_is_home(d, o->index))
			return bind_home(
				d, address_as_value(d, flat, o), is_wide, row);
		return bind_constant(
			d, address_as_value(d, flat, o), is_wide, row);
	case PTX_FUNCTION:
		return bind_constant(d, code_address(o->index), is_wide, row);
	default:
		*row = (struct row){.slot = NO_SLOT, .is_constant = true};
		return 0;
	}
}

int bind_operand(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, uint8_t type, struct row *row)
{
	return bind_as(d, flat, o, type, ptx_types[type].bytes == 8, row);
}

/* ---- which rows an instruction waits for ---- */

void bind_wait(struct code_insn *c, const struct row *row)
{
	uint8_t i;

	if (row->slot == NO_SLOT)
		return;
	for (i = 0; i < c->wait_count; i++)
		if (c->waits[i] == row->slot)
			return;
	if (c->wait_count < 2 * CODE_ROWS_MAX)
		c->waits[c->wait_count++] = row->slot;
}

void bind_write(struct code_insn *c, const struct row *row)
{
	bind_wait(c, row);
	if (row->slot != NO_SLOT && c->write_count < CODE_ROWS_MAX)
		c->writes[c->write_count++] = row->slot;
}

int bind_items(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, uint8_t type, bool written,
	struct code_insn *c)
{
	const struct ptx_function *fn =
		d->flat->instances[flat->instance].function;
	bool is_wide = c->wide_rows || ptx_types[type].bytes == 8;
	uint32_t i;
	int code = 0;

	if (o->kind != PTX_VECTOR) {
		c->count = 1;
		code = bind_as(d, flat, o, type, is_wide, &c->rows[0]);
	} else {
		if (o->count > 8)
			return flat_refuse(d->flat, flat->insn, d->error,
				"expected at most 8 elements of a vector");
		c->count = o->count;
		for (i = 0; !code && i < o->count; i++)
			code = bind_as(d, flat, &fn->items[o->index + i], type,
				is_wide, &c->rows[i]);
	}
	for (i = 0; !code && i < c->count; i++)
		if (written)
			bind_write(c, &c->rows[i]);
		else
			bind_wait(c, &c->rows[i]);
	return code;
}

int bind_fragment(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, uint8_t type, bool written,
	struct code_insn *c, uint8_t *count)
{
	const struct ptx_function *fn =
		d->flat->instances[flat->instance].function;
	const struct ptx_operand *items =
		o->kind == PTX_VECTOR ? &fn->items[o->index] : o;
	const uint32_t rows = o->kind == PTX_VECTOR ? o->count : 1;
	struct code *code = d->code;
	uint32_t i;
	int status = 0;

	if (code->fragment_count + rows > code->fragment_capacity) {
		const uint32_t larger = code->fragment_capacity * 2 + 256;
		void *grown = realloc(
			code->fragments, larger * sizeof(*code->fragments));

		if (!grown)
			return error_set(d->error, ERR_FAILED, "out of memory");
		code->fragments = grown;
		code->fragment_capacity = larger;
	}
	for (i = 0; !status && i < rows; i++) {
		struct row *row = &code->fragments[code->fragment_count++];

		status = bind_operand(d, flat, &items[i], type, row);
		if (c && written)
			bind_write(c, row);
		else if (c)
			bind_wait(c, row);
	}
	*count = (uint8_t)rows;
	return status;
}

/* An atomic of a vector: what it takes, what it stores if that is the same, and
   what was there. */
int bind_vectors(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *result = &insn->operands[0];
	const struct ptx_operand *items =
		d->flat->instances[flat->instance].function->items;
	const bool compares = insn->qualifiers[Q_ATOMIC] == QV_ATOMIC_cas;
	struct row rows[8];
	uint32_t i;
	int code = 0;

	for (i = 0; i < insn->vector; i++)
		c->results[i] =
			(struct row){.slot = NO_SLOT, .is_constant = true};
	if (compares) {
		code = bind_items(
			d, flat, &insn->operands[3], insn->type, false, c);
		memcpy(rows, c->rows, sizeof(rows));
	}
	if (!code)
		code = bind_items(
			d, flat, &insn->operands[2], insn->type, false, c);
	if (compares)
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
