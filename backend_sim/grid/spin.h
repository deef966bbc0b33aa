#ifndef NEARFAR_SPIN_H
#define NEARFAR_SPIN_H

/*
 * Loops that only read the clock, as delays are: `while (clock64() - start <
 * cycles)`. Where all that goes on is warps in such loops, and they stand to
 * each other, to their schedulers and to what they wait for as they did some
 * cycles ago, what they did since then comes again and again. Such periods are
 * skipped up to the last one in which no warp leaves its loop: the clock, the
 * instructions and the events that are counted, and the order of events are
 * then those of rounds that are executed one by one. Who profiles or traces a
 * launch, or has it share the chip, has them executed.
 */
#include "backend_sim/grid/grid.h"

/* clock; sub, maybe; setp; branch. */
struct spin_loop {
	uint32_t first, last; /* instructions; the last one is the branch */
	uint8_t bits;         /* of the clock and what it is compared with */
	bool is_signed;
	bool until_wrap;  /* it stays while the clock is beyond the bound */
	bool with_bound;  /* and where it is the bound */
	struct row start; /* is subtracted from the clock, if has_start */
	bool has_start;
	struct row bound;
};

/* The loop that ends with instruction `last`; false: it is none. */
bool spin_find(const struct code *code, uint32_t last, struct spin_loop *loop);
/* The last cycle whose clock keeps all lanes in the loop, if those from `from`
   on do; less than `from`: they don't. */
uint64_t spin_until(const struct grid *g, const struct kernel_warp *k,
	const struct spin_loop *loop, uint64_t from);

/* ---- spin.c ---- */

/* Marks the loops of the grid's code; grid.spins stays NULL if it has none.
   Less than 0 without memory. */
int spins_make(struct grid *g, const struct execution *x);
void spins_free(struct spins *s);
/* The warp has gone back to the begin of its loop. */
void spin_turn(struct execution *x, uint32_t warp);

#endif
