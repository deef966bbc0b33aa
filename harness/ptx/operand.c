/* The operands of an instruction. */
#include <string.h>

#include "harness/ptx/reader.h"

/* %v.x of a vector of `count` registers, or all of them. */
static int take_elements(
	struct reader *r, uint32_t first, uint32_t count, struct ptx_operand *o)
{
	struct ptx_operand element = {.kind = PTX_REGISTER};
	uint32_t i;
	int code = reader_next(r);

	if (code)
		return code;
	if (r->token.kind == TOKEN_DOT && !o->is_whole) {
		i = reader_letter(r, count);
		if (i == count)
			return reader_expected(r, "an element of a vector");
		o->kind = PTX_REGISTER;
		o->index = first + i;
		return reader_next(r);
	}
	o->kind = PTX_VECTOR;
	o->index = r->function->item_count;
	o->count = (uint16_t)count;
	for (i = 0; !code && i < count; i++) {
		element.index = first + i;
		code = reader_item(r, &element);
	}
	return code;
}

/* name[%r1] */
static bool is_index(const struct reader *r)
{
	const struct symbol *s = r->token.kind == TOKEN_NAME
					 ? names_find(r, &r->token.text)
					 : NULL;

	return s && (s->kind == SYMBOL_REGISTER || s->kind == SYMBOL_VARIABLE);
}

/* name, name+8, name[2] */
static int take_variable(
	struct reader *r, uint32_t index, struct ptx_operand *o)
{
	const struct ptx_variable *v = &r->module->variables[index];
	bool more, is_element = false;
	int code = reader_next(r);

	o->kind = PTX_VARIABLE;
	o->index = index;
	if (!code)
		code = reader_skip_mark(r, '[', &is_element);
	o->is_element = is_element;
	if (!code && is_element && !reader_is_expression(r) && is_index(r))
		return reader_unmodelled(r, &r->token.place,
			"an element of a number in a register is not modelled");
	if (!code && is_element) {
		code = reader_whole(r, &o->bits);
		o->bits *= ptx_types[v->type].bytes;
		return code ? code : reader_take_mark(r, ']');
	}
	if (!code)
		code = reader_skip_mark(r, '+', &more);
	return code || !more ? code : reader_whole(r, &o->bits);
}

static int take_symbol(
	struct reader *r, const struct symbol *s, struct ptx_operand *o)
{
	switch (s->kind) {
	case SYMBOL_REGISTER:
		o->kind = PTX_REGISTER;
		o->index = s->index;
		break;
	case SYMBOL_WHOLE:
		o->is_whole = true;
		/* fall through */
	case SYMBOL_PAIR:
	case SYMBOL_FOUR:
		return take_elements(
			r, s->index, s->kind == SYMBOL_FOUR ? 4 : 2, o);
	case SYMBOL_VARIABLE:
		return take_variable(r, s->index, o);
	case SYMBOL_UNMODELLED:
		return reader_unmodelled(r, &r->token.place,
			"the variable '%.*s' is of a kind that is not modelled",
			(int)s->name.length, s->name.text);
	case SYMBOL_LIST:
		*o = r->function->items[s->index];
		break;
	default:
		o->kind = PTX_NOTHING;
		o->is_prototype = true;
		o->index = s->index;
		break;
	}
	return reader_next(r);
}

int reader_label(struct reader *r, struct ptx_operand *o)
{
	int code = reader_grow(
		r, &r->uses, &r->use_capacity, r->use_count, sizeof(*r->uses));

	if (code)
		return code;
	r->uses[r->use_count++] =
		(struct ptx_use){.token = r->token, .insn = UINT32_MAX};
	o->kind = PTX_LABEL;
	return reader_next(r);
}

static int take_name(struct reader *r, uint8_t op, struct ptx_operand *o)
{
	const struct ptx_name name = r->token.text;
	const struct symbol *s = names_find(r, &name);
	bool was = false;
	int code, function;

	if (ptx_name_is(&name, "_")) {
		o->kind = PTX_NOTHING;
		return reader_next(r);
	}
	if (s && s->kind != SYMBOL_LABEL && s->kind != SYMBOL_SECTION)
		return take_symbol(r, s, o);
	code = reader_special(r, op, o, &was);
	if (code || was)
		return code;
	function = op == PTXO_MOV ? ptx_find_function(r->module, &name) : -1;
	if (function < 0)
		return reader_label(r, o);
	o->kind = PTX_FUNCTION;
	o->index = (uint32_t)function;
	r->module->functions[function].is_pointed = true;
	return reader_next(r);
}

