/* Whether a call fits what it calls. */
#include "harness/ptx/reader.h"

/* (a, b): where a call returns to. */
static int check_returned(struct reader *r, const struct ptx_use *use,
	const struct ptx_operand *list)
{
	uint32_t i;

	for (i = 0; list && i < list->count; i++) {
		const uint8_t kind = r->function->items[list->index + i].kind;

		if (kind != PTX_REGISTER && kind != PTX_VARIABLE &&
			kind != PTX_NOTHING)
			return reader_refuse(r, &use->token.place,
				"'%.*s' returns to a register or a parameter, "
				"not to a value",
				(int)use->token.text.length,
				use->token.text.text);
	}
	return 0;
}

/* (a, b): what a call takes or returns, beside the parameters. */
static int check_passed(struct reader *r, const struct ptx_use *use,
	const struct ptx_operand *list, uint32_t first, uint32_t count)
{
	const struct ptx_variable *v = &r->module->variables[first];
	const uint32_t has = list ? list->count : 0;
	uint32_t i;

	if (has != count)
		return reader_refuse(r, &use->token.place,
			"'%.*s' has %u parameters there, the call has %u",
			(int)use->token.text.length, use->token.text.text,
			count, has);
	for (i = 0; i < count; i++) {
		const struct ptx_operand *o =
			&r->function->items[list->index + i];

		if (o->kind == PTX_VARIABLE &&
			r->module->variables[o->index].bytes != v[i].bytes)
			return reader_refuse(r, &use->token.place,
				"the call passes '%.*s' of '%.*s' in another "
				"size",
				(int)v[i].name.length, v[i].name.text,
				(int)use->token.text.length,
				use->token.text.text);
	}
	return 0;
}

static int check_call(struct reader *r, const struct ptx_use *use,
	const struct ptx_function *callee)
{
	const struct ptx_insn *insn = &r->function->insns[use->insn];
	const struct ptx_operand *name = &insn->operands[use->operand];
	const bool returns = use->operand > 0;
	const bool takes = use->operand + 1u < insn->operand_count;
	int code;

	if (callee->is_entry)
		return reader_refuse(r, &use->token.place,
			"'%.*s' is an entry, which can't be called",
			(int)use->token.text.length, use->token.text.text);
	if (callee->head_unmodelled)
		return 0;
	code = check_passed(r, use, returns ? name - 1 : NULL,
		callee->return_first, callee->return_count);
	if (!code)
		code = check_returned(r, use, returns ? name - 1 : NULL);
	return code ? code
		    : check_passed(r, use, takes ? name + 1 : NULL,
			      callee->parameter_first, callee->parameter_count);
}

int ptx_find_callee(struct reader *r, const struct ptx_use *use)
{
	struct ptx_operand *o =
		&r->function->insns[use->insn].operands[use->operand];
	int i = ptx_find_function(r->module, &use->token.text);

	if (i < 0)
		return reader_refuse(r, &use->token.place,
			"there is no function '%.*s' in this module",
			(int)use->token.text.length, use->token.text.text);
	o->kind = PTX_FUNCTION;
	o->index = (uint32_t)i;
	return check_call(r, use, &r->module->functions[i]);
}
