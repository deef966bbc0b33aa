/* Low bits that are zero, from what makes a register; until nothing changes. */
#include <string.h>

#include "backend_sim/passes/aligned.h"
#include "backend_sim/flow/spread.h"
#include "backend_sim/flow/uses.h"

#define ALL_ZERO 63u

/* Where shared memory of a block begins. */
#define SHARED_ZEROS 10u

static uint8_t least(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

static uint8_t sum(uint8_t a, uint8_t b)
{
	return least((uint8_t)(a + b), ALL_ZERO);
}

static uint8_t zeros_of(uint64_t bits)
{
	return bits ? (uint8_t)__builtin_ctzll(bits) : ALL_ZERO;
}

static uint8_t of_variable(
	const struct flat *f, uint32_t instance, const struct ptx_operand *o)
{
	bool is_launch;

	if (f->module->variables[o->index].space != PTX_SHARED)
		return 0;
	return least(SHARED_ZEROS,
		zeros_of(flat_place(f, instance, o->index, &is_launch) +
			 (o->kind == PTX_VARIABLE ? o->bits : 0)));
}

static uint8_t of_operand(const struct flat *f, const uint8_t *zeros,
	uint32_t instance, const struct ptx_operand *o)
{
	switch (o->kind) {
	case PTX_REGISTER:
		return zeros[flat_register(f, instance, o->index)];
	case PTX_NUMBER:
		return o->is_float ? 0 : zeros_of(o->bits);
	case PTX_VARIABLE:
		return of_variable(f, instance, o);
	default:
		return 0;
	}
}

uint8_t aligned_base(const struct flat *f, const uint8_t *zeros,
	uint32_t instance, const struct ptx_operand *o)
{
	if (o->kind == PTX_PLACED)
		return of_variable(f, instance, o);
	if (o->kind != PTX_ADDRESS)
		return 0;
	return o->is_absolute ? SHARED_ZEROS
			      : zeros[flat_register(f, instance, o->index)];
}

static uint8_t of_product(const struct ptx_insn *insn, const uint8_t *s)
{
	return insn->word[PTX_CLASS_MODE] == PTXW_MODE_hi ? 0 : sum(s[1], s[2]);
}

/* Of what the instruction writes. */
static uint8_t of_result(const struct flat *f, const uint8_t *zeros, uint32_t i)
{
	const struct flat_insn *flat = &f->insns[i];
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_operand *o = insn->operands;
	uint8_t s[PTX_OPERANDS_MAX] = {0};
	uint32_t k;

	if (insn->guarded)
		return 0;
	for (k = 1; k < insn->operand_count; k++)
		s[k] = of_operand(f, zeros, flat->instance, &o[k]);
	switch (insn->op) {
	case PTXO_MOV:
	case PTXO_CVTA:
		return s[1];
	case PTXO_CVT:
		return strchr("usb", ptx_types[insn->type].kind) &&
				       strchr("usb",
					       ptx_types[insn->from].kind) &&
				       !insn->word[PTX_CLASS_SAT]
			       ? s[1]
			       : 0;
	case PTXO_ADD:
	case PTXO_SUB:
	case PTXO_OR:
	case PTXO_XOR:
	case PTXO_SELP:
		return least(s[1], s[2]);
	case PTXO_AND:
		return s[1] > s[2] ? s[1] : s[2];
	case PTXO_SHL:
		return o[2].kind == PTX_NUMBER && o[2].bits < ALL_ZERO
			       ? sum(s[1], (uint8_t)o[2].bits)
			       : s[1];
	case PTXO_MUL:
		return of_product(insn, s);
	case PTXO_MAD:
		return least(of_product(insn, s), s[3]);
	default:
		return 0;
	}
}

int aligned_find(const struct flat *f, uint8_t *zeros, struct error *error)
{
	struct spread s;
	struct uses u;
	uint32_t i, k;
	const int code = spread_make(&s, f, error);

	memset(zeros, ALL_ZERO, f->register_count);
	while (!code && spread_next(&s, &i)) {
		uint8_t found;

		uses_of(f, i, &u);
		if (!u.write_count)
			continue;
		found = of_result(f, zeros, i);
		for (k = 0; k < u.write_count; k++) {
			if (found >= zeros[u.writes[k]])
				continue;
			zeros[u.writes[k]] = found;
			spread_register(&s, u.writes[k]);
		}
	}
	spread_free(&s);
	return code;
}
