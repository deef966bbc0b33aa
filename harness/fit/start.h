#ifndef NEARFAR_FIT_START_H
#define NEARFAR_FIT_START_H

/* The machine that a fit begins with: the nearest known one with the chip's
   geometry. What DRAM does takes the same time on each machine, so its cycles
   follow the SM clock; what is wired on the die keeps its cycles. */
#include "harness/observe/chip.h"

#define START_MAX 64

struct fit_start {
	struct start_value {
		const char *name, *unit;
		double value;
		char origin[160]; /* as machine files have it */
	} items[START_MAX];
	size_t count;
	const char *nearest;
};

/* `clock_hz` is what was measured; NaN: nothing was, the driver's counts. */
void start_make(struct fit_start *start, const struct chip *chip,
	double clock_hz, const char *nearest,
	const struct model_parameters *known);

/* A machine file based on the nearest. */
int start_write(
	const struct fit_start *start, const char *path, struct error *error);

/* What was found, in words. */
void start_put(
	const struct fit_start *start, const struct chip *chip, FILE *out);

#endif
