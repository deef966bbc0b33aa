#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/exchange/import.h"

void import_scan_init(struct import_scan *scan, const struct import_file *file,
	struct error *error)
{
	*scan = (struct import_scan){
		.file = file, .at = file->text, .error = error};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct import_scan *scan)
{
	while (is_blank(*scan->at))
		scan->at++;
}

bool import_scan_line(struct import_scan *scan)
{
	const char *end = scan->file->text + scan->file->bytes;

	do {
		if (scan->line) {
			const char *feed = memchr(
				scan->at, '\n', (size_t)(end - scan->at));

			scan->at = feed ? feed + 1 : end;
		}
		scan->line++;
		scan->line_start = scan->at;
		skip_blanks(scan);
	} while (scan->at < end && *scan->at == '\n');
	return scan->at < end;
}

int import_scan_fail(struct import_scan *scan, const char *format, ...)
{
	char sentence[ERROR_TEXT_BYTES / 2];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	return error_set(scan->error, ERR_USAGE, "%s:%u:%zu: %s",
		scan->file->source, scan->line,
		(size_t)(scan->at - scan->line_start) + 1, sentence);
}

int import_scan_number(
	struct import_scan *scan, const char *what, double *value)
{
	char *end;
	double number;

	skip_blanks(scan);
	/* strtod would take line feeds, names and hexadecimals as well. */
	if (!strspn(scan->at, "+-.0123456789") ||
		(scan->at[0] == '0' && (scan->at[1] | 0x20) == 'x'))
		return import_scan_fail(scan, "expected %s", what);
	number = strtod(scan->at, &end);
	if (end == scan->at || !isfinite(number))
		return import_scan_fail(scan, "expected %s", what);
	scan->at = end;
	*value = number;
	return 0;
}

int import_scan_positive(
	struct import_scan *scan, const char *what, double *value)
{
	double number = 0;
	const char *at;
	int code;

	skip_blanks(scan);
	at = scan->at;
	code = import_scan_number(scan, what, &number);
	if (code)
		return code;
	if (number <= 0) {
		scan->at = at;
		return import_scan_fail(scan, "expected %s, more than 0", what);
	}
	*value = number;
	return 0;
}

bool import_scan_try(struct import_scan *scan, const char *word)
{
	const size_t length = strlen(word);

	skip_blanks(scan);
	if (strncmp(scan->at, word, length) != 0)
		return false;
	scan->at += length;
	return true;
}

int import_scan_word(struct import_scan *scan, const char *word)
{
	return import_scan_try(scan, word)
		       ? 0
		       : import_scan_fail(scan, "expected '%s'", word);
}

bool import_scan_at_end(struct import_scan *scan)
{
	skip_blanks(scan);
	return scan->at == scan->file->text + scan->file->bytes ||
	       *scan->at == '\n';
}

int import_scan_end(struct import_scan *scan)
{
	if (import_scan_at_end(scan))
		return 0;
	return import_scan_fail(scan, "expected the end of the line");
}
