#ifndef NEARFAR_MEET_H
#define NEARFAR_MEET_H

/*
 * Where lanes of a warp wait for each other: a barrier, or an operation with
 * .sync, which names the lanes that take part. A lane waits there until all
 * that it names, and that have not ended, stand at the same operation and name
 * the same lanes: at the same instruction, or at another one, as on both sides
 * of a branch. Then all take part at once, and each goes on from where it
 * stands. Lanes of one path that name different lanes are different groups.
 *
 * A path that waits has path.waits set, and others of its warp go on. If none
 * can, the run fails with a sentence that says where the lanes stand.
 */
#include "backend_sim/kernel/run_parts.h"

/* Lanes that take part from one place. */
struct meet_part {
	const struct code_insn *c;
	uint32_t lanes;
};

/* Lanes that take part together: the first part are those of the path that
   goes on. */
struct meet_group {
	uint32_t members; /* whom they name */
	uint32_t lanes;   /* who is there, of all parts */
	uint32_t part_count;
	struct meet_part parts[LANES];
};

/* The group of the first of `lanes`, which stand at `c`; the others of them
   are left. */
uint32_t meet_group(const struct grid *g, const struct kernel_warp *k,
	const struct code_insn *c, uint32_t lanes, struct meet_group *group);

/* Before `c`, which `mask` of the path's lanes execute: whether they go on.
   False: the path, or its lanes, have changed, or the run has failed. */
bool meet_gather(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t mask);

/* Behind `c`, which meet_gather() let `lanes` go on with: those that took part
   from elsewhere go on, too. */
void meet_pass(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t lanes);

#endif
