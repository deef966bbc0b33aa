/* setmaxnreg: warps leave registers to their block, and others take them. No
   value is affected. */
#include <inttypes.h>

#include "backend_sim/core/events.h"
#include "backend_sim/kernel/run_parts.h"

static enum pace refuse(
	struct execution *x, uint32_t warp, uint32_t has, uint64_t wants)
{
	const struct warp *w = &x->warps[warp];

	grid_fail(x, warp, kernel_path(&x->grid->warps[warp])->pc,
		"block %" PRIu64 ", warp %u has %u registers a thread and is "
		"to have %" PRIu64 ": setmaxnreg%s",
		x->grid->blocks[w->block_index].number, w->index, has, wants,
		wants > has ? ".dec makes them fewer" : ".inc makes them more");
	return OFF;
}

/* Those that wait look again. */
static void wake(struct execution *x, struct kernel_block *b)
{
	uint32_t warp = b->wanting, next;

	b->wanting = NONE;
	for (; warp != NONE; warp = next) {
		next = x->warps[warp].next;
		x->warps[warp].state = WARP_READY;
		event_push(x->core, warp, AT_WARP, core_now(x->core) + 1);
	}
}

static enum pace take(struct execution *x, uint32_t warp, uint32_t wants)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	struct warp *w = &x->warps[warp];
	struct kernel_block *b = &x->grid->blocks[w->block_index];
	const uint32_t more = wants - k->registers;

	if (more > b->spare) {
		profile_why(k, JOB_WAIT_BARRIER, kernel_path(k)->pc);
		w->next = b->wanting;
		b->wanting = warp;
		w->state = WARP_BARRIER;
		return OFF;
	}
	b->spare -= more;
	k->registers = (uint16_t)wants;
	paths_next(k);
	return ON;
}

enum pace run_registers(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	struct kernel_block *b = &x->grid->blocks[x->warps[warp].block_index];
	const bool adds = c->insn->op == PTXO_REGISTERS_INC;

	if (x->grid->has_pool && adds != (c->offset > k->registers) &&
		c->offset != k->registers)
		return refuse(x, warp, k->registers, c->offset);
	if (x->grid->has_pool && adds)
		return take(x, warp, (uint32_t)c->offset);
	if (x->grid->has_pool) {
		b->spare += k->registers - (uint32_t)c->offset;
		k->registers = (uint16_t)c->offset;
		wake(x, b);
	}
	paths_next(k);
	return ON;
}
