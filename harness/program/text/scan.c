#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/program/text/scan.h"
#include "harness/base/units.h"

void scan_init(struct scan *scan, const char *text, const char *source,
	struct error *error)
{
	scan->source = source;
	scan->line = text;
	scan->at = text;
	scan->line_number = 1;
	scan->error = error;
	scan->owner = NULL;
}

unsigned scan_column(const struct scan *scan)
{
	return (unsigned)(scan->at - scan->line) + 1;
}

char scan_peek(struct scan *scan)
{
	while (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r')
		scan->at++;
	return *scan->at == '\n' || *scan->at == '#' ? '\0' : *scan->at;
}

bool scan_line(struct scan *scan)
{
	while (!scan_peek(scan)) {
		scan->at += strcspn(scan->at, "\n");
		if (!*scan->at)
			return false;
		scan->line = ++scan->at;
		scan->line_number++;
	}
	return true;
}

bool scan_take(struct scan *scan, char byte)
{
	if (scan_peek(scan) != byte)
		return false;
	scan->at++;
	return true;
}

/* What was found may be any bytes; a message is a line of ASCII. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

int scan_fail(struct scan *scan, unsigned column, const char *format, ...)
{
	char sentence[ERROR_TEXT_BYTES / 2];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	make_printable(sentence);
	return error_set(scan->error, ERR_USAGE, "%s:%u:%u: %s", scan->source,
		scan->line_number, column, sentence);
}

int scan_expect(struct scan *scan, char byte)
{
	if (scan_take(scan, byte))
		return 0;
	return scan_fail(scan, scan_column(scan), "expected '%c'", byte);
}

int scan_expect_end(struct scan *scan)
{
	if (!scan_peek(scan))
		return 0;
	return scan_fail(
		scan, scan_column(scan), "expected the end of the line");
}

int scan_word(struct scan *scan, const char *stops, const char *what,
	struct word *word)
{
	size_t length = 0;

	word->column = 0;
	if (scan_peek(scan)) {
		length = strcspn(scan->at, " \t\r\n#");
		if (strcspn(scan->at, stops) < length)
			length = strcspn(scan->at, stops);
	}
	word->column = scan_column(scan);
	if (!length)
		return scan_fail(scan, word->column, "expected %s", what);
	if (length >= sizeof(word->text))
		return scan_fail(scan, word->column,
			"expected %s, found a word of %zu bytes", what, length);
	memcpy(word->text, scan->at, length);
	word->text[length] = '\0';
	scan->at += length;
	return 0;
}

/* Puts the place in front of a sentence about a number. */
static int place(struct scan *scan, const struct word *word, int status)
{
	if (!status)
		return 0;
	if (scan->error)
		make_printable(scan->error->text);
	return error_prefix(scan->error, status, "%s:%u:%u: ", scan->source,
		scan->line_number, word->column);
}

static int limit(struct scan *scan, const struct word *word, uint64_t value,
	uint64_t max)
{
	if (value <= max)
		return 0;
	return scan_fail(scan, word->column,
		"expected a number up to %" PRIu64 ", found %" PRIu64, max,
		value);
}

int scan_bytes(struct scan *scan, const struct word *word, const char *text,
	uint64_t max, uint64_t *value)
{
	uint64_t bytes = 0;
	int status = units_parse_bytes(text, &bytes, scan->error);

	if (status)
		return place(scan, word, status);
	status = limit(scan, word, bytes, max);
	if (!status)
		*value = bytes;
	return status;
}

int scan_count(struct scan *scan, const struct word *word, const char *text,
	uint64_t max, uint64_t *value)
{
	uint64_t count = 0;
	int status = units_parse_count(text, &count, scan->error);

	if (status)
		return place(scan, word, status);
	status = limit(scan, word, count, max);
	if (!status)
		*value = count;
	return status;
}

int scan_real(struct scan *scan, const struct word *word, const char *text,
	double *value)
{
	return place(scan, word, units_parse_real(text, value, scan->error));
}
