/* griddepcontrol: launches that need not wait for the end of another one. A
   launch that has the chip to itself has none before it. */
#include "backend_sim/kernel/run_parts.h"

enum pace run_dependent(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	const struct beside *beside = x->grid->beside;
	struct kernel_warp *k = &x->grid->warps[warp];
	const uint32_t pc = kernel_path(k)->pc;

	paths_next(k);
	if (!beside)
		return ON;
	if (c->insn->op == PTXO_GRIDDEP_LAUNCH) {
		beside->triggered(x, warp);
		return ON;
	}
	if (!beside->waits(x, warp))
		return ON;
	profile_why(k, JOB_WAIT_BARRIER, pc);
	x->warps[warp].state = WARP_GRID;
	return OFF;
}
