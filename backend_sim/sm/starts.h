#ifndef NEARFAR_STARTS_H
#define NEARFAR_STARTS_H

/*
 * When the blocks of a launch start, and their warps.
 */
#include "backend_sim/sm/execution.h"

/* The block's warps start at `cycle`, `stagger` ticks apart, and issue for
   `first` ticks before their work. */
void start_block(struct execution *x, const struct block *b, uint64_t cycle,
	uint32_t stagger, uint32_t first);
/* A block of a launch whose blocks wait for each other. An SM sees later that
   all are there the more SMs look. */
void start_together(struct execution *x, uint32_t block, uint64_t cycle);
/* The first block of an SM. It does not wait for those of other SMs; but for
   one that is early, first blocks are later the more SMs begin, and by the
   doubling of their warps. */
void start_first(struct execution *x, uint32_t block, uint64_t earliest);
/* A block for which its SM has room beside others: it starts when chip, GPC and
   SM have launched it, one after the other, not before `earliest`. */
void start_beside(
	struct execution *x, const struct block *b, uint64_t earliest);
/* A block of a user's kernel, the first of its SM or one beside others; the
   chip takes the ends of blocks one after the other, not their starts. */
void start_of_kernel(
	struct execution *x, uint32_t block, bool is_first, uint64_t earliest);
/* The same as start_beside() for a block that takes the place of another one.
 */
void start_next(struct execution *x, const struct block *b, uint64_t earliest,
	uint32_t first);

#endif
