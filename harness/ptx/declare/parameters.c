/* What functions take and return: variables, and registers, which go through
   variables of their own. */
#include <string.h>

#include "harness/ptx/reader.h"

/* Back to its name. */
static int find_name(struct reader *r, const struct reader_place *start)
{
	int code = 0;

	reader_go_back(r, start);
	while (!code && r->token.kind != TOKEN_NAME &&
		r->token.kind != TOKEN_END)
		code = reader_next(r);
	return code;
}

/* One that is not modelled, and so is its function: whoever names it is passed
   over. */
static int pass_over(struct reader *r, const struct reader_place *start)
{
	int code = reader_keep_unmodelled(r, r->function);

	r->function->head_unmodelled |= r->where != OF_PROTOTYPE;
	/* Where all of it has been read. */
	if (!code && (reader_is_mark(r, ',') || reader_is_mark(r, ')')))
		code = find_name(r, start);
	if (!code && r->token.kind != TOKEN_NAME)
		return reader_expected(r, "a name");
	if (!code && r->where != OF_PROTOTYPE)
		code = names_add(r, &r->token.text, &r->token.place,
			SYMBOL_UNMODELLED, 0);
	if (!code)
		code = reader_next(r);
	return code ? code : reader_skip_bounds(r);
}

bool reader_are_returned(const struct reader *r, uint32_t first, uint32_t count)
{
	uint32_t i;

	for (i = 0; count > 1 && i < count; i++)
		if (!r->module->variables[first + i].is_register)
			return false;
	return true;
}

int reader_parameters(struct reader *r, uint32_t *first, uint32_t *count)
{
	struct reader_place start;
	uint32_t index = 0;
	bool more, is_register, is_known;
	int code = reader_take_mark(r, '(');

	*first = r->module->variable_count;
	*count = 0;
	more = !reader_is_mark(r, ')');
	while (!code && more) {
		is_register = reader_is_dot(r, "reg");
		if (is_register && r->where == OF_ENTRY)
			return reader_expected(r, "'.param'");
		if (!is_register && !reader_is_variable(r))
			return reader_expected(r, "'.param' or '.reg'");
		start = reader_tell(r);
		if (is_register)
			code = reader_next(r);
		if (!code)
			code = reader_parameter(r, is_register, &index);
		*count += !code;
		is_known = code != ERR_SKIPPED;
		if (!is_known)
			code = pass_over(r, &start);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
		if (!code && more && is_known && r->where == OF_FUNCTION &&
			!r->module->variables[index].bytes)
			return reader_refuse(r,
				&r->module->variables[index].place,
				"a parameter without a size is the last one");
	}
	if (!code && r->where == RETURNED &&
		!reader_are_returned(r, *first, *count))
		return reader_expected(r, "one parameter that is returned, or "
					  "registers");
	return code ? code : reader_take_mark(r, ')');
}

/* ---- between registers and variables ---- */

/* A load of the variable to `value`, or a store from it. */
static int move(struct reader *r, const struct ptx_insn *like, bool loads,
	uint32_t variable, const struct ptx_operand *value)
{
	struct ptx_insn insn = *like;

	insn.op = loads ? PTXO_LD : PTXO_ST;
	insn.access = loads ? OP_LD : OP_ST;
	insn.space = PTX_PARAM;
	insn.type = r->module->variables[variable].type;
	insn.from = PTX_UNTYPED;
	insn.vector = 1;
	insn.operand_count = 2;
	memset(insn.word, 0, sizeof(insn.word));
	insn.second = (struct ptx_operand){0};
	insn.operands[loads ? 0 : 1] = *value;
	insn.operands[loads ? 1 : 0] =
		(struct ptx_operand){.kind = PTX_PLACED, .index = variable};
	return reader_add(r, &insn);
}

int reader_enter(struct reader *r)
{
	const struct ptx_insn plain = {.place = r->token.place};
	struct ptx_function *f = r->function;
	const uint32_t firsts[] = {f->return_first, f->parameter_first};
	const uint32_t counts[] = {f->return_count, f->parameter_count};
	struct ptx_operand o = {.kind = PTX_REGISTER};
	uint32_t i, k;
	int code = 0;

	for (k = 0; k < 2; k++)
		for (i = firsts[k]; !code && i < firsts[k] + counts[k]; i++) {
			struct ptx_variable *v = &r->module->variables[i];

			if (!v->is_register)
				continue;
			code = reader_register(r, &v->name, v->type, &v->reg);
			o.index = v->reg;
			if (!code)
				code = names_shadow(
					r, &v->name, SYMBOL_REGISTER, v->reg);
			if (!code && k)
				code = move(r, &plain, true, i, &o);
		}
	return code;
}

int reader_leave(struct reader *r, const struct ptx_insn *like)
{
	const struct ptx_function *f = r->function;
	struct ptx_operand o = {.kind = PTX_REGISTER};
	uint32_t i;
	int code = 0;

	for (i = 0; !code && i < f->return_count; i++) {
		const uint32_t variable = f->return_first + i;

		o.index = r->module->variables[variable].reg;
		if (r->module->variables[variable].is_register)
			code = move(r, like, false, variable, &o);
	}
	return code;
}

