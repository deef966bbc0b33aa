/* The paths of a warp's lanes: a stack, whose top goes on. */
#include "backend_sim/kernel/grid.h"

static void merge(struct kernel_warp *k)
{
	while (k->depth && (!kernel_path(k)->mask ||
				   kernel_path(k)->pc == kernel_path(k)->meets))
		k->depth--;
}

void paths_next(struct kernel_warp *k)
{
	kernel_path(k)->pc++;
	merge(k);
}

static void push(
	struct kernel_warp *k, uint32_t pc, uint32_t meets, uint32_t mask)
{
	if (pc != meets && mask)
		k->paths[k->depth++] =
			(struct path){.pc = pc, .meets = meets, .mask = mask};
}

int paths_branch(
	struct kernel_warp *k, const struct code_insn *c, uint32_t taken)
{
	struct path *top = kernel_path(k);
	uint32_t pc = top->pc, others = top->mask & ~taken;

	if (k->depth == 1)
		k->spins = k->polls = 0;
	if (taken && c->target <= pc) {
		k->spins++;
		k->polls += k->polled;
		k->polled = 0;
	}
	if (!taken || !others) {
		top->pc = taken ? c->target : pc + 1;
		merge(k);
		return 0;
	}
	if (k->depth + 2u > PATHS_MAX)
		return -1;
	/* Those below wait at the same place already. */
	if (top->meets == c->reconverge)
		k->depth--;
	else
		top->pc = c->reconverge;
	push(k, pc + 1, c->reconverge, others);
	push(k, c->target, c->reconverge, taken);
	merge(k);
	return 0;
}

void paths_exit(struct kernel_warp *k, uint32_t mask)
{
	uint32_t i;

	for (i = 0; i < k->depth; i++)
		k->paths[i].mask &= ~mask;
	merge(k);
}

uint32_t paths_alive(const struct kernel_warp *k)
{
	uint32_t mask = 0, i;

	for (i = 0; i < k->depth; i++)
		mask |= k->paths[i].mask;
	return mask;
}

/* The others of the path below, or one beside it, go first; then both meet
   where the one below would have. */
void paths_yield(struct kernel_warp *k)
{
	struct path *top = kernel_path(k), *below = top - 1, first;

	k->spins = k->polls = 0;
	if (k->depth < 2)
		return;
	first = *below;
	if (below->meets != top->meets) {
		first.mask &= ~top->mask;
		if (!first.mask)
			return;
	}
	*below = *top;
	below->meets = first.meets;
	below->yielded = true;
	*top = first;
	top->yielded = false;
}

bool paths_gather(struct kernel_warp *k, uint32_t wanted)
{
	struct path *top = kernel_path(k), *below = top - 1, first;

	if (!(wanted & ~top->mask) || k->depth < 2 ||
		below->meets != top->meets)
		return true;
	if (below->pc == top->pc) {
		below->mask |= top->mask;
		below->yielded = false;
		k->depth--;
		return false;
	}
	if (!below->yielded || !(below->mask & wanted))
		return true;
	first = *below;
	first.yielded = false;
	*below = *top;
	*top = first;
	return false;
}
