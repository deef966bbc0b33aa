/* What instructions read and write when they are computed, and what of them
   decides in any case. */
#include <string.h>

#include "backend_sim/flow/effect.h"
#include "backend_sim/flow/needs_parts.h"

#define VALUE(i) (uint8_t)(1u << (i))
#define ALL      UINT8_MAX

/* ---- memory ---- */

static uint64_t at(
	const struct origins *o, const struct flat_insn *flat, uint32_t operand)
{
	return origins_access(
		o, flat, flat->insn->space, &flat->insn->operands[operand]);
}

/* The operands behind the address, but for a policy. */
static uint8_t values_behind(const struct ptx_insn *insn, uint32_t address)
{
	const uint32_t end = insn->operand_count - ptx_has_policy(insn);
	uint8_t values = 0;
	uint32_t i;

	for (i = address + 1; i < end; i++)
		values |= VALUE(i);
	return values;
}

static struct need of_access(
	const struct origins *o, const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;

	switch (insn->op) {
	case PTXO_LD:
		return (struct need){.always = insn->space == PTX_PARAM &&
					       at(o, flat, 1) == ORIGIN_FIXED,
			.reads = at(o, flat, 1)};
	case PTXO_ST:
		return (struct need){.values = values_behind(insn, 0),
			.writes = at(o, flat, 0)};
	case PTXO_ATOM:
		return (struct need){.values = values_behind(insn, 1),
			.reads = at(o, flat, 1),
			.writes = at(o, flat, 1)};
	default: /* PTXO_RED */
		return (struct need){.values = values_behind(insn, 0),
			.reads = at(o, flat, 0),
			.writes = at(o, flat, 0)};
	}
}

/* Tiles and fragments. */
static struct need of_tiles(
	const struct origins *o, const struct flat_insn *flat)
{
	switch (flat->insn->op) {
	case PTXO_LDMATRIX:
		return (struct need){.reads = ORIGIN_SHARED};
	case PTXO_STMATRIX:
		return (struct need){
			.values = VALUE(1), .writes = ORIGIN_SHARED};
	case PTXO_WMMA_STORE:
		return (struct need){
			.values = VALUE(1), .writes = at(o, flat, 0)};
	default:
		return (struct need){.reads = at(o, flat, 1)};
	}
}

/* ---- copies ---- */

static uint64_t in_global(
	const struct origins *o, const struct flat_insn *flat, uint32_t operand)
{
	return origins_access(
		o, flat, PTX_GLOBAL, &flat->insn->operands[operand]);
}

static struct need of_bulk(
	const struct origins *o, const struct flat_insn *flat)
{
	const struct ptx_insn *insn = flat->insn;
	const uint8_t *word = insn->word;
	struct need n = {.reads = ORIGIN_SHARED, .writes = ORIGIN_SHARED};

	if (word[PTX_CLASS_FROM] == PTXW_FROM_global)
		n.reads = in_global(o, flat, 1);
	else if (word[PTX_CLASS_SPACE] == PTXW_SPACE_global)
		n.writes = in_global(o, flat, 0);
	if (insn->op == PTXO_CP_BULK_REDUCE)
		n.reads |= n.writes;
	return n;
}

/* Where the map is, and what it may be of. */
static struct need of_tensor(const struct origins *o,
	const struct flat_insn *flat, const struct needs *needs)
{
	const struct ptx_insn *insn = flat->insn;
	const uint64_t mapped = needs->makes_maps || !o->space->mapped
					? ORIGIN_GLOBAL
					: o->space->mapped;
	struct need n = {0};
	uint32_t i;

	for (i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].has_place)
			n.looks |= origins_access(
				o, flat, PTX_GENERIC, &insn->operands[i]);
	if (insn->op == PTXO_CP_TENSOR_PREFETCH) {
		n.always = true;
	} else if (insn->op == PTXO_CP_TENSOR &&
		   insn->word[PTX_CLASS_SPACE] != PTXW_SPACE_global) {
		n.reads = mapped;
		n.writes = ORIGIN_SHARED;
	} else {
		n.reads = ORIGIN_SHARED;
		n.writes = mapped;
		if (insn->op == PTXO_CP_TENSOR_REDUCE)
			n.reads |= mapped;
	}
	return n;
}

