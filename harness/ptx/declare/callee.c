/* Whether a call fits what it calls. */
#include "harness/ptx/reader.h"

/* One side of a call: what it returns, or what it takes. */
struct side {
	const struct ptx_operand *list; /* (a, b), or NULL */
	uint32_t first, count;          /* the variables that are expected */
	bool returns;
};

static bool is_whole(char kind)
{
	return kind == 'u' || kind == 's' || kind == 'b';
}

static bool is_same_type(uint8_t has, uint8_t wants)
{
	const struct ptx_type_info *a = &ptx_types[has], *b = &ptx_types[wants];

	if (a->bytes != b->bytes || a->kind == 'p')
		return false;
	return a->kind == b->kind || a->kind == 'b' || b->kind == 'b' ||
	       (is_whole(a->kind) && is_whole(b->kind));
}

static bool is_within(uint32_t index, uint32_t first, uint32_t count)
{
	return index >= first && index - first < count;
}

/* A variable of the function's own parameters is none that it passes on. */
static bool is_passed(const struct reader *r, uint32_t index)
{
	const struct ptx_function *f = r->function;

	return r->module->variables[index].space == PTX_PARAM &&
	       !is_within(index, f->parameter_first, f->parameter_count) &&
	       !is_within(index, f->return_first, f->return_count);
}

/* A register, or a number, has a variable of its own by now. */
static const char *fault_of(const struct reader *r, const struct side *side,
	const struct ptx_operand *o, const struct ptx_variable *wants)
{
	const struct ptx_variable *has;

	if (o->kind == PTX_NOTHING)
		return side->returns ? NULL : "no value";
	if (o->kind != PTX_VARIABLE)
		return side->returns
			       ? "what is neither a register nor a variable"
			       : "what is no value";
	if (!is_passed(r, o->index))
		return "a variable that is not of .param, or the function's "
		       "own parameter";
	has = &r->module->variables[o->index];
	if (!is_same_type(has->type, wants->type))
		return "another type";
	if (wants->bytes && has->bytes != wants->bytes)
		return "another size";
	if (has->name.length && has->align != wants->align)
		return "another alignment";
	return NULL;
}

static int check_side(
	struct reader *r, const struct token *name, const struct side *side)
{
	const uint32_t has = side->list ? side->list->count : 0;
	const struct ptx_variable *v = &r->module->variables[side->first];
	uint32_t i;

	if (has != side->count)
		return reader_refuse(r, &name->place,
			"'%.*s' has %u parameters there, the call has %u",
			(int)name->text.length, name->text.text, side->count,
			has);
	for (i = 0; i < has; i++) {
		const char *fault = fault_of(r, side,
			&r->function->items[side->list->index + i], &v[i]);

		if (fault)
			return reader_refuse(r, &name->place,
				"the call of '%.*s' %s %s for '%.*s'",
				(int)name->text.length, name->text.text,
				side->returns ? "takes back" : "passes", fault,
				(int)v[i].name.length, v[i].name.text);
	}
	return 0;
}

static int check_call(struct reader *r, const struct token *name,
	const struct ptx_insn *call, const struct signature *s)
{
	const struct ptx_operand *o = call->operands;
	const uint32_t at = o[0].kind == PTX_VECTOR;
	const bool takes = at + 1 < call->operand_count &&
			   o[at + 1].kind == PTX_VECTOR &&
			   !ptx_is_targets(r->function, &o[at + 1]);
	const struct side returned = {
		at ? o : NULL, s->return_first, s->return_count, true};
	const struct side taken = {takes ? &o[at + 1] : NULL,
		s->parameter_first, s->parameter_count, false};
	int code = check_side(r, name, &returned);

	return code ? code : check_side(r, name, &taken);
}

static struct signature signature_of(const struct ptx_function *f)
{
	return (struct signature){f->return_first, f->return_count,
		f->parameter_first, f->parameter_count};
}

int ptx_find_callee(struct reader *r, const struct ptx_use *use)
{
	struct ptx_insn *call = &r->function->insns[use->insn];
	struct ptx_operand *o = &call->operands[use->operand];
	const struct token *name = &use->token;
	const struct ptx_function *f;
	struct signature s;
	int i = ptx_find_function(r->module, &name->text);

	if (i < 0)
		return reader_refuse(r, &name->place,
			"there is no function '%.*s' in this module",
			(int)name->text.length, name->text.text);
	o->kind = PTX_FUNCTION;
	o->index = (uint32_t)i;
	f = &r->module->functions[i];
	if (f->is_entry)
		return reader_refuse(r, &name->place,
			"'%.*s' is an entry, which can't be called",
			(int)name->text.length, name->text.text);
	s = signature_of(f);
	return f->head_unmodelled ? 0 : check_call(r, name, call, &s);
}

int reader_check_pointed(struct reader *r, const struct ptx_insn *call)
{
	const struct ptx_operand *list =
		&call->operands[call->operand_count - 1];
	const struct token name = {
		.place = call->place, .text = {"a register", 10}};
	uint32_t i;
	int code = 0;

	if (list->is_prototype)
		return check_call(r, &name, call, &r->prototypes[list->index]);
	for (i = 0; !code && i < list->count; i++) {
		const struct ptx_function *f =
			&r->module->functions
				 [r->function->items[list->index + i].index];
		const struct signature s = signature_of(f);

		if (f->is_entry)
			return reader_refuse(r, &call->place,
				"'%.*s' is an entry, which can't be called",
				(int)f->name.length, f->name.text);
		code = f->head_unmodelled ? 0 : check_call(r, &name, call, &s);
	}
	return code;
}
