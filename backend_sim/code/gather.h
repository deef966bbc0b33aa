#ifndef NEARFAR_CODE_GATHER_H
#define NEARFAR_CODE_GATHER_H

#include "backend_sim/code/flat.h"

/*
 * The assembler makes one atomic of a warp's additions to a word that is the
 * same for all its lanes, if they add one number or nobody reads the result:
 * the lanes are counted or summed, one of them adds for all, and each takes its
 * part of the result. As the code of an H200's assembler (CUDA 13.0) shows, for
 * whole numbers of 32 bits in global memory.
 * Sets flat_insn.gathered.
 */
int gather_atomics(struct flat *f, struct error *error);

#endif
