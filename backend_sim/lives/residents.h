#ifndef NEARFAR_RESIDENTS_H
#define NEARFAR_RESIDENTS_H

/*
 * How full the SMs are in a launch, of who profiles: told of each warp that has
 * ended.
 */
#include "backend_sim/core/core.h"
#include "harness/contract/job_occupancy.h"

struct residents;

/* NULL without memory; residents_free() ends it. */
struct residents *residents_make(const struct core *core);
void residents_free(struct residents *r);

/* A warp was resident on an SM in [since, now). */
void residents_warp(
	struct residents *r, uint32_t sm, uint64_t since, uint64_t now);

/* What was there, into what is known of the launch's blocks; all was answered
   at cycle `answered`. */
void residents_collect(const struct residents *r, uint64_t answered,
	struct job_occupancy *occupancy);

#endif
