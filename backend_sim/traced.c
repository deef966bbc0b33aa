#include <stdlib.h>

#include "backend_sim/sm/bulk.h"
#include "backend_sim/traced.h"

static uint32_t warp_of_request(const void *execution, const struct request *r)
{
	const struct execution *x = execution;

	return r->warp < BULK_OWNER ? x->warps[r->warp].global : TIMELINE_NONE;
}

int traced_kernel(struct engine *e, struct traced *t, struct timeline *timeline,
	struct error *error)
{
	servers_open(e, &t->books);
	e->traced = t;
	timeline->clock_hz = e->core.cost.clock_hz;
	e->core.lives =
		lives_make(&e->core, timeline, warp_of_request, &e->execution);
	e->core.left = e->core.look_up = 1;
	return e->core.lives ? 0
			     : error_set(error, ERR_FAILED,
				       "out of memory for the trace");
}

void traced_end(struct engine *e)
{
	if (!e->traced)
		return;
	lives_free(e->core.lives);
	e->core.lives = NULL;
	servers_close(e);
	e->traced = NULL;
}

void traced_next(struct engine *e)
{
	struct calendar *c = &e->core.calendar;
	uint64_t event;

	if (!calendar_advance(c))
		return;
	event = c->events[c->first];
	lives_before(e->core.lives, event);
}

void traced_after(struct engine *e)
{
	lives_after(e->core.lives);
}