/* ---- the warp, matrices ---- */

/* All but the members, which are the last. */
static struct need of_talk(const struct ptx_insn *insn)
{
	const uint64_t said = insn->op == PTXO_SHFL    ? NEED_SHFL
			      : insn->op == PTXO_VOTE  ? NEED_VOTE
			      : insn->op == PTXO_MATCH ? NEED_MATCH
						       : NEED_REDUX;
	struct need n = {.values = ALL, .reads = said, .writes = said};

	if (insn->word[PTX_CLASS_SYNC])
		n.values &= (uint8_t)~VALUE(insn->operand_count - 1);
	return n;
}

/* Descriptors decide where it reads. */
static struct need of_product(const struct ptx_insn *insn)
{
	struct need n = {.values = VALUE(0), .reads = ORIGIN_SHARED};

	if (insn->operands[1].kind == PTX_VECTOR)
		n.values |= VALUE(1);
	return n;
}

/* ---- all of them ---- */

/* It makes a value of values, and does nothing else. */
static bool is_value(const struct ptx_insn *insn)
{
	const char *letters = ptx_ops[insn->op].operands;
	const bool takes_carry = insn->op == PTXO_ADDC ||
				 insn->op == PTXO_SUBC || insn->op == PTXO_MADC;

	return effect_of(insn) == NONE_AT_ALL && *letters &&
	       strchr(PTX_WRITTEN, *letters) && !takes_carry &&
	       !insn->word[PTX_CLASS_CC];
}

/* What is computed in any case, and what it reads. */
static struct need of_other(
	const struct origins *o, const struct flat_insn *flat)
{
	struct need n = {.always = true};

	switch (flat->insn->op) {
	case PTXO_CALL: /* that prints what its arguments lead to */
		n.looks = ORIGIN_ALL;
		break;
	case PTXO_MAP_REPLACE:
		n.looks = origins_access(
			o, flat, PTX_GENERIC, &flat->insn->operands[0]);
		break;
	case PTXO_MAP_COPY:
		n.looks = ORIGIN_SHARED;
		break;
	default:
		break;
	}
	return n;
}

struct need need_of(const struct origins *o, const struct flat_insn *flat,
	const struct needs *needs)
{
	switch (flat->insn->op) {
	case PTXO_LD:
	case PTXO_ST:
	case PTXO_ATOM:
	case PTXO_RED:
		return of_access(o, flat);
	case PTXO_LDMATRIX:
	case PTXO_STMATRIX:
	case PTXO_WMMA_LOAD_A:
	case PTXO_WMMA_LOAD_B:
	case PTXO_WMMA_LOAD_C:
	case PTXO_WMMA_STORE:
		return of_tiles(o, flat);
	case PTXO_CP_ASYNC:
		if (flat->insn->word[PTX_CLASS_GROUP])
			return (struct need){.always = true};
		return (struct need){.reads = in_global(o, flat, 1),
			.writes = ORIGIN_SHARED};
	case PTXO_ST_ASYNC:
		return (struct need){
			.values = VALUE(1), .writes = ORIGIN_SHARED};
	case PTXO_RED_ASYNC:
		return (struct need){.values = VALUE(1),
			.reads = ORIGIN_SHARED,
			.writes = ORIGIN_SHARED};
	case PTXO_CP_BULK:
	case PTXO_CP_BULK_REDUCE:
		return of_bulk(o, flat);
	case PTXO_CP_TENSOR:
	case PTXO_CP_TENSOR_REDUCE:
	case PTXO_CP_TENSOR_PREFETCH:
		return of_tensor(o, flat, needs);
	case PTXO_SHFL:
	case PTXO_VOTE:
	case PTXO_MATCH:
	case PTXO_REDUX:
		return of_talk(flat->insn);
	case PTXO_MMA:
	case PTXO_WMMA_MMA:
	case PTXO_MOVMATRIX:
		return (struct need){.values = ALL};
	case PTXO_WGMMA:
		return of_product(flat->insn);
	default:
		if (is_value(flat->insn))
			return (struct need){.values = ALL};
		return of_other(o, flat);
	}
}
