#ifndef NEARFAR_JOURNAL_LINE_H
#define NEARFAR_JOURNAL_LINE_H

/* One line of a journal, with its check, and what is wrong with a header. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

/* Of a line, beside its record; the line feed is one of them. */
#define JOURNAL_LINE_BYTES 34

/* The line of a record: bytes + JOURNAL_LINE_BYTES, without a zero byte behind
   them; the caller frees it. `check` is that of the line before and becomes
   this one's. NULL without memory. */
char *journal_line_make(uint32_t *check, const char *record, size_t bytes);

/* The record in a line, or NULL if the line is not whole or its check is not
   the one that follows `check`. */
const char *journal_line_read(
	uint32_t *check, const char *line, size_t line_bytes, size_t *bytes);

/* Whether it may be the beginning of a line. */
bool journal_line_begins(const char *line, size_t bytes);

/* ERR_USAGE: how the header that was found differs from the one wanted. */
int journal_line_refuse(const char *path, const char *found, size_t bytes,
	const char *schema, const char *wanted, struct error *error);

#endif
