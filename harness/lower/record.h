#ifndef NEARFAR_LOWER_RECORD_H
#define NEARFAR_LOWER_RECORD_H

/*
 * What a timed region writes of itself (the records of lower.h), so that it
 * disturbs as little as can be: one request a warp, behind all that its block
 * does, or none where other blocks follow and go before; the global timer read
 * by a block's first warp alone, no fence but by the blocks that start last.
 */
#include "harness/lower/body.h"

/* The next instruction comes when the barrier before it, if there is one, is
   over. A clock by itself does not wait: on an H200 it is read 2 cycles after
   bar.sync, however late other warps come (results/probes/barrier_clocks.tsv).
   A branch or an access between the two waits. */
void ptx_past_barrier(struct ptx_body *b);
/* %clock64, in a fresh register, past a barrier. */
unsigned ptx_stamp(struct ptx_body *b);
/* Until all that the warp has written has arrived. */
void ptx_wait_for_stores(struct ptx_body *b);
/* All active lanes meet. */
void ptx_sync_warp(struct ptx_body *b);

/* The lanes copy the warp's samples from shared memory to the output. */
void ptx_write_samples(struct ptx_body *b, const struct ptx_region *place);

/* By the block's first warp: where it runs, and both clocks, before any region
   of the role. */
void ptx_write_first_clocks(struct ptx_body *b);
/* At the end of the role: the records of its regions, and both clocks. A warp
   that stores while others of its SM still load holds up theirs (32 warps of 2
   loads of 16 B take 805 cycles, and 887: results/probes/records.tsv), so that
   those of a block wait for each other first; but not where other blocks wait
   for its place. */
void ptx_write_records(struct ptx_body *b);
/* By a block that starts last: when what the region wrote has arrived. */
void ptx_drain(struct ptx_body *b, const struct ptx_region *place);

#endif
