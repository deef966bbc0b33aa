/* A warp has its turn: its time has come, or what it waits for. */
#include "backend_sim/grid/copies.h"
#include "backend_sim/kernel/issue.h"
#include "backend_sim/sm/bulk.h"

/* Its last stores leave it a little later. */
static bool drains(struct execution *x, uint32_t warp)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (!k->stored || !x->core->cost.kernel_drain_cycles)
		return false;
	k->stored = 0;
	profile_why(k, JOB_WAIT_DRAIN, k->why_pc);
	x->warps[warp].state = WARP_READY;
	event_push(x->core, warp, AT_WARP,
		core_now(x->core) + x->core->cost.kernel_drain_cycles);
	return true;
}

/* It has executed all its instructions. */
static __attribute__((noinline)) void end(
	struct execution *x, uint32_t warp, struct kernel_warp *k)
{
	const uint32_t block = x->warps[warp].block_index;

	/* Registers are held until every load has come back. */
	if (under_way(k)) {
		profile_why(k, JOB_WAIT_L1, k->why_pc);
		x->warps[warp].state = WARP_ANSWERED;
		return;
	}
	if (drains(x, warp))
		return;
	grid_warp_ended(x, warp);
	barrier_without(x, block);
}

static void run(struct execution *x, uint32_t warp)
{
	const struct goer t = goer_of(x, warp);

	if (x->core->failed || !may_go(t))
		return;
	if (!t.k->begun)
		block_begin_warp(x, warp);
	if (t.g->go(x, warp) == ON)
		end(x, warp, t.k);
}

/* ---- answers ---- */

/* What wakes it is over. */
static void go_on(struct execution *x, uint32_t warp)
{
	x->warps[warp].state = WARP_READY;
	run(x, warp);
}

static void answered(struct execution *x, const struct request *r)
{
	struct kernel_warp *k;
	struct warp *w;

	if (r->waits == WAITS_LEFT) {
		if (wait_reached(x, r->warp))
			go_on(x, r->warp);
		return;
	}
	profile_end(x, r);
	/* A kernel ends when all that it stored is where others see it. */
	x->grid->seen_cycle = core_now(x->core);
	if (r->warp & BULK_OWNER) {
		copies_answered(x, r);
		return;
	}
	k = &x->grid->warps[r->warp];
	w = &x->warps[r->warp];
	if (r->looked || kernel_is_loose(r))
		fence_answered(x, r);
	if (kernel_is_loose(r)) {
		w->loose--;
		fence_stored(x, r->sm, r->waits);
		if (w->state == WARP_REACHED && wait_wakes(x, r->warp))
			go_on(x, r->warp);
		return;
	}
	if (r->waits >= WAITS_COPY)
		k->copies[r->waits - WAITS_COPY]--;
	else
		k->boards[r->waits - WAITS_BOARD]--;
	profile_answer(x, r);
	if (!wait_wakes(x, r->warp))
		return;
	if (w->state != WARP_REACHED)
		profile_waited_for(x, r);
	go_on(x, r->warp);
}

const struct sequencer sequencer_kernel = {
	.run = run,
	.answered = answered,
	.foresee = lookahead_warp,
	.foresee_next = lookahead_next,
	.refill = block_refill,
};
