/* Rules of tensor maps and tensor copies. */
#include "harness/ptx/reader.h"

/* The greatest number that a field of a tensor map takes in the spelling: an
   ordinal, or its value. */
static uint32_t most_of(const struct ptx_insn *insn)
{
	switch (insn->word[PTX_CLASS_FIELD]) {
	case PTXW_FIELD_elemtype:
		return 12;
	case PTXW_FIELD_interleave_layout:
		return 2;
	case PTXW_FIELD_swizzle_mode:
		return 3;
	case PTXW_FIELD_fill_mode:
		return 1;
	default:
		return 4;
	}
}

static int check_replace(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const struct ptx_operand *o = &insn->operands[1];
	const bool is_whole =
		insn->word[PTX_CLASS_FIELD] == PTXW_FIELD_global_address ||
		insn->word[PTX_CLASS_FIELD] == PTXW_FIELD_rank;

	if (!r->module->target_is_exact)
		return reader_refuse(r, &s->place,
			"'%.*s' needs .target sm_90a, the module has sm_%u",
			(int)s->all.length, s->all.text, r->module->target);
	if (is_whole || o->bits <= most_of(insn))
		return 0;
	return reader_refuse(r, &s->place,
		"expected a number of 0 to %u as operand 2 of '%.*s'",
		most_of(insn), (int)s->all.length, s->all.text);
}

int form_check_tensors(
	struct reader *r, const struct ptx_insn *insn, const struct spelling *s)
{
	const uint32_t rank = insn->word[PTX_CLASS_DIMENSION] -
			      (uint32_t)PTXW_DIMENSION_d1 + 1;
	uint32_t i;

	if (insn->op == PTXO_MAP_REPLACE)
		return check_replace(r, insn, s);
	if (insn->op == PTXO_MAP_COPY)
		return insn->operands[2].bits == 128
			       ? 0
			       : reader_refuse(r, &s->place,
					 "expected 128 bytes, those of a "
					 "tensor "
					 "map, as operand 3 of '%.*s'",
					 (int)s->all.length, s->all.text);
	for (i = 0; i < insn->operand_count; i++) {
		const struct ptx_operand *o = &insn->operands[i];

		if (!o->has_place || o[1].count == rank)
			continue;
		return reader_refuse(r, &s->place,
			"expected %u coordinates of '%.*s', not %u", rank,
			(int)s->all.length, s->all.text, o[1].count);
	}
	return 0;
}
