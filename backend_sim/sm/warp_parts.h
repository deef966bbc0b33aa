#ifndef NEARFAR_WARP_PARTS_H
#define NEARFAR_WARP_PARTS_H

/* What the interpreter of a warp (warp.c) and its loops (loops.c) share. */
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

/* The instructions `repeat` and `end`. */
enum verdict loop_begin(struct execution *x, struct warp *w);
enum verdict loop_end(struct execution *x, struct warp *w);
/* A write of the region `wrote_in` has arrived. */
void loop_wrote(struct execution *x, struct warp *w);

#endif
