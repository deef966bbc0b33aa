/* Lists of labels and of functions, and prototypes. */
#include "harness/ptx/declare.h"
#include "harness/ptx/reader.h"

#define ITEMS_MAX 65535u

bool reader_is_list(const struct reader *r)
{
	return reader_is_dot(r, "branchtargets") ||
	       reader_is_dot(r, "calltargets") ||
	       reader_is_dot(r, "callprototype");
}

/* A label, whose use knows its place among the items: the token's name. */
static int take_target(struct reader *r, struct ptx_operand *o)
{
	int code = reader_grow(
		r, &r->uses, &r->use_capacity, r->use_count, sizeof(*r->uses));

	if (code)
		return code;
	o->kind = PTX_LABEL;
	r->uses[r->use_count++] = (struct ptx_use){.token = r->token,
		.is_item = true,
		.operand = r->function->item_count};
	return 0;
}

/* `L<3>`: L0, L1 and L2. */
static int take_numbered(struct reader *r, uint32_t *count)
{
	const struct token stem = r->token;
	struct ptx_operand item = {0};
	uint64_t number;
	uint32_t i;
	int code = reader_next(r);

	if (!code)
		code = reader_take_mark(r, '<');
	if (!code)
		code = reader_take_count(r, "a number of labels", &number);
	for (i = 0; !code && i < number; i++) {
		const struct token here = r->token;

		if (*count + i >= ITEMS_MAX)
			return reader_expected(r, "fewer names");
		r->token = stem;
		code = reader_numbered(r, &stem.text, i, &r->token.text);
		if (!code)
			code = take_target(r, &item);
		r->token = here;
		if (!code)
			code = reader_item(r, &item);
	}
	*count += (uint32_t)number;
	return code ? code : reader_take_mark(r, '>');
}

static int take_function(struct reader *r, struct ptx_operand *o)
{
	int function = ptx_find_function(r->module, &r->token.text);

	if (function < 0)
		return reader_expected(r, "the name of a function before");
	o->kind = PTX_FUNCTION;
	o->index = (uint32_t)function;
	return 0;
}

static bool is_numbered(const struct reader *r)
{
	const char *at = r->at;

	while (at < r->end && (*at == ' ' || *at == '\t'))
		at++;
	return at < r->end && *at == '<';
}

/* One name, or numbered ones. */
static int take_names(struct reader *r, bool is_branch, uint32_t *count)
{
	struct ptx_operand item = {0};
	int code;

	if (is_branch && is_numbered(r))
		return take_numbered(r, count);
	code = is_branch ? take_target(r, &item) : take_function(r, &item);
	if (!code)
		code = reader_item(r, &item);
	++*count;
	return code ? code : reader_next(r);
}

/* The items lie side by side; the one behind them is the list of them. */
static int take_items(
	struct reader *r, const struct ptx_name *name, bool is_branch)
{
	struct ptx_operand list = {
		.kind = PTX_VECTOR, .index = r->function->item_count};
	uint32_t count = 0;
	bool more = true;
	int code = 0;

	while (!code && more) {
		if (r->token.kind != TOKEN_NAME || count == ITEMS_MAX)
			return reader_expected(
				r, count ? "fewer names" : "a name");
		code = take_names(r, is_branch, &count);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	list.count = (uint16_t)count;
	if (!code)
		code = names_add(r, name, &r->token.place, SYMBOL_LIST,
			r->function->item_count);
	if (!code)
		code = reader_item(r, &list);
	return code ? code : reader_take_mark(r, ';');
}

/* `(.param .b32 r) _ (.param .b32 a) .noreturn` */
static int take_signature(struct reader *r, struct signature *s)
{
	int code = 0;

	if (reader_is_mark(r, '('))
		code = reader_parameters(r, &s->return_first, &s->return_count);
	if (!code && !(r->token.kind == TOKEN_NAME &&
			     ptx_name_is(&r->token.text, "_")))
		return reader_expected(r, "'_'");
	if (!code)
		code = reader_next(r);
	if (!code && reader_is_mark(r, '('))
		code = reader_parameters(
			r, &s->parameter_first, &s->parameter_count);
	if (!code && !reader_are_returned(r, s->return_first, s->return_count))
		return reader_expected(r, "one parameter that is returned, or "
					  "registers");
	return code ? code : reader_manners(r, s->return_count > 0);
}

static int take_prototype(struct reader *r, const struct ptx_name *name)
{
	const struct ptx_place place = r->token.place;
	struct signature s = {0};
	/* A prototype takes no room. */
	const uint64_t bytes = r->function->param_bytes;
	int code;

	r->where = OF_PROTOTYPE;
	code = take_signature(r, &s);
	r->where = IN_BODY;
	r->function->param_bytes = bytes;
	if (!code)
		code = reader_grow(r, &r->prototypes, &r->prototype_capacity,
			r->prototype_count, sizeof(*r->prototypes));
	if (code)
		return code;
	r->prototypes[r->prototype_count++] = s;
	code = names_add(
		r, name, &place, SYMBOL_PROTOTYPE, r->prototype_count - 1);
	return code ? code : reader_take_mark(r, ';');
}

int reader_list(struct reader *r, const struct ptx_name *name)
{
	const bool is_branch = reader_is_dot(r, "branchtargets");
	const bool is_prototype = reader_is_dot(r, "callprototype");
	int code = reader_next(r);

	if (code)
		return code;
	return is_prototype ? take_prototype(r, name)
			    : take_items(r, name, is_branch);
}

/* ---- .alias ---- */

static int take_alias_name(struct reader *r, int *function)
{
	*function = r->token.kind == TOKEN_NAME
			    ? ptx_find_function(r->module, &r->token.text)
			    : -1;
	return *function < 0
		       ? reader_expected(r, "the name of a function before")
		       : reader_next(r);
}

int reader_alias(struct reader *r)
{
	const struct ptx_place place = r->token.place;
	struct ptx_function *functions = r->module->functions;
	int alias, function = 0;
	int code = take_alias_name(r, &alias);

	if (!code)
		code = reader_take_mark(r, ',');
	if (!code)
		code = take_alias_name(r, &function);
	if (code)
		return code;
	if (functions[alias].has_body || !functions[function].has_body)
		return reader_refuse(r, &place,
			"expected a function that is declared, and one that "
			"is defined");
	if (functions[function].linkage == PTX_WEAK)
		return reader_refuse(r, &place,
			"'%.*s' is .weak, which no other name stands for",
			(int)functions[function].name.length,
			functions[function].name.text);
	if (!reader_are_alike(&functions[alias], &functions[function]))
		return reader_refuse(r, &place,
			"'%.*s' and '%.*s' have not the same parameters",
			(int)functions[alias].name.length,
			functions[alias].name.text,
			(int)functions[function].name.length,
			functions[function].name.text);
	functions[alias].alias = (uint32_t)function + 1;
	return reader_take_mark(r, ';');
}
