#ifndef NEARFAR_LEVELS_H
#define NEARFAR_LEVELS_H

/*
 * Where was a probe answered? Every line is its own yardstick: the same run
 * measures its latency in DRAM (region "dram": nothing cached), on a second
 * touch (region "near"), and after an atomic by another launch, which leaves
 * the line in its home alone (region "home"). A line whose home latency is
 * nearer to its near latency than to the far hits has its home on the SM's
 * side. Sample i of each region is line i.
 */
#include "backend.h"
#include "program.h"

enum level { LEVEL_L1, LEVEL_NEAR, LEVEL_FAR, LEVEL_DRAM, LEVEL_COUNT };

/* The share of the probes of region "measure" at each level; ERR_FAILED if a
   region is missing or has no samples. */
int levels_share(const struct program *p, const struct result *result,
	double share[LEVEL_COUNT], struct error *error);

#endif
