#ifndef NEARFAR_COUNTED_H
#define NEARFAR_COUNTED_H

/*
 * Loops that the assembler unrolls: one basic block that counts a register by
 * a constant, and goes back while the register is not at a bound that the loop
 * leaves alone. What they may cost was found by assembling loops that differ
 * in one thing (ptxas 13.0 for sm_90; backend_sim/kernels.md has the table).
 *
 * unroll.h leaves the comparison out of all rounds but the last, and lanes with
 * few rounds left go to another copy of the loop. So a loop is left as it is
 * unless all of this holds:
 *
 *   - the counter is counted once a round, without a predicate, before it is
 *     compared, by a step of which three are a number of its type and a
 *     positive one where it has a sign;
 *   - a bound that is a number has three steps of room before the type's end;
 *   - the branch alone reads what the comparison writes, in the loop and
 *     behind it;
 *   - where lanes talk to each other in it, or wait for each other, all lanes
 *     of a warp that come to the loop make the same number of rounds.
 */
#include "backend_sim/flow/liveness.h"

struct counted {
	uint32_t block;
	uint32_t first, end; /* instructions; the branch is the last of them */
	uint32_t test;       /* the one that compares */
	uint32_t add;        /* the one that counts */
	int64_t step;        /* of the counter, an iteration */
};

/* What is known of a kernel, for counted_find(). */
struct counted_of {
	const struct flat *f;
	const struct graph *g;
	const struct liveness *live;
	const bool *divided; /* [block]: as divided.h has it */
};

/* Does the assembler unroll the block? Then `*loop` is it. */
bool counted_find(
	const struct counted_of *of, uint32_t block, struct counted *loop);

/* What an addition of a number to its own register adds; 0: it is none. */
int64_t counted_step(const struct ptx_insn *insn);

#endif
