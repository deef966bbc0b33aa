#ifndef NEARFAR_LOGIC_H
#define NEARFAR_LOGIC_H

/*
 * The assembler makes operations of three operands (LOP3) of and, or, xor and
 * not, where one of them alone reads what another one of its block makes. An
 * operation of 64 bits is two of 32, side by side.
 */
#include "backend_sim/flow/graph.h"

/* What joins others becomes a lop3, of 64 bits, too; sets flat_insn.spare of
   the others. ERR_FAILED without memory, ERR_USAGE for a text that is too large
   to be looked at. */
int logic_join(struct flat *f, const struct graph *g, struct error *error);

#endif
