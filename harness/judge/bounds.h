#ifndef NEARFAR_BOUNDS_H
#define NEARFAR_BOUNDS_H

/*
 * What a run reports, held against what is possible on its device. One table
 * (bounds.c) has a row for each bound: samples come from SMs that are there and
 * last neither less than nothing nor for years, spans hold their samples, the
 * clock is one that the device can have, dependent accesses are not faster than
 * their level, and no more bytes move in a cycle than SMs, L2 and DRAM have.
 *
 * Rates may exceed their limit by BOUNDS_SLACK: a clock is known to within a
 * percent, and limits are nominal.
 */
#include "harness/contract/backend.h"

#define BOUNDS_SLACK 0.05

/* ERR_FAILED names the program, the region, what was reported and the bound. A
   limit that the device does not state binds nothing. */
int bounds_check(const struct program *p, const struct result *result,
	const struct device *device, struct error *error);

#endif
