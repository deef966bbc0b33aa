/* The paths of a warp's lanes: a stack, whose top goes on. A path above
   another one has lanes of it that have branched off, or none of its lanes. */
#include <string.h>

#include "backend_sim/grid/paths.h"

void paths_meet(struct kernel_warp *k)
{
	while (k->depth && (!kernel_path(k)->mask ||
				   kernel_path(k)->pc == kernel_path(k)->meets))
		k->depth--;
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
		paths_meet(k);
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
	paths_meet(k);
	return 0;
}

void paths_exit(struct kernel_warp *k, uint32_t mask)
{
	uint32_t i;

	for (i = 0; i < k->depth; i++)
		k->paths[i].mask &= ~mask;
	paths_meet(k);
}

uint32_t paths_alive(const struct kernel_warp *k)
{
	uint32_t mask = 0, i;

	for (i = 0; i < k->depth; i++)
		mask |= k->paths[i].mask;
	return mask;
}

/* ---- which path goes on ---- */

uint32_t paths_standing(const struct kernel_warp *k, uint32_t path)
{
	uint32_t above = 0, i;

	for (i = path + 1; i < k->depth; i++)
		above |= k->paths[i].mask;
	return k->paths[path].mask & ~above;
}

static void take_out(struct kernel_warp *k, uint32_t path)
{
	memmove(&k->paths[path], &k->paths[path + 1],
		(k->depth - path - 1u) * sizeof(k->paths[0]));
	k->depth--;
}

int paths_rise(struct kernel_warp *k, uint32_t path)
{
	struct path risen = k->paths[path];

	risen.mask = paths_standing(k, path);
	if (risen.mask == k->paths[path].mask)
		take_out(k, path);
	else if (k->depth == PATHS_MAX)
		return -1;
	else
		k->paths[path].mask &= ~risen.mask;
	k->paths[k->depth++] = risen;
	return 0;
}

int paths_part(struct kernel_warp *k, uint32_t path, uint32_t mask)
{
	struct path *p = &k->paths[path];

	if (k->depth == PATHS_MAX)
		return -1;
	memmove(p + 1, p, (k->depth - path) * sizeof(*p));
	k->depth++;
	p[0].mask &= ~mask;
	p[1].mask = mask;
	return 0;
}

int paths_next_of(struct kernel_warp *k, uint32_t path, uint32_t mask)
{
	if (k->paths[path].mask != mask) {
		if (paths_part(k, path, mask))
			return -1;
		path++;
	}
	k->paths[path].waits = false;
	if (++k->paths[path].pc == k->paths[path].meets)
		take_out(k, path);
	return 0;
}

bool paths_beside(const struct kernel_warp *k, uint32_t *path)
{
	const struct path *top = &k->paths[k->depth - 1u];
	uint32_t i;

	for (i = 0; i + 1 < k->depth; i++)
		if (k->paths[i].pc == top->pc &&
			k->paths[i].meets == top->meets &&
			paths_standing(k, i) == k->paths[i].mask) {
			*path = i;
			return true;
		}
	return false;
}

void paths_join(struct kernel_warp *k, uint32_t path)
{
	kernel_path(k)->mask |= k->paths[path].mask;
	kernel_path(k)->waits = false;
	take_out(k, path);
}

bool paths_find(const struct kernel_warp *k, bool yielded, uint32_t *path)
{
	uint32_t i;

	for (i = k->depth - 1u; i-- > 0;)
		if (!k->paths[i].waits && paths_standing(k, i) &&
			(yielded || !k->paths[i].yielded)) {
			*path = i;
			return true;
		}
	return false;
}

/* Those that have not gone first yet go before those that have. */
void paths_yield(struct kernel_warp *k)
{
	uint32_t next, i;

	k->spins = k->polls = 0;
	if (!paths_find(k, false, &next)) {
		for (i = 0; i < k->depth; i++)
			k->paths[i].yielded = false;
		if (!paths_find(k, true, &next))
			return;
	}
	kernel_path(k)->yielded = true;
	if (paths_rise(k, next))
		return;
	kernel_path(k)->yielded = false;
}
