/* PTX as tokens. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/reader.h"

static void step(struct reader *r)
{
	if (*r->at++ == '\n') {
		r->place.line++;
		r->place.column = 1;
	} else {
		r->place.column++;
	}
}

static bool begins(const struct reader *r, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(r->end - r->at) >= length &&
	       !memcmp(r->at, text, length);
}

static void skip_comment(struct reader *r, const char *close)
{
	while (r->at < r->end && !begins(r, close))
		step(r);
}

/* A comment that does not end stays there. */
static bool skip_block(struct reader *r)
{
	const struct reader_place start = reader_tell(r);

	step(r);
	step(r);
	skip_comment(r, "*/");
	if (r->at == r->end) {
		reader_go_back(r, &start);
		return false;
	}
	step(r);
	step(r);
	return true;
}

static bool skip_blanks(const char **at, const char *end)
{
	const char *from = *at;

	while (*at < end && (**at == ' ' || **at == '\t'))
		(*at)++;
	return *at > from;
}

static bool skip_digits(const char **at, const char *end)
{
	const char *from = *at;

	while (*at < end && isdigit((unsigned char)**at))
		(*at)++;
	return *at > from;
}

/* `# 12 "kernel.cu" 1`, a preprocessor's, with or without `line`. */
static bool skip_origin(struct reader *r)
{
	const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
	const char *at = r->at + 1;

	end = end ? end : r->end;
	skip_blanks(&at, end);
	if (end - at > 4 && !memcmp(at, "line", 4))
		at += 4;
	skip_blanks(&at, end);
	if (!skip_digits(&at, end) || !skip_blanks(&at, end) || at == end ||
		*at++ != '"')
		return false;
	while (at < end && *at != '"')
		at++;
	if (at++ >= end)
		return false;
	while (skip_blanks(&at, end) && skip_digits(&at, end))
		;
	if (at < end && *at != '\r')
		return false;
	while (r->at < end)
		step(r);
	return true;
}

