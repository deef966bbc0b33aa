#ifndef NEARFAR_COUNTED_H
#define NEARFAR_COUNTED_H

/*
 * Loops that the assembler unrolls: one basic block that counts a register by
 * a constant, and goes back while the register is not at a bound that the loop
 * leaves alone. What they may cost was found by assembling loops that differ
 * in one thing (ptxas 13.0 for sm_90; backend_sim/README.md has the table).
 */
#include "backend_sim/flow/liveness.h"

struct counted {
	uint32_t block;
	uint32_t first, end; /* instructions; the branch is the last of them */
	uint32_t test;       /* the one that compares */
	uint32_t add;        /* the one that counts */
	int64_t step;        /* of the counter, an iteration */
};

/* Does the assembler unroll the block? Then `*loop` is it. */
bool counted_find(const struct flat *f, const struct graph *g,
	const struct liveness *live, uint32_t block, struct counted *loop);

/* What an addition of a number to its own register adds; 0: it is none. */
int64_t counted_step(const struct ptx_insn *insn);

#endif