/* ---- calls ---- */

static const struct ptx_operand *list_of(
	const struct reader *r, const struct ptx_insn *call, bool returns)
{
	const struct ptx_operand *o = call->operands;
	const uint32_t at = o[0].kind == PTX_VECTOR; /* the function */

	if (returns)
		return at ? o : NULL;
	return at + 1 < call->operand_count && o[at + 1].kind == PTX_VECTOR &&
			       !ptx_is_targets(r->function, o + at + 1)
		       ? o + at + 1
		       : NULL;
}

/* That of parameter `i` of what a register holds. */
static uint8_t pointed_type(
	const struct reader *r, const struct ptx_insn *call, uint32_t i)
{
	const struct ptx_operand *list =
		&call->operands[call->operand_count - 1];
	const struct ptx_function *f;

	if (list->is_prototype) {
		const struct signature *s = &r->prototypes[list->index];

		return i < s->parameter_count
			       ? r->module->variables[s->parameter_first + i]
					 .type
			       : PTX_UNTYPED;
	}
	f = &r->module->functions[r->function->items[list->index].index];
	return i < f->parameter_count
		       ? r->module->variables[f->parameter_first + i].type
		       : PTX_UNTYPED;
}

/* The type of what stands for parameter `i` of the call. */
static uint8_t type_of(const struct reader *r, const struct ptx_insn *call,
	const struct ptx_operand *item, uint32_t i)
{
	const uint32_t at = call->operands[0].kind == PTX_VECTOR;
	const struct ptx_function *callee;
	int function;

	if (item->kind == PTX_REGISTER)
		return r->function->registers[item->index].type;
	if (call->operands[at].kind != PTX_LABEL)
		return pointed_type(r, call, i);
	if (!r->use_count)
		return PTX_UNTYPED;
	function = ptx_find_function(
		r->module, &r->uses[r->use_count - 1].token.text);
	callee = function < 0 ? NULL : &r->module->functions[function];
	return callee && i < callee->parameter_count
		       ? r->module->variables[callee->parameter_first + i].type
		       : PTX_UNTYPED;
}

/* A variable without a name, for one value. */
static int add_variable(
	struct reader *r, uint8_t type, struct ptx_place place, uint32_t *index)
{
	struct ptx_module *m = r->module;
	struct ptx_function *f = r->function;
	const uint32_t bytes = ptx_types[type].bytes;
	struct ptx_variable v = {.space = PTX_PARAM,
		.type = type,
		.of_function = true,
		.align = bytes,
		.bytes = bytes,
		.place = place};
	int code = reader_grow(r, &m->variables, &m->variable_capacity,
		m->variable_count, sizeof(*m->variables));

	v.offset = (f->param_bytes + bytes - 1) & ~(uint64_t)(bytes - 1);
	f->param_bytes = v.offset + bytes;
	*index = m->variable_count;
	if (!code)
		m->variables[m->variable_count++] = v;
	return code;
}

int reader_pass(struct reader *r, const struct ptx_insn *call)
{
	const struct ptx_operand *list = list_of(r, call, false);
	uint32_t i, variable;
	int code = 0;

	for (i = 0; !code && list && i < list->count; i++) {
		struct ptx_operand item = r->function->items[list->index + i];
		uint8_t type = type_of(r, call, &item, i);

		if (item.kind != PTX_REGISTER && item.kind != PTX_NUMBER)
			continue;
		if (!type || type == PTX_pred)
			return reader_refuse(r, &call->place,
				"expected a variable of .param, a register or "
				"a number in a call of a function that is "
				"known");
		code = add_variable(r, type, call->place, &variable);
		if (!code && item.kind == PTX_NUMBER &&
			item.is_float != (ptx_types[type].kind == 'f') &&
			ptx_types[type].kind != 'b')
			return reader_refuse(r, &call->place,
				"the call passes a number of another type than "
				".%s",
				ptx_types[type].name);
		if (!code)
			code = move(r, call, false, variable, &item);
		r->function->items[list->index + i] = (struct ptx_operand){
			.kind = PTX_VARIABLE, .index = variable};
	}
	return code;
}

int reader_return(struct reader *r, const struct ptx_insn *call)
{
	const struct ptx_operand *list = list_of(r, call, true);
	uint32_t i, variable;
	int code = 0;

	for (i = 0; !code && list && i < list->count; i++) {
		const struct ptx_operand item =
			r->function->items[list->index + i];

		if (item.kind != PTX_REGISTER)
			continue;
		code = add_variable(r, r->function->registers[item.index].type,
			call->place, &variable);
		if (!code)
			code = move(r, call, true, variable, &item);
		r->function->items[list->index + i] = (struct ptx_operand){
			.kind = PTX_VARIABLE, .index = variable};
	}
	return code;
}
