/* Numbers and constant expressions, as text. */
#include <string.h>

#include "harness/ptx/constant.h"

#define DEPTH_MAX 64u

/* ---- which operator stands there ---- */

static bool stands(const struct reader *r, const char *text)
{
	const struct token *t = &r->token;

	if (t->kind != TOKEN_MARK &&
		!(t->kind == TOKEN_NAME && t->text.length == 1))
		return false;
	if (t->text.text[0] != text[0])
		return false;
	return !text[1] || (r->at < r->end && *r->at == text[1]);
}

static enum operation find_operator(const struct reader *r)
{
	int i;

	/* Those of two marks before those that begin like them. */
	for (i = 0; i < OPERATOR_COUNT; i++)
		if (operations[i].text[1] && stands(r, operations[i].text))
			return (enum operation)i;
	for (i = 0; i < OPERATOR_COUNT; i++)
		if (!operations[i].text[1] && stands(r, operations[i].text))
			return (enum operation)i;
	return OPERATOR_COUNT;
}

static int take_operator(struct reader *r, enum operation op)
{
	int code = reader_next(r);

	return code || !operations[op].text[1] ? code : reader_next(r);
}

/* ---- reading ---- */

static int take_choice(struct reader *r, unsigned depth, struct constant *n);
static int take_unary(struct reader *r, unsigned depth, struct constant *n);

/* `(.s64) 5`, behind the '('. */
static int take_cast(struct reader *r, unsigned depth, struct constant *n)
{
	const bool is_unsigned = reader_is_dot(r, "u64");
	const struct ptx_place place = r->token.place;
	int code;

	if (!is_unsigned && !reader_is_dot(r, "s64"))
		return reader_expected(r, "'.s64' or '.u64'");
	code = reader_next(r);
	if (!code)
		code = reader_take_mark(r, ')');
	if (!code)
		code = take_unary(r, depth, n);
	if (!code && n->is_float)
		return reader_refuse(r, &place, "a cast takes an integer");
	n->is_unsigned = is_unsigned;
	return code;
}

static int take_inner(struct reader *r, unsigned depth, struct constant *n)
{
	int code = reader_next(r);

	if (code)
		return code;
	if (r->token.kind == TOKEN_DOT)
		return take_cast(r, depth, n);
	code = take_choice(r, depth, n);
	return code ? code : reader_take_mark(r, ')');
}

static int take_literal(struct reader *r, struct constant *n)
{
	const struct token t = r->token;

	if (t.kind == TOKEN_NAME && ptx_name_is(&t.text, "WARP_SZ"))
		*n = (struct constant){.bits = PROGRAM_WARP_LANES};
	else if (t.kind == TOKEN_NUMBER)
		*n = (struct constant){
			.is_float = t.is_float,
			.is_single = t.is_single,
			.is_unsigned = !t.is_float &&
				       (t.is_unsigned || t.bits > INT64_MAX),
			.bits = t.bits,
		};
	else
		return reader_expected(r, "a number");
	return reader_next(r);
}

static int take_unary(struct reader *r, unsigned depth, struct constant *n)
{
	const struct ptx_place place = r->token.place;
	const char mark = r->token.mark;
	int code;

	if (depth == DEPTH_MAX)
		return reader_expected(r, "a constant expression less deep");
	if (r->token.kind != TOKEN_MARK)
		return take_literal(r, n);
	if (mark == '(')
		return take_inner(r, depth + 1, n);
	if (mark != '-' && mark != '~' && mark != '!' && mark != '+')
		return reader_expected(r, "a number");
	code = reader_next(r);
	if (!code)
		code = take_unary(r, depth + 1, n);
	return code || (mark == '+' && !n->is_single)
		       ? code
		       : constant_unary(r, &place, mark, n);
}

/* Operators that bind as tightly as `least`, or tighter. */
static int take_binary(
	struct reader *r, unsigned depth, unsigned least, struct constant *n)
{
	int code = take_unary(r, depth, n);

	while (!code) {
		const enum operation op = find_operator(r);
		const struct ptx_place place = r->token.place;
		struct constant b = {0};

		if (op == OPERATOR_COUNT || operations[op].binds < least)
			break;
		code = take_operator(r, op);
		if (!code)
			code = take_binary(
				r, depth, operations[op].binds + 1u, &b);
		if (!code)
			code = constant_apply(r, &place, op, n, &b);
	}
	return code;
}

/* `a ? b : c` */
static int take_choice(struct reader *r, unsigned depth, struct constant *n)
{
	struct constant yes = {0}, no = {0};
	const struct ptx_place place = r->token.place;
	bool is_choice = false;
	int code = take_binary(r, depth, 1, n);

	if (!code)
		code = reader_skip_mark(r, '?', &is_choice);
	if (code || !is_choice)
		return code;
	if (depth == DEPTH_MAX || n->is_float)
		return reader_expected(r, "an integer before '?'");
	code = take_choice(r, depth + 1, &yes);
	if (!code)
		code = reader_take_mark(r, ':');
	if (!code)
		code = take_choice(r, depth + 1, &no);
	if (!code && (yes.is_float || no.is_float))
		return reader_refuse(r, &place,
			"'?' of a constant expression takes integers");
	*n = n->bits ? yes : no;
	return code;
}

bool reader_is_expression(const struct reader *r)
{
	const struct token *t = &r->token;

	if (t->kind == TOKEN_NUMBER)
		return true;
	if (t->kind == TOKEN_NAME)
		return ptx_name_is(&t->text, "WARP_SZ");
	return t->kind == TOKEN_MARK && strchr("(-~!+", t->mark);
}

int reader_expression(struct reader *r, struct ptx_operand *o)
{
	struct constant n = {0};
	int code = take_choice(r, 0, &n);

	o->kind = PTX_NUMBER;
	o->is_float = n.is_float;
	o->is_single = n.is_single;
	o->bits = n.bits;
	return code;
}

int reader_whole(struct reader *r, uint64_t *bits)
{
	const struct ptx_place place = r->token.place;
	struct ptx_operand o = {0};
	int code = reader_expression(r, &o);

	if (!code && o.is_float)
		return reader_refuse(r, &place, "expected an integer");
	*bits = o.bits;
	return code;
}

int reader_take_number(struct reader *r, const char *what, uint64_t *number)
{
	if (r->token.kind != TOKEN_NUMBER || r->token.is_float)
		return reader_expected(r, what);
	*number = r->token.bits;
	return reader_next(r);
}

int reader_take_count(struct reader *r, const char *what, uint64_t *number)
{
	const struct token t = r->token;

	*number = PROGRAM_WARP_LANES;
	if (t.kind == TOKEN_NAME && ptx_name_is(&t.text, "WARP_SZ"))
		return reader_next(r);
	if (t.kind == TOKEN_NUMBER && !t.is_float && t.bits > UINT32_MAX)
		return reader_refuse(r, &t.place,
			"expected %s of 32 bits, not '%.*s'", what,
			(int)t.text.length, t.text.text);
	return reader_take_number(r, what, number);
}
