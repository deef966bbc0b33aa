#ifndef NEARFAR_TALLY_H
#define NEARFAR_TALLY_H

/*
 * Counters of kernels' launches, from whatever has them, and two of these side
 * by side:
 *
 *   a result of kernels    (`run --kernel -o FILE`) its counters, and
 *                          elapsed_cycles by its name in Nsight Compute
 *   a profile              (`run --kernel --profile FILE.json`) cycles, what
 *                          warps waited for as `wait.CLASS`, and of servers
 *                          `busy.SERVER` and `in_line.SERVER`, all in cycles
 *   Nsight Compute's CSV   (`ncu --csv --page raw`) its metrics, in base units:
 *                          "Kbyte" is 1000 bytes
 *
 * Launches are compared in their order, counters by name.
 */
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/series/io.h"

#define TALLY_CYCLES METRIC_ELAPSED_NSIGHT

struct tally_value {
	char *name; /* owned */
	double value;
};

struct tally_launch {
	char *kernel; /* owned */
	struct tally_value *values;
	size_t count;
};

struct tally {
	struct tally_launch *launches;
	size_t count;
};

/* Whether the file is a profile or Nsight Compute's CSV, which hold counters
   and no series; false if it cannot be read, and for standard input. */
bool tally_detect(const char *path);
/* ERR_USAGE for wrong content, and for one that has no launch of a kernel. */
int tally_read(const char *path, struct tally *tally, struct error *error);
void tally_free(struct tally *tally);

/* For the readers: append; NULL, and false, without memory. */
struct tally_launch *tally_add(struct tally *tally, const char *kernel);
bool tally_add_value(
	struct tally_launch *launch, const char *name, double value);

/* tally_nsight.c: ERR_USAGE with the line. */
bool tally_is_nsight(const char *text);
int tally_read_nsight(char *text, size_t bytes, const char *source,
	struct tally *tally, struct error *error);

/* What both have, as table, csv, json or md; `only` is the name of one counter,
   or NULL. ERR_USAGE where they share none. */
#define TALLY_FORMATS                                                          \
	(1u << FORMAT_TABLE | 1u << FORMAT_CSV | 1u << FORMAT_JSON |           \
		1u << FORMAT_MD)
int tally_compare(const struct tally *base, const struct tally *new,
	const char *only, enum series_format format, FILE *out,
	struct error *error);

#endif
