#ifndef NEARFAR_STARTS_H
#define NEARFAR_STARTS_H

/*
 * When the blocks of a launch start, and their warps.
 */
#include "backend_sim/sm/execution.h"

/* The first block of its SM; one for which the SM has room beside others; one
   that takes the place of another. */
enum block_start { START_FIRST, START_BESIDE, START_IN_PLACE };

/* A block of a kernel, the first of its SM or one beside others, not before
   `earliest`; the chip takes the ends of blocks one after the other, not their
   starts. The first block of an SM does not wait for those of other SMs; but
   for one that is early, first blocks are later the more SMs begin, and by the
   doubling of their warps. One for which its SM has room beside others starts
   when chip, GPC and SM have launched it, one after the other. Where the code
   is in caches, a scheduler's first warp waits for the first instructions,
   which each GPC brings to the schedulers of its SMs in turn; other warps of
   the SM start within a few cycles (results/probes/block_lags.tsv). */
void start_of_kernel(struct execution *x, uint32_t block, enum block_start how,
	uint64_t earliest);

#endif
