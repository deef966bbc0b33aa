/* Fences: what they wait for. */
#include <string.h>

#include "backend_sim/core/events.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/kernel/run_parts.h"

/*
 * Fences of an SM are rounds. In a round a word goes to each slice that the SM,
 * whichever warp, has accessed since the round before, behind the stores that
 * are under way, and back; so it takes as long as the way to the farthest one.
 * An SM counts its stores in two phases: a round waits for those of one, which
 * are those until a little after its start, or until all of them have arrived.
 * Fences that come a little later than the first of a round end with it, if it
 * waits for all that was stored before them. Others are the next round
 * together: soon after this one where the SM has accessed nothing that this one
 * does not wait for.
 */

static struct fences *fences_of(const struct execution *x, uint32_t warp)
{
	return &x->grid->sms[x->warps[warp].sm].fences;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- what the SM accesses ---- */

/* The round waits for what is stored until then. */
static uint64_t last_of_round(const struct execution *x, const struct fences *f)
{
	return f->begun + x->core->cost.kernel_fence_late_cycles;
}

unsigned fence_stores(struct execution *x, uint32_t warp, uint32_t count)
{
	struct fences *f = fences_of(x, warp);

	if (f->count && f->phase == f->waits &&
		(f->over || core_now(x->core) > last_of_round(x, f)))
		f->phase = !f->phase;
	x->warps[warp].loose += count;
	x->grid->warps[warp].stored = 1;
	f->under_way[f->phase] += count;
	return f->phase ? WAITS_OTHER_STORE : WAITS_STORE;
}

void fence_answered(struct execution *x, const struct request *r)
{
	const uint32_t slice = network_home(x->network, r) % (64 * FENCE_WORDS);

	x->grid->sms[r->sm].fences.slices[slice / 64] |= UINT64_C(1)
							 << slice % 64;
}

/* Of the farthest slice that has answered since the round before; 0: none. */
static uint32_t farthest(struct execution *x, uint32_t sm)
{
	struct fences *f = &x->grid->sms[sm].fences;
	uint32_t most = 0, i;

	for (i = 0; i < FENCE_WORDS; i++) {
		uint64_t rest = f->slices[i];

		for (; rest; rest &= rest - 1) {
			const uint32_t cycles = network_way(x->network, sm,
				64 * i + (uint32_t)__builtin_ctzll(rest));

			most = cycles > most ? cycles : most;
		}
	}
	memset(f->slices, 0, sizeof(f->slices));
	return most;
}

/* ---- rounds ---- */

static void put(struct execution *x, uint32_t *list, uint32_t warp)
{
	x->warps[warp].next = *list;
	*list = warp + 1;
}

static void end_with_round(
	struct execution *x, uint32_t warp, const struct fences *f)
{
	struct warp *w = &x->warps[warp];

	w->fence_over = later(w->fence_over, f->over);
	if (w->fence_empties && !f->idle)
		w->fence_over += x->core->cost.kernel_fence_acquire_cycles;
	w->state = WARP_READY;
	event_push(x->core, warp, AT_WARP, w->fence_over);
}

/* The stores of the round have arrived, which it sees at that cycle. */
static void close_round(struct execution *x, uint32_t sm, uint64_t seen)
{
	const struct costs *cost = &x->core->cost;
	struct fences *f = &x->grid->sms[sm].fences;
	const uint32_t most = farthest(x, sm);
	uint32_t list = f->waiting;

	f->idle = !most;
	f->over = f->begun + (most ? later(most + cost->kernel_fence_way_cycles,
					     cost->kernel_fence_least_cycles)
				   : cost->kernel_fence_idle_cycles);
	f->over = later(f->over, later(seen, core_now(x->core)));
	f->waiting = 0;
	while (list) {
		const uint32_t warp = list - 1;

		list = x->warps[warp].next;
		end_with_round(x, warp, f);
	}
}

static void begin_round(
	struct execution *x, uint32_t sm, uint32_t list, uint64_t cycle)
{
	struct fences *f = &x->grid->sms[sm].fences;

