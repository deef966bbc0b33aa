#ifndef NEARFAR_WARP_PARTS_H
#define NEARFAR_WARP_PARTS_H

/* What the interpreter of a warp (warp.c), its waits (waits.c) and its loops
   (loops.c) share. */
#include "backend_sim/sm/execution.h"

/* Whether the warp goes on with its next instruction. */
enum verdict { GO_ON, STOP };

static inline enum verdict warp_wait(struct warp *w, enum warp_state state)
{
	w->state = (uint8_t)state;
	return STOP;
}

/* When what the warp does now is over. */
static inline uint64_t warp_time(
	const struct execution *x, const struct warp *w)
{
	const struct core *core = x->core;

	return w->ready > core_now(core) ? w->ready : core_now(core);
}

/* waits.c: until a cycle; for the others of its block, who go on when the last
   has come; for a delay's cycles. */
enum verdict warp_until(struct execution *x, uint32_t warp, uint64_t cycle);
enum verdict warp_barrier(struct execution *x, uint32_t warp);
void warp_release_barrier(struct execution *x, struct block *b);
enum verdict warp_delay(struct execution *x, struct warp *w, uint64_t cycles);

/* The instructions `repeat` and `end`. */
enum verdict loop_begin(struct execution *x, struct warp *w);
enum verdict loop_end(struct execution *x, struct warp *w);
/* A write of the region `wrote_in` has arrived. */
void loop_wrote(struct execution *x, struct warp *w);

/* records.c: what a warp stores of its regions, behind the first instructions
   of its kernel and behind its own last one. */
void records_before(const struct execution *x, const struct warp *w);
void records_behind(const struct execution *x, const struct warp *w);

#endif
