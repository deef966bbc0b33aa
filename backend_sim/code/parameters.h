#ifndef NEARFAR_CODE_PARAMETERS_H
#define NEARFAR_CODE_PARAMETERS_H

/*
 * The assembler loads a kernel's parameters where they are first used. The text
 * of compilers has all of them at the top, as a rule before an exit for threads
 * beyond the end: those that nothing before the exit needs are loaded behind
 * it, and are waited for once more. As the code of triad, copy and others shows
 * (ptxas 13.0).
 */
#include "backend_sim/flow/graph.h"

/* Moves such loads behind the exit at the end of the first block, if it has
   one, and sets flat_insn.behind_exit; `*changed`: the graph is no longer
   right. ERR_FAILED without memory. */
int parameters_behind_exit(struct flat *f, const struct graph *g, bool *changed,
	struct error *error);

#endif
