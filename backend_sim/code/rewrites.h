#ifndef NEARFAR_REWRITES_H
#define NEARFAR_REWRITES_H

/*
 * A store, an atomic, a copy to shared memory and a prefetch hold the registers
 * that they read until the load/store unit has read them. In a loop, what
 * writes such a register again waits for that, as the code of ptxas (13.0 for
 * sm_90) does:
 *
 *   - what writes a register that a round gets from the one before waits by
 *     itself; but a sum of 64 bits with the register itself, as addresses are
 *     counted by, is made early in another register;
 *   - for such a sum, and for a register whose value each round makes anew, the
 *     begin of the next round waits, once for all its stores: the assembler
 *     takes other registers for what one round makes;
 *   - the branch that ends the round waits if the store is so far before it
 *     that the registers are about to be free.
 */
#include "backend_sim/flow/graph.h"

/* Sets flat_insn.rewrites. ERR_FAILED without memory. */
int rewrites_find(struct flat *f, const struct graph *g, struct error *error);

#endif
