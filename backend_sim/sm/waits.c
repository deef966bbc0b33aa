/* What a warp waits for without memory: a cycle, a barrier, a delay. */
#include "backend_sim/core/events.h"
#include "backend_sim/core/server.h"
#include "backend_sim/sm/warp_parts.h"

enum verdict warp_until(struct execution *x, uint32_t warp, uint64_t cycle)
{
	x->warps[warp].state = WARP_READY;
	event_push(x->core, warp, AT_WARP, cycle);
	return STOP;
}

void warp_release_barrier(struct execution *x, struct block *b)
{
	struct core *core = x->core;
	uint64_t now = core_now(core), on;
	uint32_t warp = b->waiting, next;

	on = (b->met > now ? b->met : now) + core->cost.barrier_cycles;
	b->waiting = NONE;
	b->arrived = 0;
	for (; warp != NONE; warp = next) {
		next = x->warps[warp].next;
		x->warps[warp].state = WARP_READY;
		core->counts.barrier_waits += on;
		event_push(core, warp, AT_WARP, on);
	}
}

enum verdict warp_barrier(struct execution *x, uint32_t warp)
{
	struct warp *w = &x->warps[warp];
	struct block *b = &x->blocks[w->block_index];

	if (w->shared_until > w->ready)
		w->ready = w->shared_until;
	if (w->ready > core_now(x->core))
		return warp_until(x, warp, w->ready);
	w->pc++;
	w->next = b->waiting;
	b->waiting = warp;
	w->state = WARP_BARRIER;
	x->core->counts.barrier_waits -= core_now(x->core);
	b->met = serve(&x->sms[w->sm].barrier, SENDER_NOBODY, core_now(x->core),
		x->core->cost.barrier_warp_ticks);
	if (++b->arrived == b->live)
		warp_release_barrier(x, b);
	return STOP;
}

/* The loop that reads the clock takes longer where the scheduler has many
   warps: those of the block, which mostly wait together. */
enum verdict warp_delay(struct execution *x, struct warp *w, uint64_t cycles)
{
	struct core *core = x->core;
	uint64_t warps =
		(x->blocks[w->block_index].live + core->cost.schedulers - 1) /
		core->cost.schedulers;
	uint64_t look = warps * core->cost.delay_warp_ticks / TICKS_A_CYCLE;

	if (look < core->cost.delay_cycles)
		look = core->cost.delay_cycles;
	w->ready = warp_time(x, w) + cycles + look;
	w->pc++;
	if (w->ready < CORE_CYCLES_MAX)
		return GO_ON;
	core->too_long = true;
	core_fail(core);
	return STOP;
}
