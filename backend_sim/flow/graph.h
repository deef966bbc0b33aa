#ifndef NEARFAR_GRAPH_H
#define NEARFAR_GRAPH_H

/*
 * The control flow of a kernel: basic blocks, and where the paths of a branch
 * meet again (the immediate post-dominator; Lengauer and Tarjan, "A fast
 * algorithm for finding dominators in a flowgraph", 1979, on the reversed
 * graph).
 */
#include "backend_sim/flow/flat.h"

#define NO_BLOCK UINT32_MAX

struct graph_block {
	uint32_t first, end;   /* instructions, `end` not among them */
	uint32_t successor[2]; /* NO_BLOCK: none */
	uint32_t meets;        /* the block that all paths reach; NO_BLOCK */
	uint32_t depth;        /* blocks that all paths reach, from this one on;
				  NO_BLOCK: no path ends */
};

struct graph {
	struct graph_block *blocks; /* owned; in the order of the text */
	uint32_t block_count;
	uint32_t *block_of; /* [instruction + 1]; owned */
};

/* ERR_FAILED without memory; graph_free() then, too. */
int graph_make(struct graph *g, const struct flat *f, struct error *error);
void graph_free(struct graph *g);

/* Does the instruction end a block? */
bool graph_is_end(const struct flat_insn *insn);

/* Does the block end in an early exit: under a predicate an exit, or a branch
   to a block that is nothing else, of which the assembler makes one? */
bool graph_exits(const struct graph *g, const struct flat *f, uint32_t block);

#endif
