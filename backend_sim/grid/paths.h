#ifndef NEARFAR_PATHS_H
#define NEARFAR_PATHS_H

/* The paths of a warp's lanes: a stack, whose top goes on. */
#include "backend_sim/grid/grid.h"

/* A path that has branched back so often lets others go on: it may wait for
   them. Rounds that poll memory do so soon, others are only slow: lanes that
   have left loops of 49 rounds wait for the others on an H100. */
#define PATHS_POLLS_MAX 64u
#define PATHS_SPINS_MAX 65536u

/* The lanes that take the branch, of those of the path; the path goes on. */
int paths_branch(
	struct kernel_warp *k, const struct code_insn *c, uint32_t taken);
/* Paths that have come to where they meet, and those without lanes. */
void paths_meet(struct kernel_warp *k);
/* To the next instruction, where paths may meet. */
static inline void paths_next(struct kernel_warp *k)
{
	struct path *top = kernel_path(k);

	top->pc++;
	top->waits = false;
	if (!top->mask || top->pc == top->meets)
		paths_meet(k);
}
/* The lanes end. */
void paths_exit(struct kernel_warp *k, uint32_t mask);
/* A path that only turns round lets others go on. */
void paths_yield(struct kernel_warp *k);
/* All lanes that have not ended. */
uint32_t paths_alive(const struct kernel_warp *k);
/* The path's lanes that stand where it does: others have branched off. */
uint32_t paths_standing(const struct kernel_warp *k, uint32_t path);
/* The nearest path below the top whose lanes could go on; `yielded`: though
   they have let others go first. */
bool paths_find(const struct kernel_warp *k, bool yielded, uint32_t *path);
/* The path's standing lanes become the top. Not 0: there are too many paths, as
   of the next two. */
int paths_rise(struct kernel_warp *k, uint32_t path);
/* The lanes become a path of their own, behind it. */
int paths_part(struct kernel_warp *k, uint32_t path, uint32_t mask);
/* The path's lanes that are in `mask` have done what they waited for. */
int paths_next_of(struct kernel_warp *k, uint32_t path, uint32_t mask);
/* Another path that stands where the top does. */
bool paths_beside(const struct kernel_warp *k, uint32_t *path);
/* The top takes it in. */
void paths_join(struct kernel_warp *k, uint32_t path);

#endif
