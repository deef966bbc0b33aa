#ifndef NEARFAR_DEAL_H
#define NEARFAR_DEAL_H

/*
 * Which block comes in the place of one that has ended. Silicon does not give
 * such places to blocks as they become free, but looks for them every 18 to 30
 * cycles: then each SM that has room gets one block, GPC by GPC, and in a GPC
 * by the number of the SM. So blocks that follow each other are often in one
 * GPC (results/probes/block_turns.tsv).
 */
#include "backend_sim/sm/execution.h"

/* The place of block `block` of execution.blocks, on that block's SM, is free:
   one that waits begins there at `earliest` or later. Of a cluster of blocks:
   of its first block, when all have ended. */
void deal_place(struct execution *x, uint32_t block, uint64_t earliest);
/* Station: a round. */
void deal_round(struct execution *x, uint32_t index, uint32_t datum);
/* For any launch: no place is free. */
void deal_clear(struct execution *x);

#endif
