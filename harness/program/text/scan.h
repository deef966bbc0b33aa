#ifndef NEARFAR_TEXT_SCAN_H
#define NEARFAR_TEXT_SCAN_H

/*
 * Words of the text form, one line at a time. A failure is ERR_USAGE with
 * "SOURCE:LINE:COLUMN: " and a sentence; columns count bytes from 1.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"

#define SCAN_WORD_BYTES 4096

struct scan {
	const char *source;
	const char *line; /* its first byte */
	const char *at;   /* the next byte to read, in the line */
	unsigned line_number;
	struct error *error;
	void *owner; /* of what is read: for fields that read themselves */
};

struct word {
	char text[SCAN_WORD_BYTES];
	unsigned column;
};

/* Without an owner. */
void scan_init(struct scan *scan, const char *text, const char *source,
	struct error *error);

/* Moves to the next line that holds more than a comment; false: none. */
bool scan_line(struct scan *scan);

/* The next byte that is no blank; '\0' at the end of the line. */
char scan_peek(struct scan *scan);

/* Reads `byte` if it comes next. */
bool scan_take(struct scan *scan, char byte);

/* ERR_USAGE unless `byte`, or the end of the line, comes next. */
int scan_expect(struct scan *scan, char byte);
int scan_expect_end(struct scan *scan);

/*
 * Reads up to a blank, the end, or one of `stops`; ERR_USAGE "expected
 * `what`" for an empty or overlong word.
 */
int scan_word(struct scan *scan, const char *stops, const char *what,
	struct word *word);

/* Sizes, whole numbers up to `max`, and decimal numbers. */
int scan_bytes(struct scan *scan, const struct word *word, const char *text,
	uint64_t max, uint64_t *value);
int scan_count(struct scan *scan, const struct word *word, const char *text,
	uint64_t max, uint64_t *value);
int scan_real(struct scan *scan, const struct word *word, const char *text,
	double *value);

int scan_fail(struct scan *scan, unsigned column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The column of the next byte. */
unsigned scan_column(const struct scan *scan);

#endif
