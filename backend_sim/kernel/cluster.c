/* barrier.cluster: threads of all blocks of a cluster arrive, and later wait. A
   phase is over when all that have not ended have arrived. */
#include <inttypes.h>

#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/grid/cluster.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/kernel/run_parts.h"
#include "backend_sim/rules/constants.h"

/* From the last arrival until warps go on. The arrivals of an SM's warps are
   taken one after the other, as those of bar.sync. */
static uint32_t meeting_cycles(uint32_t blocks)
{
	uint32_t cycles = CLUSTER_MEETS_CYCLES;

	if (blocks == 1)
		return cycles;
	for (cycles += 1; blocks > 2; blocks = (blocks + 1) / 2)
		cycles += CLUSTER_DOUBLING_CYCLES;
	return cycles;
}

static struct kernel_cluster *cluster_of(
	const struct execution *x, uint32_t warp, uint32_t *first)
{
	const struct grid *g = x->grid;

	*first = cluster_first(g, x->warps[warp].block_index);
	return &g->clusters[*first / g->cluster_blocks];
}

/* ---- the end of a phase ---- */

static void let_pass(const struct grid *g, struct kernel_warp *k)
{
	uint32_t i;

	k->passes |= k->arrived;
	k->arrived = 0;
	for (i = 0; i < k->depth; i++)
		if (k->paths[i].waits && k->paths[i].pc < g->code.count &&
			g->code.insns[k->paths[i].pc].kind == CODE_CLUSTER)
			k->paths[i].waits = false;
}

static void wake(
	struct execution *x, struct kernel_cluster *cluster, struct sender last)
{
	uint32_t warp = cluster->waiting, next;

	for (; warp != NONE; warp = next) {
		next = x->warps[warp].next;
		x->warps[warp].state = WARP_READY;
		meeting_goes(x, warp, last);
		event_push(x->core, warp, AT_WARP, cluster->over);
	}
	cluster->waiting = NONE;
}

static void end_phase(struct execution *x, struct kernel_cluster *cluster,
	uint32_t first, struct sender last)
{
	struct grid *g = x->grid;
	const uint64_t now = core_now(x->core);
	const uint32_t warps = g->cluster_blocks * g->block_warps;
	uint32_t i;

	if (!cluster->arrived || cluster->arrived < cluster->alive)
		return;
	cluster->arrived = 0;
	order_cluster_over(g, first);
	cluster->over = (cluster->met > now ? cluster->met : now) +
			meeting_cycles(g->cluster_blocks);
	for (i = 0; i < warps; i++)
		let_pass(g, &g->warps[first * g->block_warps + i]);
	wake(x, cluster, last);
}

void cluster_without(struct execution *x, uint32_t warp, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	struct kernel_cluster *cluster;
	uint32_t first;

	if (!x->grid->clusters)
		return;
	cluster = cluster_of(x, warp, &first);
	cluster->alive -= (uint32_t)__builtin_popcount(mask);
	cluster->arrived -= (uint32_t)__builtin_popcount(k->arrived & mask);
	k->arrived &= ~mask;
	k->passes &= ~mask;
	end_phase(x, cluster, first, SENDER_NOBODY);
}

/* ---- instructions ---- */

static enum pace fail_lane(
	struct execution *x, uint32_t warp, uint32_t lanes, const char *what)
{
	const struct warp *w = &x->warps[warp];
	const uint32_t pc = kernel_path(&x->grid->warps[warp])->pc;

	grid_fail(x, warp, pc, "block %" PRIu64 ", thread %u %s",
		x->grid->blocks[w->block_index].number,
		w->index * LANES + (uint32_t)__builtin_ctz(lanes), what);
	return OFF;
}

static enum pace arrive(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	static const struct fence_kind release = {.empties = false};
	struct kernel_warp *k = &x->grid->warps[warp];
	const uint32_t again = mask & (k->arrived | k->passes);
	const struct sender sender = warp_sender(x, warp, kernel_path(k)->pc);
	struct kernel_cluster *cluster;
	uint32_t first;
	uint64_t met;

	if (again)
		return fail_lane(x, warp, again,
			"arrives at barrier.cluster once more before it has "
			"waited there");
	if (c->insn->word[PTX_CLASS_ORDER] != PTXW_ORDER_relaxed &&
		fence_wait(x, warp, &release) == OFF)
		return OFF;
	cluster = cluster_of(x, warp, &first);
	met = serve(&x->sms[x->warps[warp].sm].barrier, sender,
		core_now(x->core), x->core->cost.barrier_warp_ticks);
	cluster->met = met > cluster->met ? met : cluster->met;
	cluster->arrived += (uint32_t)__builtin_popcount(mask);
	k->arrived |= mask;
	order_cluster_arrive(x, warp);
	paths_next(k);
	end_phase(x, cluster, first, sender);
	return ON;
}

/* The path's lanes wait, others of the warp go on, if there are any. */
static enum pace sleep(
	struct execution *x, uint32_t warp, struct kernel_cluster *cluster)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	struct warp *w = &x->warps[warp];
	const uint32_t pc = kernel_path(k)->pc;
	uint32_t path;

	profile_why(k, JOB_WAIT_BARRIER, pc);
	kernel_path(k)->waits = true;
	if (paths_find(k, true, &path) && !paths_rise(k, path))
		return ON;
	w->next = cluster->waiting;
	cluster->waiting = warp;
	w->state = WARP_BARRIER;
	server_queued(&x->grid->sms[w->sm].meeting, warp_sender(x, warp, pc),
		core_now(x->core));
	return OFF;
}

static enum pace wait_there(struct execution *x, uint32_t warp, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	const uint32_t absent = mask & ~(k->arrived | k->passes);
	const uint64_t now = core_now(x->core);
	struct kernel_cluster *cluster;
	uint32_t first;

	if (absent)
		return fail_lane(x, warp, absent,
			"waits at barrier.cluster and has not arrived there");
	cluster = cluster_of(x, warp, &first);
	if (mask & k->arrived)
		return sleep(x, warp, cluster);
	if (now < cluster->over)
		return wait_until(x, warp, cluster->over, JOB_WAIT_BARRIER);
	k->passes &= ~mask;
	l1_empty(x->l1, x->warps[warp].sm);
	x->warps[warp].ready = now + CLUSTER_PASSED_CYCLES;
	order_cluster_pass(x, warp, mask);
	paths_next(k);
	return ON;
}

enum pace run_cluster(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	return c->only_arrives ? arrive(x, warp, c, mask)
			       : wait_there(x, warp, mask);
}