static int take_value(struct reader *r, uint8_t op, struct ptx_operand *o)
{
	if (reader_is_expression(r))
		return reader_expression(r, o);
	return r->token.kind == TOKEN_NAME ? take_name(r, op, o)
					   : reader_expected(r, "an operand");
}

/* What an address begins with. */
static int take_base(struct reader *r, struct ptx_operand *o)
{
	int code = take_value(r, PTXO_COUNT, o);

	if (code)
		return code;
	if (o->kind == PTX_VARIABLE && !o->is_element) {
		o->kind = PTX_PLACED;
	} else if (o->kind == PTX_REGISTER ||
		   (o->kind == PTX_NUMBER && !o->is_float)) {
		o->is_absolute = o->kind == PTX_NUMBER;
		o->kind = PTX_ADDRESS;
	} else {
		return reader_expected(r, "a register, a variable or a number "
					  "in an address");
	}
	return 0;
}

/* [%rd1+8], [name], [name+-4] */
static int take_address(struct reader *r, struct ptx_operand *o)
{
	bool plus = false;
	uint64_t offset = 0;
	int code = reader_next(r);

	if (!code)
		code = take_base(r, o);
	if (!code && o->kind == PTX_ADDRESS && !o->is_absolute) {
		code = reader_skip_mark(r, '+', &plus);
		if (!code && plus)
			code = reader_whole(r, &offset);
	}
	o->bits += offset;
	return code ? code : reader_take_mark(r, ']');
}

int reader_item(struct reader *r, const struct ptx_operand *o)
{
	struct ptx_function *f = r->function;
	int code = reader_grow(r, &f->items, &f->item_capacity, f->item_count,
		sizeof(*f->items));

	if (!code)
		f->items[f->item_count++] = *o;
	return code;
}

/* What a call has among its parameters: a name alone, or a number. */
static int check_passed(struct reader *r, const struct ptx_operand *item)
{
	return item->kind == PTX_SPECIAL || item->kind == PTX_VECTOR ||
			       (item->kind == PTX_VARIABLE &&
				       (item->bits || item->is_element))
		       ? reader_expected(
				 r, "a name or a number alone in a call")
		       : 0;
}

/* {%r1, %r2}, and (a, b) of a call */
static int take_list(struct reader *r, struct ptx_operand *o, char close)
{
	struct ptx_operand item;
	uint32_t first = r->function->item_count;
	bool more = true;
	int code = reader_next(r);

	if (!code && reader_is_mark(r, close))
		more = false;
	while (!code && more) {
		item = (struct ptx_operand){0};
		code = take_value(r, PTXO_COUNT, &item);
		if (!code && item.kind == PTX_LABEL)
			code = reader_refuse(r,
				&r->uses[r->use_count - 1].token.place,
				"'%.*s' is not the name of a register",
				(int)r->uses[r->use_count - 1]
					.token.text.length,
				r->uses[r->use_count - 1].token.text.text);
		if (!code && close == ')')
			code = check_passed(r, &item);
		if (!code)
			code = reader_item(r, &item);
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	if (!code && r->function->item_count - first > 255)
		return reader_expected(r, "fewer operands");
	o->kind = PTX_VECTOR;
	o->index = first;
	o->count = (uint16_t)(r->function->item_count - first);
	return code ? code : reader_take_mark(r, close);
}

/* `!%p1`, where `!1` is an expression. */
static bool is_not(const struct reader *r)
{
	const char *at = r->at;

	if (!reader_is_mark(r, '!'))
		return false;
	while (at < r->end && (*at == ' ' || *at == '\t'))
		at++;
	return at < r->end && !strchr("(-~!+0123456789", *at) &&
	       strncmp(at, "WARP_SZ", 7) != 0;
}

int reader_operand(struct reader *r, uint8_t op, struct ptx_operand *operand)
{
	int code = 0;

	*operand = (struct ptx_operand){0};
	if (reader_is_mark(r, '['))
		return take_address(r, operand);
	if (reader_is_mark(r, '{') && op != PTXO_CALL)
		return take_list(r, operand, '}');
	if (reader_is_mark(r, '(') && op == PTXO_CALL)
		return take_list(r, operand, ')');
	if (is_not(r)) {
		code = reader_next(r);
		if (!code)
			code = take_value(r, op, operand);
		operand->negated = true;
		return code;
	}
	return take_value(r, op, operand);
}
