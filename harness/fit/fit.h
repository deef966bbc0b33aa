#ifndef NEARFAR_FIT_H
#define NEARFAR_FIT_H

/*
 * From a GPU to a machine file, in two halves.
 *
 * The first half measures: it runs the rows of a suite (suite.h) on a backend
 * and leaves a folder: a series a row, device.json with what the driver says of
 * the device, and the text of the programs that are no bench's. A row whose
 * file is there is not run again, so a measurement that was interrupted goes
 * on where it was.
 *
 * The second half needs no GPU: it reads the geometry from the folder (chip.h),
 * takes what no series says from the nearest known machine, writes that as
 * start.yaml into the folder, and calibrates from there (search.h). Its runs
 * are in the folder, too, and are not made again.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "harness/contract/backend.h"

struct fit_config {
	const struct backend_ops *ops; /* measures */
	struct backend_config backend;
	const struct backend_ops *model; /* is fitted */
	const char *folder;
	const char *nearest; /* a known machine; NULL: chosen by the device */
	const char *rows;    /* fnmatch patterns with commas between: these rows
				of the suite only; NULL: all */
	const char *output;  /* MACHINE.yaml, of the second half */
	const char *points;  /* CSV of every point's errors, or NULL */
	double seconds;      /* of both halves; 0: no limit */
	unsigned jobs, repeats, warmups;
	uint32_t seed;
	atomic_int *stop; /* nonzero: stop; may be NULL */
};

/* The first half. Tells on `out` which rows were left out, and why. */
int fit_measure(
	const struct fit_config *config, FILE *out, struct error *error);

/* The second half, with its tables on `out`; `seconds` is what it may take. */
int fit_machine(const struct fit_config *config, double seconds, FILE *out,
	struct error *error);

#endif
