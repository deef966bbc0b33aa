#ifndef NEARFAR_MEASURES_ROWS_H
#define NEARFAR_MEASURES_ROWS_H

/*
 * What is measured, for a fit (measures) and for a fingerprint
 * (quick_measures): rows, in the order in which they are run. Each is a bench
 * with its words, as `nearfar run` takes them, or a program that is written for
 * the chip at hand.
 *
 * In the words, %S is the number of SMs and %L the bytes of L2, both also with
 * "/N" or "*N" behind them ("%L/4"), and %S-N is N SMs fewer.
 */
#include "harness/observe/chip.h"
#include "harness/run/plan.h"

/* The provenance of a series by which it is known as that of a measure: the
   row's name. */
#define MEASURE_ROW "fit.row"

enum measure_use {
	USE_GEOMETRY, /* read by chip.h; no target */
	USE_TARGET,
	USE_BOTH,
	USE_HELD_OUT, /* compared with, never fitted to */
};

struct measure {
	const char *name; /* of its file, without the ending */
	enum measure_use use;
	const char *words; /* NULL: a program */
	/* Writes a program's text for a number of `counts`; ERR_SKIPPED where
	   the chip has no such thing, with the reason. */
	int (*program)(
		const struct chip *, unsigned count, FILE *out, struct error *);
	const char *counts; /* separated by spaces: a program, and a series,
			       each; NULL: one, 0 */
};

extern const struct measure measures[];
extern const size_t measure_count;

extern const struct measure quick_measures[];
extern const size_t quick_measure_count;

/* The index of the row of that name; quick_measure_count: there is none. */
size_t quick_measure_find(const char *name);

/* The row of that name; NULL: there is none. */
const struct measure *measure_find(const char *name);

/* Whether a list of fnmatch patterns with commas between (NULL: all) has the
   row. */
bool measure_wanted(const struct measure *row, const char *patterns);

/* A plan and the words that it borrows. */
struct measure_plan {
	struct plan plan;
	char *text; /* owned */
};

/* `path` is where the program stands, if the row has no words; NULL: it is
   written for its first count and for what the driver says of the device.
   ERR_SKIPPED where the chip has no such thing. measure_plan_free() after
   success. */
int measure_plan_make(struct measure_plan *made, const struct measure *row,
	const char *path, const struct device *device, struct error *error);
void measure_plan_free(struct measure_plan *made);

/* ---- the programs ---- */

#define MEASURE_PROGRAM(name)                                                  \
	int measure_write_##name(const struct chip *, unsigned count,          \
		FILE *out, struct error *)
MEASURE_PROGRAM(gpcs); /* half of `count` GPCs */
MEASURE_PROGRAM(contention);
MEASURE_PROGRAM(slice);
MEASURE_PROGRAM(slice_sectors);
MEASURE_PROGRAM(side);
MEASURE_PROGRAM(fresh);
MEASURE_PROGRAM(tlb_entries); /* `count` pages that no entry of a TLB shares */
MEASURE_PROGRAM(tlb_reach);   /* that many pages of 2 MiB */
MEASURE_PROGRAM(tlb_stride);  /* pages that many MiB apart, more than entries */
MEASURE_PROGRAM(tlb2_reach);  /* `count` pages of 32 MiB */

/* One SM times single loads from each of OBSERVE_REGIONS parts of memory; all
   SMs read from each. The region of part 0 is "measure". */
MEASURE_PROGRAM(region_latency);
MEASURE_PROGRAM(region_rate);

/* That all SMs together read in a timed region of region-rate. */
double measure_region_bytes(const struct device *device);

#endif