	f->begun = cycle;
	f->over = 0;
	f->waits = f->phase;
	f->waiting = list;
	for (; list; list = x->warps[list - 1].next)
		f->count++;
	if (!f->under_way[f->waits])
		close_round(x, sm, 0);
}

static void leave_round(struct execution *x, uint32_t sm)
{
	const struct costs *cost = &x->core->cost;
	struct fences *f = &x->grid->sms[sm].fences;
	const uint64_t now = core_now(x->core);
	const uint64_t early = cost->kernel_fence_early_cycles;
	const uint32_t list = f->next;
	uint32_t i;

	if (--f->count || !list)
		return;
	f->next = 0;
	for (i = list; i; i = x->warps[i - 1].next)
		x->warps[i - 1].fence_over = later(x->warps[i - 1].fence_over,
			now + cost->kernel_fence_next_cycles);
	begin_round(x, sm, list,
		later(f->asked, now - (early < now ? early : now)));
}

void fence_stored(struct execution *x, uint32_t sm, unsigned waits)
{
	struct fences *f = &x->grid->sms[sm].fences;
	const uint8_t phase = waits == WAITS_OTHER_STORE;

	if (!--f->under_way[phase] && phase == f->waits && f->waiting)
		close_round(x, sm,
			core_now(x->core) +
				x->core->cost.kernel_fence_seen_cycles);
}

/* The warp has a fence from now on. */
static void begin_fence(
	struct execution *x, uint32_t warp, const struct fence_kind *kind)
{
	struct warp *w = &x->warps[warp];
	struct kernel_warp *k = &x->grid->warps[warp];
	struct fences *f = fences_of(x, warp);
	const uint64_t now = core_now(x->core),
		       from = later(k->remote_over, now);

	w->fence_empties = kind->empties;
	w->fence_over =
		from + 1 +
		(kind->system ? x->core->cost.kernel_fence_system_cycles : 0);
	profile_why(k, JOB_WAIT_WRITE, kernel_path(k)->pc);
	w->state = WARP_DRAINED;
	if (!f->count) {
		w->next = 0;
		begin_round(x, w->sm, warp + 1, from);
	} else if (f->phase != f->waits ||
		   now > f->begun + x->core->cost.kernel_fence_join_cycles) {
		f->asked = f->next ? f->asked : now;
		put(x, &f->next, warp);
	} else {
		f->count++;
		if (f->over)
			end_with_round(x, warp, f);
		else
			put(x, &f->waiting, warp);
	}
}

enum pace fence_wait(
	struct execution *x, uint32_t warp, const struct fence_kind *kind)
{
	struct warp *w = &x->warps[warp];

	if (!w->fence_over) {
		begin_fence(x, warp, kind);
		return OFF;
	}
	if (under_way(&x->grid->warps[warp]))
		return wait_for(x, warp, WARP_ANSWERED, JOB_WAIT_WRITE);
	w->fence_over = 0;
	leave_round(x, w->sm);
	return ON;
}

/* A fence of the chip. One that acquires empties L1. */
enum pace run_fence(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	const struct warp *w = &x->warps[warp];
	const uint8_t *q = c->insn->qualifiers, *word = c->insn->word;
	const bool cta = word[PTX_CLASS_LEVEL] == PTXW_LEVEL_cta ||
			 q[Q_SCOPE] == QV_SCOPE_cta;
	const struct fence_kind kind = {
		.empties = q[Q_SEM] != QV_SEM_release,
		.system = word[PTX_CLASS_LEVEL] == PTXW_LEVEL_sys ||
			  q[Q_SCOPE] == QV_SCOPE_sys,
	};

	if (kind.system && w->far)
		return wait_for(x, warp, WARP_REACHED, JOB_WAIT_WRITE);
	if (!cta && fence_wait(x, warp, &kind) == OFF)
		return OFF;
	if (!cta && kind.empties)
		l1_empty(x->l1, w->sm);
	order_fence(x, warp, cta);
	paths_next(&x->grid->warps[warp]);
	return ON;
}
