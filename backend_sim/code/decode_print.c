/* Calls of functions that the driver has: where a thread's local memory holds
   what they take and return. */
#include "backend_sim/code/decode.h"

static uint32_t place_of(const struct decoder *d, const struct flat_insn *flat,
	const struct ptx_operand *o)
{
	bool is_launch;

	return (uint32_t)(d->code->frame +
			  bind_variable(d, flat, o->index, &is_launch));
}

/* Parameter i in rows[i], of 4 bytes where bit i of `bytes` is set; what is
   returned in `d`, if has_base. */
int decode_print(
	struct decoder *d, const struct flat_insn *flat, struct code_insn *c)
{
	const struct ptx_insn *insn = flat->insn;
	const struct ptx_function *within =
		d->flat->instances[flat->instance].function;
	const struct ptx_operand *name = flat_callee(insn);
	const struct ptx_operand *taken = name + 1;
	const struct ptx_function *callee =
		&d->flat->module->functions[name->index];
	uint32_t i;

	c->kind = CODE_PRINT;
	c->count = insn->from;
	c->bytes = 0;
	c->has_base = name > insn->operands && insn->operands[0].count == 1;
	if (c->has_base)
		c->d.offset = place_of(
			d, flat, &within->items[insn->operands[0].index]);
	if (name + 1 >= insn->operands + insn->operand_count ||
		taken->count != callee->parameter_count)
		return flat_refuse(d->flat, insn, d->error,
			"expected %u parameters of '%.*s'",
			callee->parameter_count, (int)callee->name.length,
			callee->name.text);
	for (i = 0; i < taken->count; i++) {
		const struct ptx_operand *o = &within->items[taken->index + i];
		const uint64_t bytes =
			o->kind == PTX_VARIABLE
				? d->flat->module->variables[o->index].bytes
				: 0;

		if (bytes != 4 && bytes != 8)
			return flat_refuse(d->flat, insn, d->error,
				"expected parameters of 4 or 8 bytes");
		c->rows[i].offset = place_of(d, flat, o);
		c->bytes |= (uint8_t)((bytes == 4) << i);
	}
	return 0;
}
