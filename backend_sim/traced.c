#include <stdlib.h>

#include "backend_sim/sm/bulk.h"
#include "backend_sim/traced.h"

/* What a warp of a program does in a state; as job_wait_names has it, where it
   is that. */
static const char *const states[] = {
	[WARP_READY] = "issue",
	[WARP_VALUES] = "load",
	[WARP_CHASE] = "chase",
	[WARP_ANSWERED] = "load",
	[WARP_DRAINED] = "write_queue",
	[WARP_REACHED] = "write_queue",
	[WARP_BARRIER] = "barrier",
	[WARP_CREDIT] = "request_queue",
	[WARP_ASLEEP] = "barrier",
	[WARP_COPIES] = "write_queue",
	[WARP_DONE] = "end",
};

/* ---- life cycle ---- */

static uint32_t warp_of_request(const void *execution, const struct request *r)
{
	const struct execution *x = execution;

	return r->warp < BULK_OWNER ? x->warps[r->warp].global : TIMELINE_NONE;
}

static int begin(struct engine *e, struct traced *t, struct timeline *timeline,
	struct error *error)
{
	servers_open(e, &t->books);
	e->traced = t;
	t->warp = NONE;
	timeline->clock_hz = e->core.cost.clock_hz;
	e->core.lives =
		lives_make(&e->core, timeline, warp_of_request, &e->execution);
	e->core.left = e->core.look_up = 1;
	return e->core.lives ? 0
			     : error_set(error, ERR_FAILED,
				       "out of memory for the trace");
}

int traced_kernel(struct engine *e, struct traced *t, struct timeline *timeline,
	struct error *error)
{
	return begin(e, t, timeline, error);
}

int traced_program(struct engine *e, struct traced *t,
	struct timeline *timeline, struct error *error)
{
	int code = begin(e, t, timeline, error);

	t->notes = calloc(e->core.request_count, sizeof(*t->notes));
	if (!code && !t->notes)
		code = error_set(
			error, ERR_FAILED, "out of memory for the trace");
	e->core.notes = t->notes;
	return code;
}

void traced_end(struct engine *e, struct traced *t)
{
	if (!e->traced)
		return;
	lives_free(e->core.lives);
	e->core.lives = NULL;
	if (t->notes)
		e->core.notes = NULL;
	free(t->notes);
	free(t->warps);
	servers_close(e);
	e->traced = NULL;
}

/* ---- warps of a program ---- */

static struct traced_warp *warp_of(struct engine *e, uint32_t warp)
{
	struct traced *t = e->traced;
	const uint32_t count = e->execution.warp_count;
	struct traced_warp *warps;

	if (warp < t->warp_count)
		return &t->warps[warp];
	warps = reallocarray(t->warps, count, sizeof(*warps));
	if (!warps) {
		core_fail(&e->core);
		return NULL;
	}
	t->warps = warps;
	for (; t->warp_count < count; t->warp_count++)
		warps[t->warp_count] = (struct traced_warp){0};
	return &warps[warp];
}

/* It has been in a state until now, and is in another one, or again. */
static void change(struct engine *e, uint32_t warp, struct traced_warp *t)
{
	const struct warp *w = &e->execution.warps[warp];
	const uint64_t now = core_now(&e->core);

	if (t->known)
		lives_was(e->core.lives, &(struct lives_state){
						 .name = states[t->state],
						 .begin = (double)t->since,
						 .end = (double)now,
						 .place = warp,
						 .sm = w->sm,
						 .warp = w->global,
					 });
	*t = (struct traced_warp){now, w->ready, w->pc, w->state, true};
	if (w->state != WARP_DONE)
		return;
	lives_ended(e->core.lives, warp, (double)now);
	t->known = false;
}

/* The warp that an event is about, if it may go on. */
static uint32_t warp_of_event(const struct engine *e, uint64_t event)
{
	const uint32_t index = EVENT_INDEX(event);

	switch (EVENT_STATION(event)) {
	case AT_WARP:
		return index;
	case AT_DONE:
	case AT_FAR_POSTED:
		return e->core.requests[index].warp;
	default:
		return NONE;
	}
}

void traced_next(struct engine *e)
{
	struct calendar *c = &e->core.calendar;
	uint64_t event;

	if (!calendar_advance(c))
		return;
	event = c->events[c->first];
	lives_before(e->core.lives, event);
	if (!e->execution.grid)
		e->traced->warp = warp_of_event(e, event);
}

void traced_after(struct engine *e)
{
	const uint32_t warp = e->traced->warp;
	const struct warp *w;
	struct traced_warp *t;

	lives_after(e->core.lives);
	if (warp == NONE)
		return;
	w = &e->execution.warps[warp];
	t = warp_of(e, warp);
	if (t && (!t->known || t->state != w->state || t->pc != w->pc ||
			 t->ready != w->ready))
		change(e, warp, t);
}
