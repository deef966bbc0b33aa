#ifndef NEARFAR_NEEDS_H
#define NEARFAR_NEEDS_H

/*
 * Which values of a kernel decide what happens when: those from which an
 * address, a guard, a branch, the members of a vote, a barrier's operands, a
 * copy's size, a policy, a tensor map or a descriptor is made. All others are
 * left out by `--values none`: the instruction is idle, takes its time, and
 * computes nothing.
 *
 * Of memory the kinds are looked at (origins.h): where a load's value decides,
 * all stores to the kinds that it may read do, too. Global memory that is no
 * buffer is taken to decide, and so is all that a kernel reads that prints.
 * Where calls stay calls all values do.
 *
 * Of some instructions of a program's kernel it is known that nothing follows
 * from them but time (ptx_kernel.idle_lines): they are idle whatever reads what
 * they write, and only the addresses that they access decide.
 */
#include "backend_sim/flow/graph.h"
#include "backend_sim/flow/origins.h"

struct needs {
	struct origin_memory space; /* whose parameters are the launch's */
	const uint32_t *idle_lines; /* of the launch's module; not owned */
	size_t idle_count;
	/* Kinds of global memory whose content decides, in any launch so far:
	   a launch may read what another one stored. */
	uint64_t global;
	bool makes_maps; /* a launch makes tensor maps, of any memory */
	uint64_t memory; /* of the launch: with its shared and local memory */
	bool skips;      /* it has idle accesses, copies or products */
};

/*
 * Sets flat_insn.idle, and what the launch adds to `needs`: other launches are
 * to be looked at again while `global` and `makes_maps` grow. ERR_FAILED
 * without memory.
 */
int needs_find(struct flat *f, const struct graph *g, struct needs *needs,
	struct error *error);

#endif
