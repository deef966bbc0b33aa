/* Lists of labels and of functions, and prototypes. */
#include "harness/ptx/reader.h"

#define ITEMS_MAX 65535u

bool reader_is_list(const struct reader *r)
{
	return reader_is_dot(r, "branchtargets") ||
	       reader_is_dot(r, "calltargets") ||
	       reader_is_dot(r, "callprototype");
}

/* A label, whose use knows its place among the items. */
static int take_target(struct reader *r, struct ptx_operand *o)
{
	int code = reader_label(r, o);

	if (code)
		return code;
	r->uses[r->use_count - 1].is_item = true;
	r->uses[r->use_count - 1].insn = 0;
	r->uses[r->use_count - 1].operand = r->function->item_count;
	return 0;
}

static int take_function(struct reader *r, struct ptx_operand *o)
{
	int function = ptx_find_function(r->module, &r->token.text);

	if (function < 0)
		return reader_expected(r, "the name of a function before");
	o->kind = PTX_FUNCTION;
	o->index = (uint32_t)function;
	return reader_next(r);
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

	for (; !code && more; count++) {
		struct ptx_operand item = {0};

		if (r->token.kind != TOKEN_NAME || count == ITEMS_MAX)
			return reader_expected(
				r, count ? "fewer names" : "a name");
		code = is_branch ? take_target(r, &item)
				 : take_function(r, &item);
		if (!code)
			code = reader_item(r, &item);
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

/* A call has its parameters' sizes: what the prototype says is not needed. */
static int take_prototype(struct reader *r, const struct ptx_name *name)
{
	int code = 0;

	while (!code && !reader_is_mark(r, ';') && !reader_is_mark(r, '}') &&
		r->token.kind != TOKEN_END)
		code = reader_next(r);
	if (!code)
		code = reader_take_mark(r, ';');
	return code ? code
		    : names_add(r, name, &r->token.place, SYMBOL_PROTOTYPE, 0);
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
