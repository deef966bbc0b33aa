#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/core/events.h"
#include "backend_sim/lives/lives.h"
#include "backend_sim/engine.h"
#include "backend_sim/sm/deal.h"
#include "backend_sim/streams.h"
#include "backend_sim/traced.h"

int engine_init(
	struct engine *e, const struct machine *machine, struct error *error)
{
	int code;

	memset(e, 0, sizeof(*e));
	code = core_init(&e->core, machine, error);
	if (code)
		return code;
	lookahead_init(e);
#define PART(name, ...)                                                        \
	if (!code)                                                             \
		code = name##_init(&e->name, __VA_ARGS__);
#include "backend_sim/parts.def"
#undef PART
	return code ? error_set(error, ERR_FAILED,
			      "out of memory for the model's tables")
		    : 0;
}

void engine_free(struct engine *e)
{
#define PART(name, ...) name##_free(&e->name);
#include "backend_sim/parts.def"
#undef PART
	core_free(&e->core);
}

void engine_cold(struct engine *e)
{
	core_cold(&e->core);
#define PART(name, ...) name##_cold(&e->name);
#include "backend_sim/parts.def"
#undef PART
}

/* In line in both loops: an event takes some ten instructions of a call. */
static inline __attribute__((always_inline)) void run_event(
	struct engine *e, uint64_t event)
{
	uint32_t index = EVENT_INDEX(event), datum = EVENT_DATUM(event);

	switch (EVENT_STATION(event)) {
#define STATION(name, part, arrive, ...)                                       \
	case AT_##name:                                                        \
		arrive(&e->part, index, datum);                                \
		break;
#include "backend_sim/core/stations.def"
#undef STATION
	default: /* no event has another one */
		__builtin_unreachable();
	}
}

/* Where each cycle has some events, the first ones of the next cycles are
   fetched ahead, too. */
#define MANY_CHUNKS 128u

static void count_events(struct core *core)
{
	core->counts.events += core->look_up - core->left;
	core->left = core->look_up = core->lives   ? 1
				     : core->books ? BOOKS_EVENTS
						   : CORE_LOOK_UP_EVENTS;
	if (core->books)
		books_pass(core->books);
}

/* Who traces has the loop look up behind each event. */
static __attribute__((cold, noinline)) bool look_up(struct engine *e)
{
	if (e->traced)
		traced_after(e);
	count_events(&e->core);
	if (e->traced)
		traced_next(e);
	e->stopped = e->stop && atomic_load(e->stop);
	return !e->core.failed && !e->stopped;
}

static __attribute__((noinline)) void run_whose(
	struct engine *e, uint64_t event)
{
	if (!streams_before(e->execution.streams, event))
		return;
	run_event(e, event);
	streams_after(e->execution.streams);
}

static inline __attribute__((always_inline)) void run_events(
	struct engine *e, bool shared)
{
	struct calendar *c = &e->core.calendar;
	uint64_t event;

	if (e->traced)
		traced_next(e);
	while (calendar_advance(c)) {
		if (c->busy >= MANY_CHUNKS)
			lookahead_beyond(e);
		while (calendar_has_more(c)) {
			event = calendar_take(c);
			lookahead_cycle(e);
			if (shared)
				run_whose(e, event);
			else
				run_event(e, event);
			if (!--e->core.left && !look_up(e))
				return;
		}
	}
	count_events(&e->core);
}

void engine_events(struct engine *e)
{
	if (e->execution.streams)
		run_events(e, true);
	else
		run_events(e, false);
}

/* What must hold when nothing is left to do: each request has ended, once, each
   sector that was asked for has come, and no station holds anything. */
bool engine_is_settled(const struct engine *e)
{
	bool settled = core_is_settled(&e->core);

#define PART(name, ...) settled = settled && name##_is_settled(&e->name);
#include "backend_sim/parts.def"
#undef PART
	return settled;
}

int engine_refuse_buffer(const struct engine *e, const struct buffer *buffer,
	struct error *error)
{
	const struct costs *cost = &e->core.cost;
	static const char *const owner[MEMORY_COUNT] = {
		"machine's", "machine's", "peer's", "host's"};

	if (buffer->memory == MEMORY_PEER && !cost->link_loads)
		return error_set(error, ERR_SKIPPED,
			"buffer '%s' is in the memory of a peer, and the "
			"model's machine has none (h200-sxm-x2 has one)",
			buffer->name);
	if (buffer->peer > 1)
		return error_set(error, ERR_SKIPPED,
			"buffer '%s' is in the memory of peer %d, and the "
			"model's machine has one peer",
			buffer->name, buffer->peer);
	if (buffer->memory == MEMORY_HOST && !cost->host_loads)
		return error_set(error, ERR_SKIPPED,
			"buffer '%s' is in the memory of the host, which the "
			"model's machine does not reach (h200-sxm-x2 does)",
			buffer->name);
	return error_set(error, ERR_SKIPPED,
		"buffer '%s' does not fit in the %s memory", buffer->name,
		owner[buffer->memory]);
}
