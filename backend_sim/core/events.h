#ifndef NEARFAR_EVENTS_H
#define NEARFAR_EVENTS_H

/*
 * Events: a warp or a request comes to a station at a cycle. Parts of the model
 * push them; the engine alone takes them.
 */
#include <stdint.h>

#include "backend_sim/core/core.h"

/* AT_WARP, AT_GPC and so on. */
enum station {
#define STATION(name, ...) AT_##name,
#include "backend_sim/core/stations.def"
#undef STATION
};

/* An event says where something happens and to which warp or request, and what
   the station needs to know if that is little, so that the request, which may
   be far from the host's core, need not be looked at. */
#define EVENT(station, index, datum)                                           \
	((uint64_t)(station) << 56 | (uint64_t)(index) << 32 | (datum))
#define EVENT_STATION(event) ((enum station)((event) >> 56))
#define EVENT_INDEX(event)   ((uint32_t)((event) >> 32) & 0xffffffu)
#define EVENT_DATUM(event)   ((uint32_t)(event))

/* `cycle` is now or later. */
static inline void event_push_with(struct core *core, uint32_t index,
	enum station station, uint64_t cycle, uint32_t datum)
{
	calendar_push(&core->calendar, EVENT(station, index, datum), cycle);
}

static inline void event_push(
	struct core *core, uint32_t index, enum station station, uint64_t cycle)
{
	event_push_with(core, index, station, cycle, 0);
}

/* In the place of an event that nothing would come before, and behind which
   nothing of this one is left: it is that cycle. False: it must be pushed. */
static inline bool event_is_next(struct core *core, uint64_t cycle)
{
	if (core->left <= 1 || core->books || core->lives ||
		!calendar_is_quiet(&core->calendar, cycle))
		return false;
	core->left--;
	core->calendar.now = cycle;
	return true;
}

#endif
