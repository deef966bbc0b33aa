#ifndef NEARFAR_LEVELS_H
#define NEARFAR_LEVELS_H

/*
 * Where was a probe answered? Every line is its own yardstick: the same run
 * measures its latency in DRAM (region "dram": nothing cached), on a second
 * touch (region "near"), and of an atomic (region "home"), which always goes
 * to the line's home: an atomic that takes much longer than the near hit
 * tells that the home is on the other side, and how long a far hit takes.
 * Sample i of each region is line i.
 */
#include "harness/contract/backend.h"
#include "harness/program/program.h"

enum level { LEVEL_L1, LEVEL_NEAR, LEVEL_FAR, LEVEL_DRAM, LEVEL_COUNT };

/* The share of the probes of region "measure" at each level; ERR_FAILED if a
   region is missing or has no samples. */
int levels_share(const struct program *p, const struct result *result,
	double share[LEVEL_COUNT], struct error *error);

#endif
