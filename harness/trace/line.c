/* Lines, words and numbers of a trace. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/trace/parts.h"

int trace_fail(const struct trace_reader *r, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(r->error, ERR_USAGE, "%s:%u:%zu: %s", r->source,
		r->number, (size_t)(r->at - r->line) + 1, text);
}

static void skip_blanks(struct trace_reader *r)
{
	while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
		r->at++;
}

void trace_end_line(struct trace_reader *r)
{
	const char *end = strchr(r->at, '\n');

	r->at = end ? end + 1 : r->at + strlen(r->at);
	r->number += end != NULL;
	r->line = r->at;
}

bool trace_next_line(struct trace_reader *r)
{
	for (;;) {
		skip_blanks(r);
		if (*r->at != '\n' && *r->at != '#')
			return *r->at != '\0';
		trace_end_line(r);
	}
}

bool trace_has_word(struct trace_reader *r)
{
	skip_blanks(r);
	return *r->at && *r->at != '\n';
}

bool trace_skip(struct trace_reader *r, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(r->at, word, length) != 0)
		return false;
	r->at += length;
	skip_blanks(r);
	return true;
}

static int digit(char c, unsigned base)
{
	int value = c >= '0' && c <= '9'   ? c - '0'
		    : c >= 'a' && c <= 'f' ? c - 'a' + 10
		    : c >= 'A' && c <= 'F' ? c - 'A' + 10
					   : 16;

	return value < (int)base ? value : -1;
}

int trace_number(struct trace_reader *r, unsigned base, uint64_t most,
	const char *what, uint64_t *value)
{
	const char *at;
	uint64_t sum = 0;
	int d;

	skip_blanks(r);
	at = r->at;
	if (base == 16 && at[0] == '0' && at[1] == 'x')
		at += 2;
	if (digit(*at, base) < 0)
		return trace_fail(r, "expected %s", what);
	for (; (d = digit(*at, base)) >= 0; at++) {
		if (sum > (UINT64_MAX - (unsigned)d) / base)
			return trace_fail(r, "%s is too large", what);
		sum = sum * base + (unsigned)d;
	}
	if (sum > most)
		return trace_fail(r, "%s is too large", what);
	if (isalnum((unsigned char)*at))
		return trace_fail(r, "expected %s", what);
	r->at = at;
	*value = sum;
	return 0;
}

bool trace_is_name(const char *path)
{
	size_t length = strlen(path), ending = strlen(TRACE_ENDING);

	return length > ending && !strcmp(path + length - ending, TRACE_ENDING);
}
