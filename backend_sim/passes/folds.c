#include <stdlib.h>

#include "backend_sim/passes/folds.h"
#include "backend_sim/flow/uses.h"
#include "backend_sim/rules/rules.h"

#define FOLD_MOST (1 << 22) /* an address has no more beside its register */

bool fold_is_address(const struct flat *f, uint32_t i,
	const struct ptx_operand *o, uint32_t reg)
{
	return o->kind == PTX_ADDRESS && !o->is_absolute &&
	       flat_register(f, f->insns[i].instance, o->index) == reg;
}

/* How often the instruction reads the register but for an address. */
static uint32_t other_reads(const struct flat *f, uint32_t i, uint32_t reg)
{
	const struct ptx_insn *insn = f->insns[i].insn;
	uint32_t reads = 0, k;
	struct uses uses;

	uses_of(f, i, &uses);
	for (k = 0; k < uses.read_count; k++)
		reads += uses.reads[k] == reg;
	for (k = 0; k < insn->operand_count; k++)
		reads -= fold_is_address(f, i, &insn->operands[k], reg);
	return reads;
}

/* `reach`: what the register counts in all rounds. */
static bool is_in_reach(
	const struct flat *f, uint32_t i, uint32_t reg, int64_t reach)
{
	const struct ptx_insn *insn = f->insns[i].insn;
	uint32_t k;

	for (k = 0; k < insn->operand_count; k++) {
		const int64_t beside = (int64_t)insn->operands[k].bits;

		if (fold_is_address(f, i, &insn->operands[k], reg) &&
			(reach > FOLD_MOST || beside > FOLD_MOST ||
				beside < -FOLD_MOST))
			return false;
	}
	return true;
}

static bool only_counts(const struct flat *f, const struct counted *loop,
	uint32_t add, uint32_t reg, int64_t reach)
{
	struct uses uses;
	uint32_t i, k;

	for (i = loop->first; i < loop->end; i++) {
		if (i == add || i == loop->test)
			continue;
		uses_of(f, i, &uses);
		for (k = 0; k < uses.write_count; k++)
			if (uses.writes[k] == reg)
				return false;
		if (other_reads(f, i, reg) || !is_in_reach(f, i, reg, reach))
			return false;
	}
	return true;
}

void folds_find(struct folds *folds, const struct flat *f,
	const struct counted *loop, uint32_t rounds)
{
	uint32_t i;

	folds->count = 0;
	for (i = loop->first; i < loop->end; i++) {
		const struct flat_insn *flat = &f->insns[i];
		const int64_t step = counted_step(flat->insn);
		uint32_t reg;

		if (!RULE(FOLDED_COUNTERS) || !step ||
			folds->count == FOLDS_MAX)
			continue;
		reg = flat_register(
			f, flat->instance, flat->insn->operands[0].index);
		if (only_counts(f, loop, i, reg, llabs(step) * rounds))
			folds->list[folds->count++] =
				(struct fold){reg, i, step, 0};
	}
}

struct fold *folds_at(struct folds *folds, uint32_t i)
{
	uint32_t k;

	for (k = 0; k < folds->count; k++)
		if (folds->list[k].at == i)
			return &folds->list[k];
	return NULL;
}
