#ifndef NEARFAR_PARTS_H
#define NEARFAR_PARTS_H

/*
 * Where the assembler ends a block within a block of the text: nothing passes
 * there, so that loads behind it wait for what stands before it. As the code of
 * 32 kernels shows that differ in one thing (ptxas 13.0, sm_90):
 * - a division, reciprocal or root with a rounding, and a division of 64 bits,
 *   goes around a call for numbers that are rare, or is one: what it takes
 *   stands before, all else behind it;
 * - where some lanes of a warp may be elsewhere, a branch to a slow way stands
 *   before the first shuffle or vote of the block, and that way comes back
 *   behind the last one.
 */
#include "backend_sim/flow/graph.h"

/* It is several instructions with a branch, or a call. */
bool parts_is_sequence(const struct ptx_insn *insn);

/* Where the parts of a block may end. */
struct parts {
	const struct flat *f;
	uint32_t end;        /* of the block */
	uint32_t slow, back; /* at the first shuffle or vote, behind the last
				one, where some lanes may be elsewhere */
};

/* `divided`: some lanes of a warp may be elsewhere (divided.h). */
struct parts parts_of(
	const struct flat *f, const struct graph_block *block, bool divided);
/* The end of the part that begins at instruction `first` of the block. */
uint32_t parts_end(const struct parts *parts, uint32_t first);

#endif
