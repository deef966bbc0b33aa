#include <math.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"

/* Up to here every whole number is a double. */
#define WHOLE_MAX 1e15

/* Most of what files hold is whole: samples, clocks, counts. */
static void format_whole(int64_t value, char *text)
{
	uint64_t left = (uint64_t)(value < 0 ? -value : value);
	char digits[EMIT_NUMBER_BYTES];
	int count = 0;

	do
		digits[count++] = (char)('0' + left % 10);
	while (left /= 10);
	if (value < 0)
		*text++ = '-';
	while (count)
		*text++ = digits[--count];
	*text = '\0';
}

void emit_format(double value, char text[EMIT_NUMBER_BYTES])
{
	int digits;

	if (fabs(value) < WHOLE_MAX && value == floor(value)) {
		format_whole((int64_t)value, text);
		return;
	}
	for (digits = 15; digits <= 17; digits++) {
		snprintf(text, EMIT_NUMBER_BYTES, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			return;
	}
}

static void emit_number(FILE *out, double value, const char *none)
{
	char text[EMIT_NUMBER_BYTES];

	if (!isfinite(value)) {
		fputs(none, out);
		return;
	}
	emit_format(value, text);
	fputs(text, out);
}

void emit_json_number(FILE *out, double value)
{
	emit_number(out, value, "null");
}

void emit_csv_number(FILE *out, double value)
{
	emit_number(out, value, "");
}

/* Of a UTF-8 sequence that is no longer than it must be, no half of a pair and
   no more than U+10FFFF; 0 if there is none. */
static size_t sequence_bytes(const unsigned char *at)
{
	static const struct {
		unsigned char first, last, low, high; /* of the second byte */
		size_t bytes;
	} rows[] = {
		{0x00, 0x7f, 0, 0, 1},
		{0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	size_t row = 0, i;

	while (row < sizeof(rows) / sizeof(rows[0]) && *at > rows[row].last)
		row++;
	if (row == sizeof(rows) / sizeof(rows[0]) || *at < rows[row].first)
		return 0;
	if (rows[row].bytes > 1 &&
		(at[1] < rows[row].low || at[1] > rows[row].high))
		return 0;
	for (i = 2; i < rows[row].bytes; i++)
		if (at[i] < 0x80 || at[i] > 0xbf)
			return 0;
	return rows[row].bytes;
}

bool emit_is_utf8(const char *text)
{
	size_t bytes;

	for (; *text; text += bytes) {
		bytes = sequence_bytes((const unsigned char *)text);
		if (!bytes)
			return false;
	}
	return true;
}

void emit_json_string(FILE *out, const char *text)
{
	static const char escapes[][2] = {{'"', '"'}, {'\\', '\\'}, {'\n', 'n'},
		{'\t', 't'}, {'\r', 'r'}};
	const size_t count = sizeof(escapes) / sizeof(escapes[0]);
	const bool valid = emit_is_utf8(text);
	size_t i;

	fputc('"', out);
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		for (i = 0; i < count && escapes[i][0] != *text; i++)
			;
		if (i < count)
			fprintf(out, "\\%c", escapes[i][1]);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c < 0x80 || valid ? c : '?', out);
	}
	fputc('"', out);
}

static bool is_first(const struct facts *facts, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (!strcmp(facts->items[i].key, facts->items[index].key))
			return false;
	return true;
}

static size_t key_uses(const struct facts *facts, const char *key)
{
	size_t uses = 0, i;

	for (i = 0; i < facts->count; i++)
		uses += !strcmp(facts->items[i].key, key);
	return uses;
}

static void emit_values(FILE *out, const struct facts *facts, const char *key)
{
	const bool array = key_uses(facts, key) > 1;
	const char *comma = "";
	size_t i;

	if (array)
		fputc('[', out);
	for (i = 0; i < facts->count; i++) {
		if (strcmp(facts->items[i].key, key))
			continue;
		fputs(comma, out);
		emit_json_string(out, facts->items[i].value);
		comma = ", ";
	}
	if (array)
		fputc(']', out);
}

void emit_json_number_member(FILE *out, const char *key, double value)
{
	fprintf(out, ", \"%s\": ", key);
	emit_json_number(out, value);
}

void emit_json_string_member(FILE *out, const char *key, const char *text)
{
	fprintf(out, ", \"%s\": ", key);
	emit_json_string(out, text);
}

void emit_json_facts(FILE *out, const struct facts *facts, const char *gap)
{
	const char *comma = "";
	size_t i;

	fputc('{', out);
	for (i = 0; i < facts->count; i++) {
		if (!is_first(facts, i))
			continue;
		fprintf(out, "%s%s", comma, gap);
		emit_json_string(out, facts->items[i].key);
		fputs(": ", out);
		emit_values(out, facts, facts->items[i].key);
		comma = ",";
	}
	fputc('}', out);
}

void emit_openmetrics_string(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			fputc('\\', out);
		fputs(*text == '\n' ? "\\n" : (char[]){*text, '\0'}, out);
	}
}

void emit_csv_string(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n#") && *text != ' ') {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}
