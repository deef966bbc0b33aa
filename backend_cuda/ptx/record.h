#ifndef NEARFAR_PTX_RECORD_H
#define NEARFAR_PTX_RECORD_H

/*
 * What a timed region writes of itself (the records of ptx.h), so that it
 * disturbs as little as can be: one request a warp, the global timer read by a
 * block's first warp alone, no wait but for the blocks that start last.
 */
#include "backend_cuda/ptx/body.h"

/* %clock64, in a fresh register. */
unsigned ptx_stamp(struct ptx_body *b);
/* Until all that the warp has written has arrived. */
void ptx_wait_for_stores(struct ptx_body *b);
/* All active lanes meet. */
void ptx_sync_warp(struct ptx_body *b);

void ptx_write_record(struct ptx_body *b, const struct ptx_region *place,
	unsigned start, unsigned stop);
/* The lanes copy the warp's samples from shared memory to the output. */
void ptx_write_samples(struct ptx_body *b, const struct ptx_region *place);

/* By the block's first warp: where it runs, and both clocks, before any region
   of the role; both clocks, behind a region. */
void ptx_write_first_clocks(struct ptx_body *b);
void ptx_write_last_clocks(struct ptx_body *b, const struct ptx_region *place);
/* By a block that starts last: when what the region wrote has arrived. */
void ptx_drain(struct ptx_body *b, const struct ptx_region *place);

#endif
