/* Fences: what they wait for. */
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/grid/order.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/kernel/run_parts.h"

/* A fence asks for all that its SM has accessed, whichever warp did, and not
   for what comes later: an SM counts its stores under way in two phases. The
   first fence ends the phase and begins a round, which is over when the stores
   of that phase have arrived and word of it has come back from all slices.
   Fences join the round while nothing has been accessed since it began; others
   wait until it is over, and are the next round together. */
static struct fences *fences_of(const struct execution *x, uint32_t warp)
{
	return &x->grid->sms[x->warps[warp].sm].fences;
}

void fence_loads(struct execution *x, uint32_t warp)
{
	fences_of(x, warp)->accessed = true;
}

unsigned fence_stores(struct execution *x, uint32_t warp, uint32_t count)
{
	struct fences *f = fences_of(x, warp);

	x->warps[warp].loose += count;
	x->grid->warps[warp].stored = 1;
	f->accessed = true;
	f->under_way[f->phase] += count;
	return f->phase ? WAITS_LOOSE : WAITS_LINK;
}

static void put(struct execution *x, uint32_t *list, uint32_t warp)
{
	x->warps[warp].next = *list;
	*list = warp + 1;
}

/* The stores of the round have arrived, which is known `seen` cycles later. */
static void let_go(struct execution *x, struct fences *f, uint64_t seen)
{
	uint32_t list = f->closing;

	f->closing = 0;
	seen += core_now(x->core);
	f->over = f->over > seen ? f->over : seen;
	while (list) {
		const uint32_t warp = list - 1;
		struct kernel_warp *k = &x->grid->warps[warp];

		list = x->warps[warp].next;
		k->fence_over =
			k->fence_over > f->over ? k->fence_over : f->over;
		x->warps[warp].state = WARP_READY;
		event_push(x->core, warp, AT_WARP, k->fence_over);
	}
}

/* Cycles from now on that a round waits for the SM's turn among its GPC's. */
static uint64_t turn_of_sm(struct execution *x, uint32_t sm)
{
	const uint64_t now = core_now(x->core);
	const uint32_t ticks = x->core->cost.kernel_fence_gpc_ticks;
	struct server *turns =
		&x->network->gpcs[x->core->floor.sms[sm].gpc].fences;

	return serve_untold(turns, now, ticks) - ticks_over(ticks) - now;
}

static void begin_round(
	struct execution *x, uint32_t sm, uint32_t list, uint64_t cycles)
{
	struct fences *f = &x->grid->sms[sm].fences;

	f->over = core_now(x->core) + turn_of_sm(x, sm) + cycles;
	f->phase = !f->phase;
	f->accessed = false;
	f->closing = list;
	for (; list; list = x->warps[list - 1].next)
		f->count++;
	if (!f->under_way[!f->phase])
		let_go(x, f, 0);
}

static void leave_round(struct execution *x, uint32_t sm)
{
	struct fences *f = &x->grid->sms[sm].fences;
	const uint32_t list = f->next;

	if (--f->count || !list)
		return;
	f->next = 0;
	begin_round(x, sm, list, x->core->cost.kernel_fence_next_cycles);
}

void fence_stored(struct execution *x, uint32_t sm, unsigned waits)
{
	struct fences *f = &x->grid->sms[sm].fences;
	const uint8_t phase = waits == WAITS_LOOSE;

	if (!--f->under_way[phase] && phase != f->phase && f->closing)
		let_go(x, f, x->core->cost.fence_cycles);
}

/* The fence is one of a round; the warp waits. */
static enum pace join(
	struct execution *x, uint32_t warp, struct fences *f, uint32_t least)
{
	struct kernel_warp *k = &x->grid->warps[warp];

	k->rounds = 1;
	profile_why(k, JOB_WAIT_WRITE, kernel_path(k)->pc);
	x->warps[warp].state = WARP_DRAINED;
	if (!f->count) {
		x->warps[warp].next = 0;
		begin_round(x, x->warps[warp].sm, warp + 1, least);
	} else if (f->accessed) {
		put(x, &f->next, warp);
	} else {
		f->count++;
		put(x, &f->closing, warp);
		if (!f->under_way[!f->phase])
			let_go(x, f, 0);
	}
	return OFF;
}

enum pace fence_wait(struct execution *x, uint32_t warp)
{
	const struct costs *cost = &x->core->cost;
	struct kernel_warp *k = &x->grid->warps[warp];
	struct fences *f = fences_of(x, warp);
	const uint64_t now = core_now(x->core);
	uint64_t from;

	if (!k->fence_over) {
		from = serve(&x->grid->sms[x->warps[warp].sm].fence,
			warp_sender(x, warp, kernel_path(k)->pc), now,
			cost->kernel_fence_warp_ticks);
		from = k->remote_over > from ? k->remote_over : from;
		k->fence_over = from + cost->kernel_fence_idle_cycles;
		if (f->count || f->accessed)
			return join(x, warp, f,
				(uint32_t)(from - now) +
					cost->kernel_fence_least_cycles);
	}
	if (now < k->fence_over)
		return wait_until(x, warp, k->fence_over, JOB_WAIT_WRITE);
	if (under_way(k))
		return wait_for(x, warp, WARP_ANSWERED, JOB_WAIT_WRITE);
	k->fence_over = 0;
	if (k->rounds)
		leave_round(x, x->warps[warp].sm);
	k->rounds = 0;
	return ON;
}

/* A fence of the chip is over when all before it has arrived, and no sooner
   than its own way takes, which begins behind stores to other SMs' shared
   memory. One that acquires empties L1. */
enum pace run_fence(
	struct execution *x, uint32_t warp, const struct code_insn *c)
{
	const struct warp *w = &x->warps[warp];
	const bool system = c->insn->word[PTX_CLASS_LEVEL] == PTXW_LEVEL_sys ||
			    c->insn->qualifiers[Q_SCOPE] == QV_SCOPE_sys;
	const bool cta = c->insn->word[PTX_CLASS_LEVEL] == PTXW_LEVEL_cta ||
			 c->insn->qualifiers[Q_SCOPE] == QV_SCOPE_cta;

	if (system && w->far)
		return wait_for(x, warp, WARP_REACHED, JOB_WAIT_WRITE);
	if (!cta && fence_wait(x, warp) == OFF)
		return OFF;
	if (!cta && c->insn->qualifiers[Q_SEM] != QV_SEM_release)
		l1_empty(x->l1, w->sm);
	order_fence(x, warp, cta);
	paths_next(&x->grid->warps[warp]);
	return ON;
}
