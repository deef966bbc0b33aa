#include <stdlib.h>

#include "backend_sim/flow/effect.h"
#include "backend_sim/passes/assemble.h"
#include "backend_sim/flow/spread.h"
#include "backend_sim/flow/uses.h"

#define WORD_BYTES 4u

/* ---- what differs between the lanes of a warp ---- */

static bool is_of_lane(const struct ptx_operand *o)
{
	return o->kind == PTX_SPECIAL &&
	       (o->index <= PTXS_tid_z || o->index == PTXS_laneid ||
		       (o->index >= PTXS_lanemask_eq &&
			       o->index <= PTXS_lanemask_gt) ||
		       o->index >= PTXS_clock);
}

/* By itself, whatever its registers hold. */
static bool differs(const struct ptx_insn *insn)
{
	uint32_t i;

	for (i = 0; i < insn->operand_count; i++)
		if (is_of_lane(&insn->operands[i]))
			return true;
	if (insn->op == PTXO_LD)
		return insn->space != PTX_PARAM && insn->space != PTX_CONST;
	return effect_of(insn) != NONE_AT_ALL;
}

/* A register that is written twice may have taken another path in each lane. */
static void mark_rewritten(const struct flat *f, uint8_t *varies)
{
	uint8_t *written = varies + f->register_count;
	struct uses u;
	uint32_t i, k;

	for (i = 0; i < f->count; i++) {
		uses_of(f, i, &u);
		for (k = 0; k < u.write_count; k++) {
			varies[u.writes[k]] |= written[u.writes[k]];
			written[u.writes[k]] = 1;
		}
	}
}

static void look_at(
	struct spread *s, const struct flat *f, uint32_t i, uint8_t *varies)
{
	bool differ = differs(f->insns[i].insn);
	struct uses u;
	uint32_t k;

	uses_of(f, i, &u);
	for (k = 0; k < u.read_count; k++)
		differ |= varies[u.reads[k]];
	for (k = 0; differ && k < u.write_count; k++) {
		if (!varies[u.writes[k]])
			spread_register(s, u.writes[k]);
		varies[u.writes[k]] = 1;
	}
}

/* ---- the atomics ---- */

/* Where the address stands; the value stands behind it. */
static const struct ptx_operand *address_of(const struct ptx_insn *insn)
{
	return &insn->operands[insn->op == PTXO_ATOM];
}

static bool is_candidate(const struct ptx_insn *insn)
{
	return (insn->op == PTXO_ATOM || insn->op == PTXO_RED) &&
	       insn->space == PTX_GLOBAL &&
	       insn->qualifiers[Q_ATOMIC] == QV_ATOMIC_add &&
	       !ptx_is_real(insn->type) && insn->vector == 1 &&
	       ptx_types[insn->type].bytes == WORD_BYTES &&
	       (insn->op == PTXO_RED || address_of(insn)[1].kind == PTX_NUMBER);
}

static bool is_same(const struct flat *f, const struct flat_insn *flat,
	const uint8_t *varies)
{
	const struct ptx_operand *address = address_of(flat->insn);

	if (address->kind == PTX_PLACED || address->is_absolute)
		return true;
	return address->kind == PTX_ADDRESS &&
	       !varies[flat_register(f, flat->instance, address->index)];
}

int gather_atomics(struct flat *f, struct error *error)
{
	/* of each register: does it vary; was it seen written */
	uint8_t *varies = calloc(2 * (size_t)f->register_count + 1, 1);
	struct spread s;
	uint32_t i;
	int code;

	if (!varies)
		return error_set(error, ERR_FAILED, "out of memory");
	code = spread_make(&s, f, error);
	if (!code)
		mark_rewritten(f, varies);
	while (!code && spread_next(&s, &i))
		look_at(&s, f, i, varies);
	for (i = 0; !code && i < f->count; i++)
		f->insns[i].gathered = is_candidate(f->insns[i].insn) &&
				       is_same(f, &f->insns[i], varies);
	spread_free(&s);
	free(varies);
	return code;
}
