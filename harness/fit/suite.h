#ifndef NEARFAR_FIT_SUITE_H
#define NEARFAR_FIT_SUITE_H

/*
 * What is measured for a fit: rows, in the order in which they are run. Each is
 * a bench with its words, as `nearfar run` takes them, or a program that is
 * written for the chip at hand.
 *
 * In the words, %S is the number of SMs and %L the bytes of L2, both also with
 * "/N" or "*N" behind them ("%L/4"), and %S-N is N SMs fewer.
 */
#include "harness/fit/chip.h"
#include "harness/run/plan.h"

enum fit_use {
	FIT_GEOMETRY, /* read by chip.h; no target */
	FIT_TARGET,
	FIT_BOTH,
	FIT_HELD_OUT, /* compared with, never fitted to */
};

struct fit_row {
	const char *name; /* of its file, without the ending */
	enum fit_use use;
	const char *words; /* NULL: a program */
	/* Writes a program's text for a number of `counts`; ERR_SKIPPED where
	   the chip has no such thing, with the reason. */
	int (*program)(
		const struct chip *, unsigned count, FILE *out, struct error *);
	const char *counts; /* separated by spaces: a program, and a series,
			       each; NULL: one, 0 */
};

extern const struct fit_row fit_rows[];
extern const size_t fit_row_count;

/* The row of that name; NULL: there is none. */
const struct fit_row *fit_row_find(const char *name);

/* Whether a list of fnmatch patterns with commas between (NULL: all) has the
   row. */
bool fit_row_wanted(const struct fit_row *row, const char *patterns);

/* A plan and the words that it borrows. */
struct fit_plan {
	struct plan plan;
	char *text; /* owned */
};

/* `path` is where the program stands, if the row has no words.
   fit_plan_free() after success. */
int fit_plan_make(struct fit_plan *made, const struct fit_row *row,
	const char *path, const struct device *device, struct error *error);
void fit_plan_free(struct fit_plan *made);

/* ---- the programs ---- */

#define FIT_PROGRAM(name)                                                      \
	int fit_write_##name(const struct chip *, unsigned count, FILE *out,   \
		struct error *)
FIT_PROGRAM(gpcs); /* half of `count` GPCs */
FIT_PROGRAM(contention);
FIT_PROGRAM(slice);
FIT_PROGRAM(slice_sectors);
FIT_PROGRAM(side);
FIT_PROGRAM(fresh);
FIT_PROGRAM(tlb_entries); /* `count` pages that no entry of a TLB shares */
FIT_PROGRAM(tlb_reach);   /* that many pages of 2 MiB */
FIT_PROGRAM(tlb_stride);  /* pages that many MiB apart, more than entries */
FIT_PROGRAM(tlb2_reach);  /* `count` pages of 32 MiB */

#endif
