/* Sets of kinds of memory, from register to register. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/flow/origins.h"
#include "backend_sim/flow/spread.h"
#include "backend_sim/flow/uses.h"

#define WORD_BYTES 8u /* of an address */

uint64_t origin_of_address(const struct origin_memory *m, uint64_t address)
{
	size_t low = 0, high = m->buffer_count;

	if (address >= m->end)
		return 0;
	if (address >= m->rest)
		return ORIGIN_OTHER;
	if (!high || address < m->buffers[0])
		return 0;
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;

		if (m->buffers[middle] <= address)
			low = middle;
		else
			high = middle;
	}
	return origin_of_buffer(low);
}

/* ---- operands ---- */

static uint64_t of_variable(const struct origins *o, uint32_t instance,
	const struct ptx_operand *operand)
{
	bool is_launch = false;

	switch (o->f->module->variables[operand->index].space) {
	case PTX_SHARED:
		return ORIGIN_SHARED;
	case PTX_LOCAL:
		return ORIGIN_LOCAL;
	case PTX_GLOBAL:
		return ORIGIN_OTHER;
	case PTX_PARAM:
		flat_place(o->f, instance, operand->index, &is_launch);
		return is_launch ? ORIGIN_FIXED : ORIGIN_LOCAL;
	default:
		return ORIGIN_FIXED;
	}
}

static uint64_t of_operand(const struct origins *o, uint32_t instance,
	const struct ptx_operand *operand)
{
	const struct flat_instance *in = &o->f->instances[instance];
	uint64_t all = 0;
	uint32_t i;

	switch (operand->kind) {
	case PTX_ADDRESS:
		if (operand->is_absolute)
			return 0;
		/* fall through */
	case PTX_REGISTER:
		return o->of[flat_register(o->f, instance, operand->index)];
	case PTX_VARIABLE:
	case PTX_PLACED:
		return of_variable(o, instance, operand);
	case PTX_VECTOR:
		for (i = 0; i < operand->count; i++)
			all |= of_operand(o, instance,
				&in->function->items[operand->index + i]);
		return all;
	default:
		return 0;
	}
}

uint64_t origins_access(const struct origins *o, const struct flat_insn *flat,
	uint8_t space, const struct ptx_operand *address)
{
	uint64_t kinds = of_operand(o, flat->instance, address);

	switch (space) {
	case PTX_SHARED:
		return ORIGIN_SHARED;
	case PTX_LOCAL:
		return ORIGIN_LOCAL;
	case PTX_CONST:
		return ORIGIN_FIXED;
	case PTX_PARAM:
		return kinds & ORIGIN_LOCAL || !kinds ? ORIGIN_LOCAL
						      : ORIGIN_FIXED;
	case PTX_GLOBAL:
		kinds &= ORIGIN_GLOBAL;
		return kinds ? kinds : ORIGIN_GLOBAL;
	default:
		kinds &= ORIGIN_ALL;
		return kinds ? kinds : ORIGIN_ALL;
	}
}

/* ---- results ---- */

/* What parameters of the launch hold: words that lie at the operand, or all of
   them. */
static uint64_t of_parameters(const struct origins *o,
	const struct flat_insn *flat, const struct ptx_operand *address)
{
	const struct origin_memory *m = o->space;
	uint32_t first = 0, end = m->parameter_bytes;
	uint64_t all = 0, word;
	bool is_launch;

	if (address->kind == PTX_PLACED) {
		first = (uint32_t)(flat_place(o->f, flat->instance,
					   address->index, &is_launch) +
				   address->bits) &
			~(WORD_BYTES - 1);
		end = first + WORD_BYTES * flat->insn->vector;
	}
	for (; first < end && first + WORD_BYTES <= m->parameter_bytes;
		first += WORD_BYTES) {
		memcpy(&word, m->parameters + first, sizeof(word));
		all |= origin_of_address(m, word);
	}
	return all;
}

static uint64_t of_load(const struct origins *o, const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *address = &insn->operands[1];
	const uint64_t from = origins_access(o, flat, insn->space, address);
	uint64_t held = 0;

	if (insn->space == PTX_PARAM && from == ORIGIN_FIXED)
		return of_parameters(o, flat, address);
	if (ptx_types[insn->type].bytes < WORD_BYTES)
		return 0;
	if (from & ORIGIN_LOCAL)
		held |= o->local;
	if (from & ~ORIGIN_LOCAL)
		held |= ORIGIN_LOADED;
	return held;
}

static uint64_t of_result(
	const struct origins *o, uint32_t i, const struct uses *u)
{
	const struct flat_insn *flat = &o->f->insns[i];
	const struct ptx_insn *insn = flat->insn;
	uint64_t all = 0;
	uint32_t k;

	if (insn->op == PTXO_LD)
		return of_load(o, flat);
	if (insn->op == PTXO_ATOM)
		return ptx_types[insn->type].bytes < WORD_BYTES ? 0
								: ORIGIN_LOADED;
	for (k = 0; k < u->read_count; k++)
		if (o->f->types[u->reads[k]] != PTX_pred)
			all |= o->of[u->reads[k]];
	for (k = 0; k < insn->operand_count; k++)
		if (insn->operands[k].kind == PTX_VARIABLE ||
			insn->operands[k].kind == PTX_VECTOR)
			all |= of_operand(
				o, flat->instance, &insn->operands[k]);
	return all;
}

/* What is stored into local memory. */
static uint64_t stored(const struct origins *o, const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;

	if (insn->op != PTXO_ST ||
		!(origins_access(o, flat, insn->space, &insn->operands[0]) &
			ORIGIN_LOCAL))
		return 0;
	return of_operand(o, flat->instance, &insn->operands[1]);
}

static void look_at(struct origins *o, struct spread *s, uint32_t i)
{
	const uint64_t put = stored(o, &o->f->insns[i]);
	uint64_t found;
	struct uses u;
	uint32_t k;

	if (put & ~o->local) {
		o->local |= put;
		for (k = 0; k < o->f->count; k++)
			if (o->f->insns[k].insn->op == PTXO_LD)
				spread_insn(s, k);
	}
	uses_of(o->f, i, &u);
	found = u.write_count ? of_result(o, i, &u) : 0;
	for (k = 0; k < u.write_count; k++) {
		if (!(found & ~o->of[u.writes[k]]))
			continue;
		o->of[u.writes[k]] |= found;
		spread_register(s, u.writes[k]);
	}
}

int origins_find(struct origins *o, const struct flat *f,
	const struct origin_memory *space, struct error *error)
{
	struct spread s;
	uint32_t i;
	int code;

	*o = (struct origins){.f = f,
		.space = space,
		.of = calloc((size_t)f->register_count + 1, sizeof(*o->of))};
	code = spread_make(&s, f, error);
	if (!code && !o->of)
		code = error_set(error, ERR_FAILED, "out of memory");
	while (!code && spread_next(&s, &i))
		look_at(o, &s, i);
	spread_free(&s);
	return code;
}

void origins_free(struct origins *o)
{
	free(o->of);
	o->of = NULL;
}
