#ifndef NEARFAR_SPARE_H
#define NEARFAR_SPARE_H

/*
 * Instructions that the assembler leaves out: those whose results nobody reads,
 * and additions of numbers to a register that another one follows, which adds
 * the sum. As ptxas 13.0 for sm_90 does in the loops of programs' own PTX. They
 * stay where they are, and cost nothing.
 */
#include "backend_sim/flow/graph.h"

/* Sets flat_insn.spare. ERR_FAILED without memory, ERR_USAGE for a text that is
   too large to be looked at. */
int spare_insns(struct flat *f, const struct graph *g, struct error *error);

#endif
