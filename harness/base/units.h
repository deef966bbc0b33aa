#ifndef NEARFAR_UNITS_H
#define NEARFAR_UNITS_H

/*
 * Sizes as users write them: KiB MiB GiB TiB (powers of 1024), kB MB GB TB
 * (powers of 1000), bare K M G T (binary), B or nothing (bytes). A fraction
 * is allowed if the size is a whole number of bytes. All else is an error.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

int units_parse_bytes(const char *text, uint64_t *bytes, struct error *error);

/* A whole number without sign, in full; "12x" is an error. */
int units_parse_count(const char *text, uint64_t *count, struct error *error);

/* The same of an option, whose name is put before the sentence, from `least` to
   `most`. */
int units_parse_count_within(const char *option, const char *text,
	uint64_t least, uint64_t most, uint64_t *count, struct error *error);

/* A finite decimal number, in full. */
int units_parse_real(const char *text, double *value, struct error *error);

/* Whole, in the largest power of 1024 that allows it: "8MiB", "1536KiB",
   "100". */
void units_format_bytes(uint64_t bytes, char *text, size_t size);

/* Whether the values of an axis are sizes: its name says so. */
bool axis_is_bytes(const char *axis);

#endif
