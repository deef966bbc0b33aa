/* Which function an instruction is. */
#include "backend_sim/values/value.h"

static bool is_narrow(uint8_t type)
{
	return type && strchr("hHtT", ptx_types[type].kind);
}

/* Conversions of small.c, which looks at their modifiers. */
static bool is_small(const struct ptx_insn *insn)
{
	const char to = ptx_types[insn->type].kind;

	return to == 'x' || to == 'e' || ptx_types[insn->from].kind == 'e';
}

/* The modifiers that stand with some types alone. */
static bool fits(const struct ptx_insn *insn)
{
	const uint8_t *word = insn->word;
	bool chooses = insn->op == PTXO_MIN || insn->op == PTXO_MAX;
	bool to_narrow = insn->op == PTXO_CVT && insn->from == PTX_f32 &&
			 is_narrow(insn->type);

	if (word[PTX_CLASS_NAN] || word[PTX_CLASS_XORSIGN] ||
		word[PTX_CLASS_ABS])
		return !word[PTX_CLASS_XORSIGN] == !word[PTX_CLASS_ABS] &&
		       !word[PTX_CLASS_RELU] &&
		       (insn->type == PTX_f32 || is_narrow(insn->type));
	if (insn->op == PTXO_CVT && is_small(insn))
		return true;
	if (word[PTX_CLASS_ROUND] == PTXW_ROUND_rna || word[PTX_CLASS_BOUND])
		return false;
	if (word[PTX_CLASS_FINITE] && !to_narrow)
		return false;
	return !word[PTX_CLASS_RELU] || to_narrow ||
	       (insn->op == PTXO_FMA && is_narrow(insn->type)) ||
	       (chooses && insn->type == PTX_s32);
}

value_fn value_function(const struct ptx_insn *insn)
{
	static value_fn (*const files[])(const struct ptx_insn *) = {
		value_small,
		value_rare,
		value_compare,
		value_convert,
		value_real,
		value_half,
		value_bits,
		value_integer,
		value_policy,
		value_address,
	};
	value_fn f = NULL;
	size_t i;

	if (!fits(insn))
		return NULL;
	for (i = 0; !f && i < sizeof(files) / sizeof(*files); i++)
		f = files[i](insn);
	return f;
}
