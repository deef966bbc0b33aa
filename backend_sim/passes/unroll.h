#ifndef NEARFAR_UNROLL_H
#define NEARFAR_UNROLL_H

/*
 * The assembler makes of a counted loop (counted.h) one that does four rounds
 * at a time, behind it two rounds, then the loop as it was, each behind a test
 * of how many are left:
 *
 *	if not (counter before bound) go to ONE
 *	if not (three more rounds are left) go to TWO
 *   FOUR: four rounds; if (three more are left) go to FOUR
 *   TWO: if not (one more is left) go to LEFT
 *	two rounds
 *   LEFT: if not (the loop goes on) go to END
 *   ONE: the loop
 *   END:
 *
 * What a round writes before it reads it has a register of its own in each
 * round; of a register that only counts and gives addresses the addresses
 * have the sum, and it is counted once.
 *
 * Each lane makes the rounds that it would have made, in their order. Other
 * lanes of its warp may be in another copy meanwhile, which is why counted.h
 * leaves loops alone whose lanes talk to each other and do not go together.
 */
#include "backend_sim/flow/graph.h"

/* Unrolls the loops; `*changed` says that `g` is out of date. ERR_FAILED
   without memory. */
int unroll_loops(struct flat *f, const struct graph *g, bool *changed,
	struct error *error);

#endif
