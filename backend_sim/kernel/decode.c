/* The code of a kernel, instruction by instruction. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/kernel/decode.h"

static bool is_predicate(const struct ptx_insn *insn)
{
	return insn->type == PTX_pred;
}

/* ---- which rows an instruction waits for ---- */

static void wait_for(struct code_insn *c, const struct row *row)
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

static void writes(struct code_insn *c, const struct row *row)
{
	wait_for(c, row);
	if (row->slot != NO_SLOT && c->write_count < CODE_ROWS_MAX)
		c->writes[c->write_count++] = row->slot;
}

/* ---- operands by operation ---- */

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
	case PTXO_SLCT:
		return i == 2 ? insn->from : insn->type;
	case PTXO_VOTE:
	case PTXO_ELECT:
	case PTXO_NANOSLEEP:
	case PTXO_BAR_WARP:
		return PTX_u32;
	case PTXO_MATCH:
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
	wait_for(c, &d->live->rows[flat_register(
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
	writes(c, &c->d);
	if (!code && insn->second.kind == PTX_REGISTER) {
		code = bind_operand(d, flat, &insn->second, PTX_pred, &c->e);
		writes(c, &c->e);
	}
	for (i = 1; !code && i < insn->operand_count; i++) {
		const struct ptx_operand *o = &insn->operands[i];

		if (is_predicate_register(d, flat, o) ||
			(insn->op == PTXO_SELP && i == 3) ||
			(insn->op == PTXO_VOTE && i == 1)) {
			code = bind_predicate(d, flat, o, c);
			continue;
		}
		code = bind_operand(
			d, flat, o, type_read(insn, number), &c->s[number]);
		wait_for(c, &c->s[number++]);
	}
	c->sources = (uint8_t)number;
	return code;
}

/* Registers hold at least what the type has; the reverse would read beyond. */
static int check_widths(struct decoder *d, const struct flat_insn *flat,
	const struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	bool wide_result = insn->word[PTX_CLASS_MODE] == PTXW_MODE_wide
				   ? ptx_types[insn->type].bytes == 4
				   : ptx_types[insn->type].bytes == 8;
	uint32_t i, number = 0;

	if (insn->op == PTXO_POPC || insn->op == PTXO_CLZ ||
		insn->op == PTXO_BFIND || insn->op == PTXO_MATCH)
		wide_result = false;
	(void)c;
	for (i = 0; i < insn->operand_count; i++) {
		const struct ptx_operand *o = &insn->operands[i];
		uint8_t type;
		bool wide;

		if (o->kind != PTX_REGISTER ||
			is_predicate_register(d, flat, o)) {
			number += i && o->kind != PTX_REGISTER;
			continue;
		}
		type = flat_type(d->flat, flat->instance, o->index);
		wide = i ? ptx_types[type_read(insn, number)].bytes == 8
			 : wide_result;
		number += i != 0;
		if (wide != (ptx_types[type].bytes == 8))
			return flat_refuse(d->flat, insn, d->error,
				"operand %u is a register of %u bits, the "
				"instruction has %u",
				i + 1, ptx_types[type].bytes * 8u,
				wide ? 64u : 32u);
	}
	return 0;
}

static int decode_value(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	int code = bind_plain(d, flat, c);

	c->kind = CODE_VALUE;
	c->run = value_function(flat->insn);
	if (!code && !c->run)
		return flat_refuse(d->flat, flat->insn, d->error,
			"'%s' with these modifiers is not modelled",
			ptx_ops[flat->insn->op].text);
	return code ? code : check_widths(d, flat, c);
}

static int bind_items(struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o, uint8_t type, bool written,
	struct code_insn *c)
{
	const struct ptx_function *fn =
		d->flat->instances[flat->instance].function;
	uint32_t i;
	int code = 0;

	if (o->kind != PTX_VECTOR) {
		c->count = 1;
		code = bind_operand(d, flat, o, type, &c->rows[0]);
	} else {
		if (o->count > 8)
			return flat_refuse(d->flat, flat->insn, d->error,
				"expected at most 8 elements of a vector");
		c->count = o->count;
		for (i = 0; !code && i < o->count; i++)
			code = bind_operand(d, flat, &fn->items[o->index + i],
				type, &c->rows[i]);
	}
	for (i = 0; !code && i < c->count; i++)
		if (written)
			writes(c, &c->rows[i]);
		else
			wait_for(c, &c->rows[i]);
	return code;
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
	int code;

	c->kind = CODE_PACK;
	c->bytes = (uint8_t)bytes;
	c->run = NULL;
	c->has_base = packs;
	if (many->kind != PTX_VECTOR || one->kind == PTX_VECTOR || bytes < 2)
		return flat_refuse(d->flat, insn, d->error,
			"a vector of bytes is not modelled here");
	code = bind_items(d, flat, many, type_of_bytes(bytes), !packs, c);
	if (!code)
		code = bind_operand(
			d, flat, one, insn->type, packs ? &c->d : &c->s[0]);
	if (!code && packs)
		writes(c, &c->d);
	else if (!code)
		wait_for(c, &c->s[0]);
	return code;
}

static int decode_mov(
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
		writes(c, &c->d);
		return code;
	}
	code = decode_value(d, flat, c);
	/* Read from where the SM keeps it, which takes a while. */
	if (from->kind == PTX_SPECIAL && from->index != PTXS_ntid_x &&
		from->index != PTXS_ntid_y && from->index != PTXS_ntid_z &&
		(from->index < PTXS_nctaid_x || from->index > PTXS_nctaid_z)) {
		c->slots = 1;
		c->pipe = PIPE_ALU;
		c->latency_cycles = 20;
	}
	return code;
}

static int decode_predicate(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	uint32_t i;
	int code;

	c->kind = CODE_PREDICATE;
	code = bind_operand(d, flat, &insn->operands[0], PTX_pred, &c->d);
	writes(c, &c->d);
	for (i = 1; !code && i < insn->operand_count; i++) {
		const struct ptx_operand *o = &insn->operands[i];

		if (o->kind == PTX_NUMBER)
			code = bind_constant(d, o->bits ? UINT32_MAX : 0, false,
				&c->s[i - 1]);
		else
			code = bind_operand(d, flat, o, PTX_pred, &c->s[i - 1]);
		wait_for(c, &c->s[i - 1]);
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
static int decode_cvta(
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
	return code;
}

static int decode_warp(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	c->kind = CODE_WARP;
	c->is_wide = ptx_types[flat->insn->type].bytes == 8;
	return bind_plain(d, flat, c);
}

/* ---- memory ---- */

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

/* Are the registers that are loaded or stored of 64 bits? */
static bool has_wide_rows(const struct decoder *d, const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o =
		&insn->operands[insn->op == PTXO_ST || insn->op == PTXO_RED];

	if (o->kind == PTX_VECTOR && o->count)
		o = &d->flat->instances[flat->instance]
			     .function->items[o->index];
	return ptx_types[o->kind == PTX_REGISTER
				 ? flat_type(d->flat, flat->instance, o->index)
				 : insn->type]
		       .bytes == 8;
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
		code = bind_operand(
			d, flat, &insn->operands[0], insn->type, &c->d);
		writes(c, &c->d);
		if (!code)
			code = bind_operand(d, flat, &insn->operands[2],
				insn->type, &c->s[1]);
		if (!code && insn->operand_count > 3)
			code = bind_operand(d, flat, &insn->operands[3],
				insn->type, &c->s[2]);
		break;
	case PTXO_RED:
		code = bind_operand(
			d, flat, &insn->operands[1], insn->type, &c->s[1]);
		break;
	default:
		break;
	}
	wait_for(c, &c->s[1]);
	wait_for(c, &c->s[2]);
	return code;
}

static int decode_memory(
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
	wait_for(c, &c->s[0]);
	if (!code)
		code = bind_values(d, flat, c);
	if (insn->space == PTX_PARAM || insn->space == PTX_CONST) {
		c->pipe = PIPE_NONE;
		c->slots = 0;
	}
	/* What a call takes and returns is kept behind local variables. */
	if (insn->space == PTX_PARAM && !is_launch) {
		c->space = PTX_LOCAL;
		c->offset += d->code->frame;
	}
	return code;
}

/* cp.async to shared memory: s[0] the destination, s[1] the source, s[2] how
   many bytes come from there, the rest is zero. */
static int decode_copy(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	uint8_t group = insn->word[PTX_CLASS_GROUP];
	bool is_launch;
	int code;

	c->s[2].slot = NO_SLOT;
	if (group) {
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
	if (insn->operand_count < 3 || insn->operands[2].kind != PTX_NUMBER ||
		(insn->operands[2].bits != 4 && insn->operands[2].bits != 8 &&
			insn->operands[2].bits != 16))
		return flat_refuse(d->flat, insn, d->error,
			"expected 4, 8 or 16 bytes to copy");
	c->bytes = (uint8_t)insn->operands[2].bits;
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
	wait_for(c, &c->s[0]);
	wait_for(c, &c->s[1]);
	wait_for(c, &c->s[2]);
	return code;
}

static int decode_barrier(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;

	c->kind = CODE_BARRIER;
	if (!insn->word[PTX_CLASS_SYNC] && insn->op == PTXO_BARRIER)
		return flat_refuse(d->flat, insn, d->error,
			"barriers other than '.sync' are not modelled");
	if (insn->operands[0].kind != PTX_NUMBER || insn->operands[0].bits > 15)
		return flat_refuse(d->flat, insn, d->error,
			"expected the number of a barrier, 0 to 15");
	c->count = (uint8_t)insn->operands[0].bits;
	c->s[0].slot = NO_SLOT;
	if (insn->operand_count < 2)
		return 0;
	c->has_base = true; /* threads that meet, in s[0] */
	return bind_operand(d, flat, &insn->operands[1], PTX_u32, &c->s[0]);
}

/* ---- control ---- */

static int decode_control(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct graph_block *block;

	if (flat->insn->op != PTXO_BRA && !flat->is_return) {
		c->kind = flat->insn->op == PTXO_TRAP ? CODE_TRAP : CODE_EXIT;
		return 0;
	}
	c->kind = CODE_BRANCH;
	c->target = flat->target;
	block = &d->graph->blocks[d->graph->block_of[flat - d->flat->insns]];
	c->reconverge = block->meets == NO_BLOCK
				? d->flat->count
				: d->graph->blocks[block->meets].first;
	if (flat->is_return) {
		c->slots = 0;
		c->pipe = PIPE_NONE;
	}
	return 0;
}

static int decode_sleep(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	c->kind = CODE_SLEEP;
	return bind_operand(
		d, flat, &flat->insn->operands[0], PTX_u32, &c->s[0]);
}

static int decode_operation(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;

	switch (insn->op) {
	case PTXO_BRA:
	case PTXO_RET:
	case PTXO_EXIT:
	case PTXO_TRAP:
		return decode_control(d, flat, c);
	case PTXO_MOV:
		if (!is_predicate(insn))
			return decode_mov(d, flat, c);
		return decode_predicate(d, flat, c);
	case PTXO_AND:
	case PTXO_OR:
	case PTXO_XOR:
	case PTXO_NOT:
		return is_predicate(insn) ? decode_predicate(d, flat, c)
					  : decode_value(d, flat, c);
	case PTXO_CVTA:
		return decode_cvta(d, flat, c);
	case PTXO_SHFL:
	case PTXO_VOTE:
	case PTXO_ACTIVEMASK:
	case PTXO_MATCH:
	case PTXO_REDUX:
	case PTXO_ELECT:
	case PTXO_ISSPACEP:
		return decode_warp(d, flat, c);
	case PTXO_LD:
	case PTXO_ST:
	case PTXO_ATOM:
	case PTXO_RED:
	case PTXO_PREFETCH:
	case PTXO_PREFETCHU:
	case PTXO_DISCARD:
	case PTXO_APPLYPRIORITY:
		return decode_memory(d, flat, c);
	case PTXO_CP_ASYNC:
		return decode_copy(d, flat, c);
	case PTXO_BAR:
	case PTXO_BARRIER:
		return decode_barrier(d, flat, c);
	case PTXO_BAR_WARP:
		c->kind = CODE_NOTHING;
		return 0;
	case PTXO_FENCE:
	case PTXO_MEMBAR:
		c->kind = CODE_FENCE;
		return 0;
	case PTXO_NANOSLEEP:
		return decode_sleep(d, flat, c);
	default:
		return decode_value(d, flat, c);
	}
}

static int decode_insn(struct decoder *d, uint32_t index)
{
	const struct flat_insn *flat = &d->flat->insns[index];
	struct code_insn *c = &d->code->insns[index];
	uint32_t i;

	*c = (struct code_insn){.insn = flat->insn, .reconverge = UINT32_MAX};
	c->guard.slot = c->d.slot = c->e.slot = c->p.slot = NO_SLOT;
	c->d.is_constant = c->e.is_constant = c->p.is_constant = true;
	for (i = 0; i < 4; i++)
		c->s[i] = (struct row){.slot = NO_SLOT, .is_constant = true};
	timing_of(flat->insn, c);
	if (flat->insn->guarded) {
		c->guarded = true;
		c->guard_negated = flat->insn->guard_negated;
		c->guard = d->live->rows[flat_register(
			d->flat, flat->instance, flat->insn->guard)];
		wait_for(c, &c->guard);
	}
	return decode_operation(d, flat, c);
}

static int decode(struct decoder *d)
{
	struct code *code = d->code;
	uint32_t i;
	int status = 0;

	code->insns = calloc(d->flat->count + 1, sizeof(*code->insns));
	if (!code->insns)
		return error_set(d->error, ERR_FAILED, "out of memory");
	code->count = d->flat->count;
	code->slot_count = d->live->slot_count;
	code->register_bytes = (d->live->bytes + 255) & ~255u;
	code->registers = d->live->registers;
	code->shared_bytes = d->flat->shared_bytes;
	code->frame = (d->flat->local_bytes + 15) & ~UINT64_C(15);
	code->local_bytes = code->frame + d->flat->frame_bytes;
	for (i = 0; !status && i < d->flat->count; i++)
		status = decode_insn(d, i);
	return status;
}

int code_make(const char *file, const struct ptx_module *module,
	const struct ptx_function *entry, const uint64_t *variables,
	struct code *code, struct error *error)
{
	struct flat flat;
	struct graph graph = {0};
	struct live live = {0};
	struct decoder d = {.flat = &flat,
		.graph = &graph,
		.live = &live,
		.code = code,
		.error = error};
	int status = flat_make(&flat, file, module, entry, error);

	*code = (struct code){
		.module = module, .function = entry, .variables = variables};
	if (!status && !flat.count)
		status = error_set(error, ERR_USAGE,
			"%s: the kernel '%.*s' has no instructions", file,
			(int)entry->name.length, entry->name.text);
	if (!status)
		status = graph_make(&graph, &flat, error);
	if (!status)
		status = live_make(&live, &flat, &graph, error);
	if (!status)
		status = decode(&d);
	free(d.known);
	live_free(&live);
	graph_free(&graph);
	flat_free(&flat);
	if (status)
		code_free(code);
	return status;
}

void code_free(struct code *code)
{
	free(code->insns);
	free(code->constants);
	*code = (struct code){0};
}
