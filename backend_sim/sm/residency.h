#ifndef NEARFAR_RESIDENCY_H
#define NEARFAR_RESIDENCY_H

/*
 * What an SM holds at once of a launch: blocks, and the lines of L1 that their
 * shared memory leaves.
 */
#include "backend_sim/sm/execution.h"

/* Bytes of shared memory that an SM has at most, the driver's among them. */
uint64_t residency_shared_most(const struct costs *cost);

/* What an SM sets aside for a block that has so many bytes of shared memory. */
uint64_t residency_shared(const struct execution *x, uint64_t bytes);

/* What is set aside for all blocks of an SM that have so many bytes in all. */
uint64_t residency_carved(const struct costs *cost, uint64_t shared_bytes);

/* Of L1 of each SM, where its blocks have so many bytes of shared memory in
 * all.
 */
uint32_t residency_l1_lines_beside(
	const struct execution *x, uint64_t shared_bytes);

#endif
