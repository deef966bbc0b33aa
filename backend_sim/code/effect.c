/* What instructions do that no register shows. */
#include "backend_sim/code/effect.h"

enum effect effect_of(const struct ptx_insn *insn)
{
	switch (insn->op) {
	case PTXO_LD:
		if (insn->qualifiers[Q_SEM])
			return ORDERS;
		return insn->space == PTX_CONST || insn->qualifiers[Q_NC]
			       ? NONE_AT_ALL
			       : READS;
	case PTXO_ST:
		return insn->qualifiers[Q_SEM] ? ORDERS : WRITES;
	case PTXO_ATOM:
	case PTXO_RED:
	case PTXO_FENCE:
	case PTXO_MEMBAR:
	case PTXO_BAR:
	case PTXO_BARRIER:
	case PTXO_BAR_WARP:
	case PTXO_CP_ASYNC:
	case PTXO_SHFL:
	case PTXO_VOTE:
	case PTXO_MATCH:
	case PTXO_REDUX:
	case PTXO_ACTIVEMASK:
	case PTXO_ELECT:
	case PTXO_NANOSLEEP:
	case PTXO_DISCARD:
		return ORDERS;
	default:
		return NONE_AT_ALL;
	}
}

bool effect_may_meet(const struct ptx_insn *a, const struct ptx_insn *b)
{
	return a->space == b->space || a->space == PTX_GENERIC ||
	       b->space == PTX_GENERIC;
}

bool effect_reads_clock(const struct ptx_insn *insn)
{
	return insn->op == PTXO_MOV && insn->operands[1].kind == PTX_SPECIAL &&
	       insn->operands[1].index >= PTXS_clock;
}

bool effect_keeps_order(const struct ptx_insn *insn)
{
	return effect_of(insn) == ORDERS || effect_reads_clock(insn);
}
