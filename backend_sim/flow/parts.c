#include "backend_sim/flow/parts.h"
#include "backend_sim/flow/effect.h"
#include "backend_sim/rules/rules.h"

bool parts_is_sequence(const struct ptx_insn *insn)
{
	const bool divides = insn->op == PTXO_DIV || insn->op == PTXO_REM;

	if (!divides && insn->op != PTXO_RCP && insn->op != PTXO_SQRT &&
		insn->op != PTXO_RSQRT)
		return false;
	return ptx_types[insn->type].bytes == 8 ||
	       (insn->type == PTX_f32 && !insn->word[PTX_CLASS_APPROX]);
}

/* All lanes that it names must come together for it. */
static bool gathers(const struct ptx_insn *insn)
{
	return insn->op == PTXO_BAR_WARP ||
	       (effect_of(insn) == TALKS && insn->op != PTXO_ACTIVEMASK);
}

static uint32_t first_gathering(
	const struct flat *f, const struct graph_block *block)
{
	uint32_t i = block->first;

	while (i < block->end && !gathers(f->insns[i].insn))
		i++;
	return i;
}

static uint32_t behind_last_gathering(
	const struct flat *f, const struct graph_block *block)
{
	uint32_t i = block->end;

	while (i > block->first && !gathers(f->insns[i - 1].insn))
		i--;
	return i;
}

struct parts parts_of(
	const struct flat *f, const struct graph_block *block, bool divided)
{
	return (struct parts){f, block->end,
		divided ? first_gathering(f, block) : block->end,
		divided ? behind_last_gathering(f, block) : block->end};
}

uint32_t parts_end(const struct parts *parts, uint32_t first)
{
	uint32_t i;

	for (i = first; i < parts->end; i++) {
		/* What products leave is there behind it. */
		if (parts->f->insns[i].insn->op == PTXO_WGMMA_WAIT)
			return i + 1;
		if (!RULE(BLOCK_PARTS))
			continue;
		if (i > first && (i == parts->slow || i == parts->back))
			return i;
		if (parts_is_sequence(parts->f->insns[i].insn))
			return i + 1;
	}
	return parts->end;
}