static bool skip_space(struct reader *r)
{
	const char *from = r->at;

	for (;;) {
		while (r->at < r->end && isspace((unsigned char)*r->at))
			step(r);
		if (begins(r, "//"))
			skip_comment(r, "\n");
		else if (!(begins(r, "#") && skip_origin(r)) &&
			 !(begins(r, "/*") && skip_block(r)))
			return r->at != from;
	}
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* `%` and `$` alone are no names. */
static bool begins_name(const struct reader *r)
{
	const char c = *r->at;

	if (c == '%' || c == '$')
		return r->at + 1 < r->end && in_name(r->at[1]);
	return in_name(c);
}

static void take_name(struct reader *r, struct token *t)
{
	t->text.text = r->at;
	if (t->kind == TOKEN_NAME)
		step(r);
	while (r->at < r->end &&
		(in_name(*r->at) || (t->kind == TOKEN_DOT && begins(r, "::"))))
		if (*r->at == ':') {
			step(r);
			step(r);
		} else {
			step(r);
		}
	t->text.length = (uint32_t)(r->at - t->text.text);
}

/* 0f3F800000, 0d3FF0000000000000 */
static int take_bits(struct reader *r, struct token *t, unsigned digits)
{
	char text[17] = {0};
	unsigned i;

	t->text = (struct ptx_name){r->at, digits + 2};
	step(r);
	step(r);
	for (i = 0;
		i < digits && r->at < r->end && isxdigit((unsigned char)*r->at);
		i++) {
		text[i] = *r->at;
		step(r);
	}
	if (i < digits)
		return reader_refuse(r, &t->place,
			"expected %u hexadecimal digits of a real number",
			digits);
	t->bits = strtoull(text, NULL, 16);
	t->is_float = true;
	t->is_single = digits == 8;
	return 0;
}

static bool is_hexadecimal(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/* Letters, digits, and what a real number has beside them; up to 63. */
static size_t copy_number(const struct reader *r, char text[64])
{
	size_t length = 0;

	for (; r->at + length < r->end && length < 63; length++) {
		const char c = r->at[length];
		const bool is_sign =
			(c == '-' || c == '+') && length &&
			!is_hexadecimal(text) &&
			tolower((unsigned char)text[length - 1]) == 'e';

		if (!isalnum((unsigned char)c) && c != '.' && !is_sign)
			break;
		text[length] = c;
		text[length + 1] = 0;
	}
	return length;
}

/* The value, and what follows it. As in the assembler, a real number that is
   no normal one is out of range, too. */
static char *value_of(char *text, struct token *t)
{
	char *end;

	if (!is_hexadecimal(text) && strpbrk(text, ".eE")) {
		double value = strtod(text, &end);

		t->is_float = true;
		memcpy(&t->bits, &value, sizeof(value));
		return end;
	}
	if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
		t->bits = strtoull(text + 2, &end, 2);
		end = end == text + 2 ? text : end;
	} else {
		t->bits = strtoull(text, &end, 0);
	}
	t->is_unsigned = *end == 'U';
	return end + t->is_unsigned;
}

static int take_number(struct reader *r, struct token *t)
{
	char text[64] = "";
	const char *end;
	size_t length;

	t->kind = TOKEN_NUMBER;
	if (begins(r, "0f") || begins(r, "0F"))
		return take_bits(r, t, 8);
	if (begins(r, "0d") || begins(r, "0D"))
		return take_bits(r, t, 16);
	length = copy_number(r, text);
	t->text = (struct ptx_name){r->at, (uint32_t)length};
	errno = 0;
	end = value_of(text, t);
	if (*end)
		return reader_refuse(
			r, &t->place, "expected a number, not '%s'", text);
	if (errno == ERANGE)
		return reader_refuse(r, &t->place,
			"expected a number of 64 bits, not '%s'", text);
	while (length--)
		step(r);
	return 0;
}

/* `1`, `.5`, `.5e3` */
static bool begins_number(const struct reader *r)
{
	const char *at = r->at + 1;

	if (isdigit((unsigned char)*r->at))
		return true;
	if (*r->at != '.' || !skip_digits(&at, r->end))
		return false;
	/* `.2d` is a word. */
	return at == r->end || !in_name(*at) || *at == 'e' || *at == 'E';
}

static int take_string(struct reader *r, struct token *t)
{
	t->kind = TOKEN_STRING;
	step(r);
	t->text.text = r->at;
	while (r->at < r->end && *r->at != '"' && *r->at != '\n')
		step(r);
	t->text.length = (uint32_t)(r->at - t->text.text);
	if (r->at == r->end || *r->at != '"')
		return reader_refuse(
			r, &t->place, "expected '\"' at the end of a string");
	step(r);
	return 0;
}

int reader_next(struct reader *r)
{
	struct token *t = &r->token;

	*t = (struct token){.spaced = skip_space(r)};
	t->place = r->place;
	if (r->at == r->end)
		return 0;
	if (begins(r, "/*"))
		return reader_refuse(
			r, &t->place, "expected '*/' at the end of a comment");
	if (begins_number(r))
		return take_number(r, t);
	if (*r->at == '"')
		return take_string(r, t);
	if (*r->at == '.' && r->at + 1 < r->end && in_name(r->at[1])) {
		t->kind = TOKEN_DOT;
		step(r);
		take_name(r, t);
		return 0;
	}
	if (begins_name(r)) {
		t->kind = TOKEN_NAME;
		take_name(r, t);
		return 0;
	}
	t->kind = TOKEN_MARK;
	t->mark = *r->at;
	t->text = (struct ptx_name){r->at, 1};
	step(r);
	return 0;
}

struct reader_place reader_tell(const struct reader *r)
{
	return (struct reader_place){r->at, r->place, r->token};
}

void reader_go_back(struct reader *r, const struct reader_place *to)
{
	r->at = to->at;
	r->place = to->place;
	r->token = to->token;
}

int reader_skip_statement(struct reader *r)
{
	int code = 0;

	while (!code && r->token.kind != TOKEN_END && !reader_is_mark(r, ';'))
		code = reader_next(r);
	return code ? code : reader_take_mark(r, ';');
}

static int say(struct reader *r, enum error_code code,
	const struct ptx_place *place, const char *format, va_list arguments)
{
	char text[512], *c;

	vsnprintf(text, sizeof(text), format, arguments);
	/* A spelling may go over several lines. */
	for (c = text; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = ' ';
	return error_set(r->error, code, "%s:%" PRIu32 ":%" PRIu32 ": %s",
		r->file, place->line, place->column, text);
}

int reader_refuse(struct reader *r, const struct ptx_place *place,
	const char *format, ...)
{
	va_list arguments;
	int code;

	va_start(arguments, format);
	code = say(r, ERR_USAGE, place, format, arguments);
	va_end(arguments);
	return code;
}

int reader_unmodelled(struct reader *r, const struct ptx_place *place,
	const char *format, ...)
{
	va_list arguments;
	int code;

	va_start(arguments, format);
	code = say(r, ERR_SKIPPED, place, format, arguments);
	va_end(arguments);
	return code;
}

int reader_expected(struct reader *r, const char *what)
{
	const struct token *t = &r->token;

	if (t->kind == TOKEN_END)
		return reader_refuse(r, &t->place,
			"expected %s, not the end of the file", what);
	return reader_refuse(r, &t->place, "expected %s, not '%s%.*s'", what,
		t->kind == TOKEN_DOT ? "." : "",
		(int)(t->text.length < 60 ? t->text.length : 60), t->text.text);
}

bool reader_is_mark(const struct reader *r, char mark)
{
	return r->token.kind == TOKEN_MARK && r->token.mark == mark;
}

bool reader_is_dot(const struct reader *r, const char *text)
{
	return r->token.kind == TOKEN_DOT && ptx_name_is(&r->token.text, text);
}

int reader_take_mark(struct reader *r, char mark)
{
	const char what[] = {'\'', mark, '\'', 0};

	return reader_is_mark(r, mark) ? reader_next(r)
				       : reader_expected(r, what);
}

int reader_skip_mark(struct reader *r, char mark, bool *was)
{
	*was = reader_is_mark(r, mark);
	return *was ? reader_next(r) : 0;
}
