#ifndef NEARFAR_REPEATED_H
#define NEARFAR_REPEATED_H

/*
 * Values that are there already, which the assembler (ptxas 13.0 for sm_90)
 * does not compute again:
 *
 *   - what an instruction of the same block has computed from the same
 *     registers: it becomes a move, which costs nothing;
 *   - in a loop, what is computed from registers that the loop leaves alone:
 *     the assembler has it before the loop. It stays where it is, and costs
 *     nothing. Only of the block in which each round begins, for others may not
 *     be executed.
 */
#include "backend_sim/flow/graph.h"

/* Makes the moves, and sets flat_insn.spare of the others. ERR_FAILED without
   memory. */
int repeated_insns(struct flat *f, const struct graph *g, struct error *error);

#endif
