#ifndef NEARFAR_LOOPS_H
#define NEARFAR_LOOPS_H

/* Blocks that can come to themselves again: those of strongly connected parts
   of the graph (Tarjan, "Depth-first search and linear graph algorithms",
   1972). */
#include "backend_sim/flow/graph.h"

/* Sets `in_loop` of each block; ERR_FAILED without memory. */
int loops_find(const struct graph *g, bool *in_loop, struct error *error);

#endif
