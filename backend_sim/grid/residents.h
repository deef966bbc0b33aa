#ifndef NEARFAR_RESIDENTS_H
#define NEARFAR_RESIDENTS_H

/*
 * How full the SMs are in a launch, of who profiles: told of each warp that has
 * ended.
 */
#include "backend_sim/grid/grid.h"

struct residents;

/* NULL without memory; residents_free() ends it. */
struct residents *residents_make(const struct execution *x);
void residents_free(struct residents *r);

/* A warp was resident on an SM in [since, now). */
void residents_warp(
	struct residents *r, uint32_t sm, uint64_t since, uint64_t now);

/* What an SM holds, and what was there. */
void residents_collect(const struct residents *r, const struct grid *g,
	const struct execution *x, struct job_occupancy *occupancy);

#endif
