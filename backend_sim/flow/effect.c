/* What instructions do that no register shows. */
#include "backend_sim/flow/effect.h"

static bool reads_clock(const struct ptx_insn *insn)
{
	return insn->op == PTXO_MOV && insn->operands[1].kind == PTX_SPECIAL &&
	       insn->operands[1].index >= PTXS_clock;
}

/* An atomic that orders all accesses of its thread, of whatever space. */
static bool synchronizes(const struct ptx_insn *insn)
{
	const uint8_t sem = insn->qualifiers[Q_SEM];

	return sem == QV_SEM_acquire || sem == QV_SEM_release ||
	       sem == QV_SEM_acq_rel;
}

/* What nothing of memory moves across. */
static bool orders(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_CALL: /* that stayed one: it prints */
	case PTXO_FENCE:
	case PTXO_MEMBAR:
	case PTXO_BAR:
	case PTXO_BAR_ARRIVE:
	case PTXO_BAR_RED:
	case PTXO_BARRIER:
	case PTXO_BARRIER_ARRIVE:
	case PTXO_BARRIER_RED:
	case PTXO_BAR_WARP:
	case PTXO_CP_ASYNC:
	case PTXO_MBARRIER_INIT:
	case PTXO_MBARRIER_INVAL:
	case PTXO_MBARRIER_ARRIVE:
	case PTXO_MBARRIER_DROP:
	case PTXO_MBARRIER_EXPECT:
	case PTXO_MBARRIER_COMPLETE:
	case PTXO_MBARRIER_TEST:
	case PTXO_MBARRIER_TEST_PARITY:
	case PTXO_MBARRIER_TRY:
	case PTXO_MBARRIER_TRY_PARITY:
	case PTXO_CP_ASYNC_ARRIVE:
	case PTXO_CP_BULK:
	case PTXO_CP_BULK_REDUCE:
	case PTXO_CP_TENSOR:
	case PTXO_CP_TENSOR_REDUCE:
	case PTXO_CP_TENSOR_PREFETCH:
	case PTXO_MAP_REPLACE:
	case PTXO_MAP_COPY:
	case PTXO_CP_BULK_PREFETCH:
	case PTXO_CP_BULK_COMMIT:
	case PTXO_CP_BULK_WAIT:
	case PTXO_ST_ASYNC:
	case PTXO_RED_ASYNC:
	case PTXO_FENCE_PROXY:
	case PTXO_FENCE_ACQUIRE_SHARED:
	case PTXO_FENCE_RELEASE_SHARED:
	case PTXO_FENCE_MBARRIER:
	case PTXO_NANOSLEEP:
	case PTXO_DISCARD:
	case PTXO_TRAP:
	case PTXO_WGMMA:
	case PTXO_WGMMA_FENCE:
	case PTXO_WGMMA_COMMIT:
	case PTXO_WGMMA_WAIT:
	case PTXO_CLUSTER_ARRIVE:
	case PTXO_CLUSTER_WAIT:
	case PTXO_GRIDDEP_WAIT:
	case PTXO_GRIDDEP_LAUNCH:
	case PTXO_REGISTERS_INC:
	case PTXO_REGISTERS_DEC:
		return true;
	default:
		return false;
	}
}

enum effect effect_of(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_MOV:
		return reads_clock(insn) ? CLOCKS : NONE_AT_ALL;
	case PTXO_LD:
		if (insn->qualifiers[Q_SEM])
			return ORDERS;
		return insn->space == PTX_CONST || insn->qualifiers[Q_NC]
			       ? FETCHES
			       : READS;
	case PTXO_ST:
		return insn->qualifiers[Q_SEM] ? ORDERS : WRITES;
	case PTXO_ATOM:
	case PTXO_RED:
		return synchronizes(insn) ? ORDERS : WRITES;
	case PTXO_SHFL:
	case PTXO_VOTE:
	case PTXO_MATCH:
	case PTXO_REDUX:
	case PTXO_ACTIVEMASK:
	case PTXO_ELECT:
	case PTXO_MMA:
	case PTXO_WMMA_MMA:
	case PTXO_MOVMATRIX:
		return TALKS;
	case PTXO_LDMATRIX:
	case PTXO_WMMA_LOAD_A:
	case PTXO_WMMA_LOAD_B:
	case PTXO_WMMA_LOAD_C:
		return READS;
	case PTXO_STMATRIX:
	case PTXO_WMMA_STORE:
		return WRITES;
	default:
		return orders(insn) ? ORDERS : NONE_AT_ALL;
	}
}

bool effect_waits(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_BAR:
	case PTXO_BAR_ARRIVE:
	case PTXO_BAR_RED:
	case PTXO_BARRIER:
	case PTXO_BARRIER_ARRIVE:
	case PTXO_BARRIER_RED:
	case PTXO_BAR_WARP:
	case PTXO_LDMATRIX:
	case PTXO_STMATRIX:
	case PTXO_WMMA_LOAD_A:
	case PTXO_WMMA_LOAD_B:
	case PTXO_WMMA_LOAD_C:
	case PTXO_WMMA_STORE:
	case PTXO_WGMMA:
		return true;
	default:
		return effect_of(insn) == TALKS && insn->word[PTX_CLASS_SYNC];
	}
}

bool effect_is_pure(const struct ptx_insn *insn)
{
	return effect_of(insn) == NONE_AT_ALL && !ptx_ops[insn->op].memory &&
	       insn->op != PTXO_BRA && !insn->word[PTX_CLASS_CC];
}

bool effect_gathers(const struct ptx_insn *insn)
{
	return effect_of(insn) == TALKS || effect_waits(insn);
}

/* Whether both may be about the same memory. */
static bool may_meet(const struct ptx_insn *a, const struct ptx_insn *b)
{
	return a->space == b->space || a->space == PTX_GENERIC ||
	       b->space == PTX_GENERIC;
}

bool effect_keeps_order(
	const struct ptx_insn *before, const struct ptx_insn *after)
{
	const enum effect a = effect_of(before), b = effect_of(after);

	if (a == NONE_AT_ALL || b == NONE_AT_ALL)
		return false;
	if (a == CLOCKS || b == CLOCKS)
		return true;
	if (a == FETCHES || b == FETCHES)
		return false;
	if (a == ORDERS || b == ORDERS)
		return true;
	if (a == TALKS || b == TALKS)
		return a == b;
	return (a == WRITES || b == WRITES) && may_meet(before, after);
}

bool effect_covers(const struct ptx_insn *before, const struct ptx_insn *after)
{
	const enum effect a = effect_of(before), b = effect_of(after);

	if (a == CLOCKS || (a == TALKS && b == TALKS))
		return true;
	if (a == ORDERS)
		return b != CLOCKS && b != FETCHES;
	return a == WRITES && (b == WRITES || b == READS) &&
	       (before->space == after->space || before->space == PTX_GENERIC);
}
