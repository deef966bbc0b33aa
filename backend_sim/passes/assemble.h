#ifndef NEARFAR_ASSEMBLE_H
#define NEARFAR_ASSEMBLE_H

/*
 * What the assembler does to a kernel before an SM sees it, as far as its time
 * depends on it: within a basic block, loads go as far up as what they depend
 * on and the registers let them, so that many are under way before the first
 * value is used. No access passes another one that may be to the same place;
 * none passes a barrier but loads of memory that nobody writes (ld.global.nc).
 * All pass shuffles but where a warp may be divided, and none a division with a
 * rounding (parts.h).
 */
#include "backend_sim/flow/graph.h"

/* An atomic on global memory whose result nobody reads becomes a reduction, as
   Nsight's counts show for rank_push and histogram_global (results/kernels).
   ERR_FAILED without memory. */
int assemble_reductions(struct flat *f, struct error *error);

/*
 * The assembler makes one atomic of a warp's additions to a word that is the
 * same for all its lanes, if they add one number or nobody reads the result:
 * the lanes are counted or summed, one of them adds for all, and each takes its
 * part of the result. As the code of an H200's assembler (CUDA 13.0) shows, for
 * whole numbers of 32 bits in global memory.
 * Sets flat_insn.gathered. ERR_FAILED without memory.
 */
int gather_atomics(struct flat *f, struct error *error);

/* Reorders the instructions of each block; ERR_FAILED without memory. */
int assemble_order(struct flat *f, const struct graph *g, struct error *error);

#endif
