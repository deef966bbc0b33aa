/* Groups of copies, branches, exits, sleep, and what has files of its
   own. */
#include "backend_sim/grid/order.h"
#include "backend_sim/grid/spin.h"
#include "backend_sim/kernel/run_parts.h"
#include "backend_sim/rules/rules.h"
#include "backend_sim/rules/constants.h"

/* ---- copies, branches ---- */

static bool copies_under_way(const struct kernel_warp *k, uint64_t but)
{
	uint32_t last = k->group > but ? (uint32_t)(k->group - but) : 0, g;

	/* Of groups that share a counter the older one is waited for. */
	for (g = last > GROUPS ? last - GROUPS : 0; g < last; g++)
		if (k->copies[g % GROUPS])
			return true;
	return false;
}

enum pace run_group(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	if (c->count) {
		k->group++;
	} else if (copies_under_way(k, c->offset) ||
		   (c->has_base && k->copies[k->group % GROUPS])) {
		return wait_for(x, warp, WARP_ANSWERED, JOB_WAIT_L1);
	} else if (c->has_base || k->group > c->offset) {
		order_loaded(x, warp,
			c->has_base ? k->group + 1
				    : k->group - (uint32_t)c->offset);
	}
	paths_next(k);
	return ON;
}

void run_branch(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint32_t cycles = c->latency_cycles;

	/* The return from a call that was expanded is nothing. */
	if (mask && c->slots)
		cycles += TAKEN_CYCLES;
	if (RULE(PARTING_LANES) && mask && c->slots &&
		mask != kernel_path(k)->mask)
		cycles += DIVIDED_CYCLES;
	x->warps[warp].ready = core_now(x->core) + cycles;
	if (paths_branch(k, c, mask))
		grid_fail(x, warp, kernel_path(k)->pc,
			"the threads of a warp go more than %u ways at once, "
			"which is not modelled",
			PATHS_MAX);
	else if (k->depth &&
		 (k->polls > PATHS_POLLS_MAX || k->spins > PATHS_SPINS_MAX))
		paths_yield(k);
	if (mask && c->spin)
		spin_turn(x, warp);
}

void run_exit(struct execution *x, uint32_t warp, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	bool all = mask == kernel_path(k)->mask;

	if (!all)
		kernel_path(k)->pc++;
	paths_exit(k, mask);
	cluster_without(x, warp, mask);
}

/* ---- sleep ---- */

/*
 * Blocks of a program that take turns (lower.h) look at a word again and again.
 * A look that finds what the one before found is left out, and not counted:
 * near-far's samples move by 0.02 cycles in the mean.
 */

/* A warp that has looked since the word was written last, and has gone round
   once. nap.stuck: when it would go on; nap.hash: cycles of its round. */
static bool sleeps_on(struct execution *x, uint32_t warp, uint64_t over)
{
	struct turns *turns = &x->grid->turns;
	struct nap *nap = &x->grid->warps[warp].nap;
	const uint64_t last = nap->stuck;

	nap->hash = over - last;
	nap->stuck = over;
	if (!last || last <= turns->written)
		return false;
	x->warps[warp].next = turns->asleep;
	turns->asleep = warp;
	return true;
}

void turn_written(struct execution *x)
{
	struct turns *turns = &x->grid->turns;
	const uint64_t now = core_now(x->core);
	uint32_t warp = turns->asleep, next;

	turns->asleep = NONE;
	turns->written = now;
	for (; warp != NONE; warp = next) {
		struct nap *nap = &x->grid->warps[warp].nap;

		next = x->warps[warp].next;
		if (nap->stuck < now)
			nap->stuck += (now - nap->stuck + nap->hash - 1) /
				      nap->hash * nap->hash;
		wait_until(x, warp, nap->stuck, JOB_WAIT_ISSUE);
	}
}

/* Its scheduler is free meanwhile. */
enum pace run_sleep(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	const row_u32 *row = kernel_row(x->grid, k, &c->s[0]);
	const uint64_t over =
		core_now(x->core) + (uint64_t)(row[__builtin_ctz(mask)] *
					       x->core->cost.clock_hz / 1e9);

	paths_next(k);
	if (x->grid->turns.place && sleeps_on(x, warp, over))
		return wait_for(x, warp, WARP_ASLEEP, JOB_WAIT_ISSUE);
	return over > x->warps[warp].ready
		       ? wait_until(x, warp, over, JOB_WAIT_ISSUE)
		       : ON;
}

/* What others complete, or wait for. */
enum pace run_asynchronous(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t pc, uint32_t mask)
{
	switch (c->kind) {
	case CODE_CLUSTER:
		return run_cluster(x, warp, c, mask);
	case CODE_REGISTERS:
		return run_registers(x, warp, c);
	case CODE_PRODUCTS:
		return products_group(x, warp, c);
	case CODE_MBARRIER:
		return run_mbarrier(x, warp, c, pc, mask);
	case CODE_BULK:
		return run_bulk(x, warp, c, pc, mask);
	case CODE_PROXY:
		return run_proxy(x, warp, c, mask);
	case CODE_TENSOR:
		return run_tensor(x, warp, c, pc, mask);
	default:
		return run_map(x, warp, c, pc, mask);
	}
}
