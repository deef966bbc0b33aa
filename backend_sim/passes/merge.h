#ifndef NEARFAR_MERGE_H
#define NEARFAR_MERGE_H

/*
 * The assembler makes one load of two or four loads of neighbouring words of
 * shared memory, where the address is known to be a multiple of 8 or 16 bytes.
 * Source: counts of instructions of the load/store pipe that Nsight gives for
 * gemm_tiled and gemm_blocked (results/kernels): each neighbouring four are
 * one.
 */
#include "backend_sim/flow/graph.h"

/* The first of such loads leads the others, which come to stand behind it.
   ERR_FAILED without memory. */
int merge_loads(struct flat *f, const struct graph *g, struct error *error);

#endif
