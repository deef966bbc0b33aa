/* griddepcontrol: launches that need not wait for the end of another one. A
   launch that has the chip to itself has none before it. */
#include "backend_sim/core/server.h"
#include "backend_sim/kernel/run_parts.h"
#include "backend_sim/rules/constants.h"

/* The chip takes the trigger of a block as it takes its end, one after the
   other. */
static void trigger(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	struct kernel_block *b = &g->blocks[x->warps[warp].block_index];
	uint64_t taken;

	if (b->triggered)
		return;
	b->triggered = true;
	taken = serve(g->ends, SENDER_NOBODY, core_now(x->core), TRIGGER_TICKS);
	if (g->beside)
		g->beside->triggered(x, warp, taken);
}

enum pace run_dependent(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	const struct beside *beside = x->grid->beside;
	struct kernel_warp *k = &x->grid->warps[warp];
	const uint32_t pc = kernel_path(k)->pc;

	paths_next(k);
	if (c->insn->op == PTXO_GRIDDEP_LAUNCH) {
		trigger(x, warp);
		return ON;
	}
	if (!beside || !beside->waits(x, warp))
		return ON;
	profile_why(k, JOB_WAIT_DEPENDENCE, pc);
	x->warps[warp].state = WARP_GRID;
	return OFF;
}
