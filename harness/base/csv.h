#ifndef NEARFAR_CSV_H
#define NEARFAR_CSV_H

/*
 * Records of comma-separated text (RFC 4180), read in place: fields point
 * into the text, which is changed. A record that begins with '#' is one
 * comment line; a line without anything is an empty record.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct csv {
	char *next, *end; /* *end is 0 */
	const char *source;
	size_t line; /* of the last record's beginning, from 1 */
	size_t lines_done;

	char **fields; /* of the last record */
	size_t field_count, field_capacity;
	char *comment; /* behind '#' and a space; else NULL */
};

/* `text` is `bytes` long and followed by a zero byte. */
void csv_init(struct csv *csv, char *text, size_t bytes, const char *source);

/* 1 with a record, 0 at the end; ERR_USAGE for an open quote or what follows
   a closing one, ERR_FAILED without memory. */
int csv_next(struct csv *csv, struct error *error);

void csv_free(struct csv *csv);

#endif
