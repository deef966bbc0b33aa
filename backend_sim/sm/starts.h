#ifndef NEARFAR_STARTS_H
#define NEARFAR_STARTS_H

/*
 * When the blocks of a launch start, and their warps.
 */
#include "backend_sim/sm/execution.h"

/* The block's warps start at `cycle`, `stagger` ticks apart. */
void start_block(struct execution *x, const struct block *b, uint64_t cycle,
	uint32_t stagger);
/* They start, `late_cycles` later than they could, when chip, GPC and SM have
   launched the block, not before `earliest`; each warp's first instructions
   take the SM some ticks more, and the chip `chip_ticks`. */
void start_launched(struct execution *x, const struct block *b,
	uint64_t late_cycles, uint64_t earliest, uint32_t prologue_ticks,
	uint32_t chip_ticks);
/* The same for a block that takes the place of another one. */
void start_next(struct execution *x, const struct block *b, uint64_t earliest,
	uint32_t prologue_ticks);
/* By how many cycles the block is late, where blocks start together or are the
   first of their SM. */
uint64_t start_late(const struct execution *x, uint32_t block, bool together);

#endif
