/* Functions: heads, and why one is of no use. */
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/reader.h"

#define FUNCTION_BUCKETS 4096u

static uint32_t *bucket_of(
	const struct ptx_module *m, const struct ptx_name *name)
{
	return &m->function_buckets[ptx_hash(name) % FUNCTION_BUCKETS];
}

int ptx_find_function(const struct ptx_module *m, const struct ptx_name *name)
{
	uint32_t at = m->function_buckets ? *bucket_of(m, name) : 0;

	for (; at; at = m->functions[at - 1].same_bucket) {
		const struct ptx_function *f = &m->functions[at - 1];

		if (f->name.length == name->length &&
			!memcmp(f->name.text, name->text, name->length))
			return f->alias ? (int)f->alias - 1 : (int)at - 1;
	}
	return -1;
}

const struct ptx_function *ptx_entry(
	const struct ptx_module *module, const char *name)
{
	const struct ptx_name wanted = {name, (uint32_t)strlen(name)};
	int i = ptx_find_function(module, &wanted);

	return i >= 0 && module->functions[i].is_entry ? &module->functions[i]
						       : NULL;
}

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

int reader_keep_unmodelled(struct reader *r, struct ptx_function *f)
{
	const char *text = r->error->text;

	if (f->unmodelled)
		return 0;
	f->unmodelled = ptx_keep(r->module, text, strlen(text) + 1);
	return f->unmodelled ? 0
			     : error_set(r->error, ERR_FAILED, "out of memory");
}

static int add_function(
	struct reader *r, const struct ptx_function *f, uint32_t *index)
{
	struct ptx_module *m = r->module;
	uint32_t *bucket;
	int code = reader_grow(r, &m->functions, &m->function_capacity,
		m->function_count, sizeof(*m->functions));

	if (!code && !m->function_buckets)
		m->function_buckets =
			calloc(FUNCTION_BUCKETS, sizeof(*m->function_buckets));
	if (!code && !m->function_buckets)
		code = error_set(r->error, ERR_FAILED, "out of memory");
	if (code)
		return code;
	bucket = bucket_of(m, &f->name);
	*index = m->function_count;
	m->functions[m->function_count++] = *f;
	m->functions[*index].same_bucket = *bucket;
	*bucket = *index + 1;
	return 0;
}

static bool are_same(const struct ptx_module *m, uint32_t first, uint32_t count,
	uint32_t other_first, uint32_t other_count)
{
	uint32_t i;

	for (i = 0; count == other_count && i < count; i++)
		if (m->variables[first + i].bytes !=
			m->variables[other_first + i].bytes)
			return false;
	return count == other_count;
}

/* A function takes and returns what its declaration says. */
static int check_declared(struct reader *r, const struct ptx_function *known,
	const struct ptx_function *f)
{
	if (known->head_unmodelled || f->head_unmodelled ||
		(are_same(r->module, known->return_first, known->return_count,
			 f->return_first, f->return_count) &&
			are_same(r->module, known->parameter_first,
				known->parameter_count, f->parameter_first,
				f->parameter_count)))
		return 0;
	return reader_refuse(r, &r->token.place,
		"'%.*s' has been declared with other parameters",
		(int)f->name.length, f->name.text);
}

static int new_function(
	struct reader *r, const struct ptx_function *f, uint32_t *index)
{
	struct ptx_module *m = r->module;
	const int known = ptx_find_function(m, &f->name);
	struct ptx_function *declared, defined = *f;
	int code;

	if (known < 0)
		return add_function(r, f, index);
	declared = &m->functions[known];
	if (declared->has_body)
		return reader_refuse(r, &r->token.place,
			"there are two functions '%.*s'", (int)f->name.length,
			f->name.text);
	code = check_declared(r, declared, f);
	if (code)
		return code;
	*index = (uint32_t)known;
	defined.same_bucket = declared->same_bucket;
	defined.is_pointed = declared->is_pointed;
	*declared = defined;
	return 0;
}

/* `(.param .b32 result) name (.param .b32 a) .maxntid 32`, up to the body. */
static int take_head(struct reader *r, struct ptx_function *f)
{
	int code = 0;

	if (reader_is_mark(r, '('))
		code = reader_parameters(r, &f->return_first, &f->return_count);
	if (code)
		return code;
	if (r->token.kind != TOKEN_NAME)
		return reader_expected(r, "the name of a function");
	f->name = r->token.text;
	code = reader_next(r);
	if (!code && reader_is_mark(r, '('))
		code = reader_parameters(
			r, &f->parameter_first, &f->parameter_count);
	return code ? code : reader_limits(r, f);
}

/* What `open` begins here, to behind what closes it. */
static int skip_marks(struct reader *r, char open, char close)
{
	uint32_t depth = 0;
	int code = 0;

	do {
		if (r->token.kind == TOKEN_END)
			return reader_expected(r, "the end of a function");
		depth += reader_is_mark(r, open);
		depth -= reader_is_mark(r, close);
		code = reader_next(r);
	} while (!code && depth);
	return code;
}

/* A function whose head has what is not modelled: its name is known, and why
   it is of no use. */
static int skip_function(struct reader *r, bool is_entry)
{
	struct ptx_function f = {.is_entry = is_entry, .head_unmodelled = true};
	uint32_t index;
	int code = reader_keep_unmodelled(r, &f);

	if (!code && reader_is_mark(r, '('))
		code = skip_marks(r, '(', ')');
	if (code)
		return code;
	if (r->token.kind != TOKEN_NAME)
		return reader_expected(r, "the name of a function");
	f.name = r->token.text;
	while (!code && r->token.kind != TOKEN_END && !reader_is_mark(r, '{') &&
		!reader_is_mark(r, ';'))
		code = reader_next(r);
	f.has_body = reader_is_mark(r, '{');
	if (!code)
		code = new_function(r, &f, &index);
	if (code)
		return code;
	return f.has_body ? skip_marks(r, '{', '}') : reader_take_mark(r, ';');
}

int reader_function(struct reader *r, bool is_entry)
{
	const struct reader_place start = reader_tell(r);
	struct ptx_function f = {.is_entry = is_entry};
	uint32_t scope = r->symbol_count, index = 0;
	bool declared = false;
	int code;

	/* Parameters are placed in it until it has its place. */
	r->function = &f;
	r->scope = scope;
	code = take_head(r, &f);
	if (code == ERR_SKIPPED) {
		reader_go_back(r, &start);
		names_leave(r, scope);
		r->function = NULL;
		r->scope = 0;
		return skip_function(r, is_entry);
	}
	f.has_body = !reader_is_mark(r, ';');
	if (!code)
		code = new_function(r, &f, &index);
	if (!code)
		code = reader_skip_mark(r, ';', &declared);
	if (!code && !declared) {
		r->function = &r->module->functions[index];
		code = reader_body(r);
	}
	names_leave(r, scope);
	r->function = NULL;
	r->scope = 0;
	return code;
}
