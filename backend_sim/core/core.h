#ifndef NEARFAR_CORE_H
#define NEARFAR_CORE_H

/*
 * What all parts of the model share: the clock with its events, the requests
 * under way, what is being fetched, the machine's costs and floor plan, and the
 * counters. Each part has its own state besides, and this.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/core/calendar.h"
#include "backend_sim/core/fetch.h"
#include "backend_sim/core/blame.h"
#include "backend_sim/core/request.h"
#include "backend_sim/machine/costs.h"
#include "backend_sim/machine/floor.h"
#include "backend_sim/machine/slices.h"
#include "harness/base/error.h"

#define LINE_SHIFT 7

/* A launch that takes longer is refused: servers count ticks, of which a cycle
   has 256, in 64 bits. Only delays come near it: nothing else that waits takes
   more than a few million cycles at a time. */
#define CORE_CYCLES_MAX (UINT64_C(1) << 52)

struct counts {
#define COUNTER(field, name, ...) uint64_t field;
#include "harness/contract/counters.def"
};

struct core {
	struct calendar calendar;
	struct costs cost;
	struct counts counts;
	struct floor floor;
	struct slices slices;

	/* the pool: used requests lie below `request_top` */
	struct request *requests;
	struct links *links;
	uint32_t request_count, request_top;
	uint32_t *free_requests, free_count; /* the last one goes first */
	struct request_note *notes;          /* [request], of who profiles; or
						NULL */
	struct books *books;    /* of the servers, of who profiles; or NULL, */
	struct server_log *log; /* and theirs */
	struct stale *stale;    /* stale.h, of who looks for races; or
				   NULL */
	struct lives *lives;    /* lives.h, of who traces; or NULL */
	struct backend_progress *progress; /* or NULL */
	struct unused *unused; /* unused.h, of who profiles; or NULL */
	struct fetches fetches;

	/* the first lines of far memory, a peer's and the host's; UINT32_MAX:
	   there is none from there on */
	uint32_t far_line, host_line;

	/* by request.buffer: the share of their time that its sectors take on
	   the bus of DRAM and on the bridge when they are read, / TICKS_A_CYCLE
	   */
	uint16_t compressed[REQUEST_BUFFERS];

	/* told of each request that leaves its SM while few are under way */
	void (*leaving)(const struct core *core, const struct request *r);

	/* events until the loop looks up: at `failed`, and whether it shall
	   stop; counts.events lags behind by those that are gone */
	uint64_t left, look_up; /* left of so many */
	/* engine_run() reports both */
	bool failed;   /* out of requests or memory, or too long */
	bool too_long; /* beyond CORE_CYCLES_MAX */
};

#define CORE_LOOK_UP_EVENTS UINT64_C(65536) /* a few milliseconds */

/* Ends the loop behind the event that is under way. */
static inline void core_fail(struct core *core)
{
	core->failed = true;
	core->left = 1;
}

/* The parts of the chip that all others need; ERR_FAILED without memory. A core
   that was not initialised is zero, and may be freed. */
int core_init(
	struct core *core, const struct machine *machine, struct error *error);
void core_free(struct core *core);
/* No event, no request, nothing counted; at cycle 0. */
void core_cold(struct core *core);
/* Whether each request has ended, once. */
bool core_is_settled(const struct core *core);

static inline uint64_t core_now(const struct core *core)
{
	return core->calendar.now;
}

/* Servers work for the request; or for nobody who waits. */
static inline struct sender request_sender(
	const struct core *core, const struct request *r)
{
	return sender_of_request((uint32_t)(r - core->requests));
}

static inline struct sender request_beside(
	const struct core *core, const struct request *r)
{
	return sender_beside((uint32_t)(r - core->requests));
}

/* An entry of the log about the life of a request (blame.h). */
static inline void core_life(const struct core *core, uint32_t request,
	uint32_t line, uint64_t over, uint64_t kind)
{
	if (__builtin_expect(core->log != NULL, 0))
		server_log_put(core->log, NULL, (struct sender){request, line},
			core_now(core) * TICKS_A_CYCLE, over, kind);
}

/* An instruction sends it, with its sectors. */
static inline void core_sent(
	const struct core *core, uint32_t request, uint32_t line)
{
	if (core->notes)
		core->notes[request] = (struct request_note){
			.since = core_now(core),
			.sender = line,
			.sectors = (uint16_t)sector_count(
				core->requests[request].demand),
		};
	core_life(core, request, line, 0, LIFE_SENT);
}

/* It is the parent's that a request does what another one begins. */
static inline void core_follows(
	const struct core *core, uint32_t request, const struct request *parent)
{
	core_life(core, request, 0, (uint64_t)(parent - core->requests),
		LIFE_FOLLOWS);
}

/* The CPC of its GPC that sent a request. */
static inline unsigned request_cpc(
	const struct core *core, const struct request *r)
{
	return core->floor.sms[r->sm].cpc;
}

#endif
