/*
 * Of a chip full of requests most are far from the host's core when their turn
 * comes: those of the next events are fetched ahead and, nearer to their turn,
 * what their stations will look at.
 */
#include "backend_sim/core/events.h"
#include "backend_sim/engine.h"

#define AHEAD 14u

/* Columns of stations.def as sets of stations. */
enum { SEES_DATUM = 0, SEES_REQUEST = 1, SEES_WARP = 2, SEES_MORE = 3 };

static const uint32_t sees_request = 0
#define STATION(name, part, arrive, sees, ...)                                 \
	| (uint32_t)(sees & 1) << AT_##name
#include "backend_sim/core/stations.def"
#undef STATION
	;
static const uint32_t sees_warp = 0
#define STATION(name, part, arrive, sees, ...)                                 \
	| (uint32_t)(sees == SEES_WARP) << AT_##name
#include "backend_sim/core/stations.def"
#undef STATION
	;
static const uint32_t sees_more = 0
#define STATION(name, part, arrive, sees, ...)                                 \
	| (uint32_t)(sees >> 1) << AT_##name
#include "backend_sim/core/stations.def"
#undef STATION
	;

/* The request or the warp that an event is about. */
static void prefetch_subject(const struct engine *e, uint64_t event)
{
	if (sees_warp >> EVENT_STATION(event) & 1)
		warp_foresee(&e->execution, EVENT_INDEX(event));
	else if (sees_request >> EVENT_STATION(event) & 1)
		memory_prefetch(&e->core.requests[EVENT_INDEX(event)]);
}

#define NOTHING(part, r, datum)      (void)(part)
#define FORESEE_WARP(part, r, datum) warp_foresee_next(part, EVENT_INDEX(event))
static void prefetch_station(const struct engine *e, uint64_t event)
{
	const struct request *r = &e->core.requests[EVENT_INDEX(event)];

	switch (EVENT_STATION(event)) {
#define STATION(name, part, arrive, sees, foresee)                             \
	case AT_##name:                                                        \
		foresee(&e->part, r, EVENT_DATUM(event));                      \
		break;
#include "backend_sim/core/stations.def"
#undef STATION
	}
}
#undef NOTHING
#undef FORESEE_WARP

void lookahead_cycle(const struct engine *e)
{
	const struct calendar *c = &e->core.calendar;
	const uint32_t left = calendar_left(c);
	uint64_t soon;

	if (left <= AHEAD / 2)
		return;
	if (left > AHEAD)
		prefetch_subject(e, calendar_ahead(c, AHEAD));
	soon = calendar_ahead(c, AHEAD / 2);
	if (sees_more >> EVENT_STATION(soon) & 1)
		prefetch_station(e, soon);
}

void lookahead_beyond(const struct engine *e)
{
	const uint64_t *events;
	uint32_t count, i;

	events = calendar_later(&e->core.calendar, 2, &count);
	for (i = 0; i < count && i <= AHEAD; i++)
		prefetch_subject(e, events[i]);
	events = calendar_later(&e->core.calendar, 1, &count);
	for (i = 0; i < count && i <= AHEAD / 2; i++)
		prefetch_station(e, events[i]);
}

/* A request that leaves its SM while few events are in the queue. */
static void prefetch_all(const struct core *core, const struct request *r)
{
	const struct engine *e = (const struct engine *)core;

	l2_prefetch(&e->l2, r);
	dram_prefetch(&e->dram, r);
}

void lookahead_init(struct engine *e)
{
	e->core.leaving = prefetch_all;
}
