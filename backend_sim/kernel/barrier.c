/* Barriers of a block: warps that wait there, that only arrive, and that are
   told of how many threads something was true. */
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/kernel/meet.h"
#include "backend_sim/rules/constants.h"

/* ---- what all are told ---- */

static void write_lanes(const struct grid *g, struct kernel_warp *k,
	const struct told *t, uint32_t threads, uint32_t truths)
{
	const struct code_insn *c = &g->code.insns[t->pc];
	uint32_t *row = kernel_row(g, k, &c->d), rest, all;

	if (c->d.is_constant)
		return;
	if (c->insn->word[PTX_CLASS_REDUCE] == PTXW_REDUCE_popc) {
		for (rest = t->lanes; rest; rest &= rest - 1)
			row[__builtin_ctz(rest)] = truths;
		return;
	}
	all = c->insn->word[PTX_CLASS_REDUCE] == PTXW_REDUCE_and
		      ? truths == threads
		      : truths > 0;
	*row = (*row & ~t->lanes) | (all ? t->lanes : 0);
}

static void tell(struct execution *x, uint32_t warp,
	const struct kernel_block *b, unsigned n)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint32_t i;

	for (i = 0; i < k->told_count; i++)
		write_lanes(
			x->grid, k, &k->told[i], b->threads[n], b->truths[n]);
	k->told_count = 0;
}

static void release(struct execution *x, struct kernel_block *b, unsigned n,
	struct sender last)
{
	struct core *core = x->core;
	uint64_t now = core_now(core), met = b->met[n];
	uint32_t warp = b->waiting[n], next;
	uint64_t on;

	for (; warp != NONE; warp = next) {
		next = x->warps[warp].next;
		x->warps[warp].state = WARP_READY;
		meeting_goes(x, warp, last);
		on = (met > now ? met : now) + core->cost.barrier_cycles +
		     (x->grid->warps[warp].told_count ? TOLD_CYCLES : 0);
		core->counts.barrier_waits += on;
		event_push(core, warp, AT_WARP, on);
		tell(x, warp, b, n);
		order_pass(x, warp, n);
	}
	b->waiting[n] = NONE;
	b->arrived[n] = b->threads[n] = b->truths[n] = b->wanted[n] = 0;
}

/* ---- who is waited for ---- */

static uint32_t lane_of(const struct execution *x, uint32_t warp,
	const struct row *row, uint32_t mask)
{
	const row_u32 *words = kernel_row(x->grid, &x->grid->warps[warp], row);

	return words[__builtin_ctz(mask)];
}

/* The barrier, and warps that it waits for, if it says so: 0: all that live. */
static bool which(struct execution *x, uint32_t warp, const struct code_insn *c,
	uint32_t mask, unsigned *n, uint32_t *wanted)
{
	const uint32_t threads =
		c->has_base ? lane_of(x, warp, &c->s[0], mask) : 0;

	*n = c->count == BARRIERS ? lane_of(x, warp, &c->s[1], mask) : c->count;
	*wanted = threads / LANES;
	if (*n < BARRIERS && (!c->has_base || (threads && !(threads % LANES))))
		return true;
	grid_fail(x, warp, kernel_path(&x->grid->warps[warp])->pc,
		*n < BARRIERS
			? "%u threads are to meet at a barrier: expected a "
			  "multiple of 32"
			: "barrier %u: expected 0 to 15",
		*n < BARRIERS ? threads : *n);
	return false;
}

/* ---- arriving ---- */

/* Lanes of a group, from wherever they stand, and how many say yes. */
static void count_group(struct execution *x, uint32_t warp,
	const struct meet_group *group, struct kernel_block *b, unsigned n)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	uint32_t i, bits;

	for (i = 0; i < group->part_count; i++) {
		const struct code_insn *c = group->parts[i].c;
		const uint32_t lanes = group->parts[i].lanes;

		b->threads[n] += (uint32_t)__builtin_popcount(lanes);
		if (!c->is_reduction)
			continue;
		bits = *(const uint32_t *)kernel_row(x->grid, k, &c->p);
		bits = c->p_negated ? ~bits : bits;
		b->truths[n] += (uint32_t)__builtin_popcount(bits & lanes);
		if (k->told_count == TOLD_MAX) {
			grid_fail(x, warp, kernel_path(k)->pc,
				"lanes of a warp stand at more than %u "
				"barriers with a result, which is not modelled",
				TOLD_MAX);
			return;
		}
		k->told[k->told_count++] = (struct told){
			(uint32_t)(c - x->grid->code.insns), lanes};
	}
}

static void count_lanes(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask, struct kernel_block *b,
	unsigned n)
{
	struct meet_group group;

	while (mask) {
		mask = meet_group(
			x->grid, &x->grid->warps[warp], c, mask, &group);
		count_group(x, warp, &group, b, n);
	}
}

enum pace run_barrier(struct execution *x, uint32_t warp,
	const struct code_insn *c, uint32_t mask)
{
	struct kernel_warp *k = &x->grid->warps[warp];
	struct warp *w = &x->warps[warp];
	struct kernel_block *b = &x->grid->blocks[w->block_index];
	const struct sender sender =
		warp_sender(x, warp, (uint32_t)(c - x->grid->code.insns));
	uint32_t wanted;
	unsigned n;

	if (!which(x, warp, c, mask, &n, &wanted))
		return OFF;
	if (!c->only_arrives)
		profile_why(k, JOB_WAIT_BARRIER, kernel_path(k)->pc);
	if (c->is_reduction)
		count_lanes(x, warp, c, mask, b, n);
	meet_pass(x, warp, c, mask);
	if (x->core->failed)
		return OFF;
	paths_next(k);
	order_arrive(x, warp, n);
	if (!c->only_arrives) {
		w->next = b->waiting[n];
		b->waiting[n] = warp;
		w->state = WARP_BARRIER;
		x->core->counts.barrier_waits -= core_now(x->core);
		server_queued(&x->grid->sms[w->sm].meeting, sender,
			core_now(x->core));
	}
	b->met[n] = serve(&x->sms[w->sm].barrier, sender, core_now(x->core),
		x->core->cost.barrier_warp_ticks);
	b->wanted[n] = wanted;
	if (++b->arrived[n] >=
		(wanted ? wanted : x->blocks[w->block_index].live))
		release(x, b, n, sender);
	return c->only_arrives ? ON : OFF;
}

/* A warp that ends may be the last one that others wait for. */
void barrier_without(struct execution *x, uint32_t block)
{
	struct kernel_block *b = &x->grid->blocks[block];
	unsigned n;

	for (n = 0; n < BARRIERS; n++)
		if (b->arrived[n] && !b->wanted[n] &&
			b->arrived[n] >= x->blocks[block].live)
			release(x, b, n, SENDER_NOBODY);
}
