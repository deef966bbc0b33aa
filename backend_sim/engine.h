#ifndef NEARFAR_ENGINE_H
#define NEARFAR_ENGINE_H

/*
 * The model of a chip while it executes kernels.
 *
 * Two kinds of entity move through the event queue: warps, which interpret
 * the kernel (kernel/run.c), and requests, one for each line that a warp
 * instruction touches, which walk from station to station
 * (core/stations.def):
 *
 *   SM port -> GPC port -> near slice -> [bridge -> home slice]
 *           -> [DRAM bank -> DRAM bus -> home slice] -> [bridge -> near slice]
 *           -> crossbar -> GPC reply port -> SM reply port -> the warp
 *
 * Far memory, a peer GPU's or the host's, is behind a link instead:
 *
 *   GPC port -> link -> memory -> link -> GPC reply port
 *
 * At each station that can be busy the request books the server *when it
 * arrives there*, never earlier, so that a server is never idle while
 * something waits for it. Requests that miss on what is already being fetched
 * wait on the list of the request that fetches it. Nothing polls.
 *
 * Each part owns its state and knows those that it sends requests to:
 *
 *   execution -> l1 -> network, translation
 *   l2 -> network, dram;  dram -> network
 *
 * and all know the core. What a request's way back meets is reached by events
 * alone, so that no part knows who comes before it; so is the link.
 */
#include <stdatomic.h>

#include "backend_sim/core/core.h"
#define PART_HEADERS
#include "backend_sim/parts.def"
#undef PART_HEADERS

struct engine {
	struct core core;      /* the first: lookahead.c finds the rest by it */
	atomic_int *stop;      /* nonzero: end the run; may be NULL */
	bool stopped;          /* and it did */
	struct traced *traced; /* traced.h, of a run that is; or NULL */
#define PART(name, ...) struct name name;
#include "backend_sim/parts.def"
#undef PART
};

/* ---- engine.c: life cycle and the loop ---- */

/* ERR_FAILED without memory; engine_free() then, too. */
int engine_init(
	struct engine *e, const struct machine *machine, struct error *error);
void engine_free(struct engine *e);
/* ERR_SKIPPED: why the machine has no place for the buffer. */
int engine_refuse_buffer(const struct engine *e, const struct buffer *buffer,
	struct error *error);

/* No event, no request, nothing cached, at cycle 0. */
void engine_cold(struct engine *e);
/* Until there is no event left, or the core has failed. */
void engine_events(struct engine *e);
/* What must hold then: no station holds anything. */
bool engine_is_settled(const struct engine *e);

/* ---- job.c: run_job() of backend.h ---- */
int engine_run_job(struct engine *e, const struct job *job,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error);
/* The same in memory that has been made, which the caller frees. `seed`: of
   what is drawn. */
struct space;
int job_execute(struct engine *e, struct space *space, const struct job *job,
	uint32_t seed, const struct job_wishes *wishes,
	struct job_result *result, struct error *error);

/* ---- lowered.c: run() of backend.h ---- */

/* From a cold chip; what runs is the program's own PTX. ERR_INTERRUPTED if
   e->stop says so. */
int lowered_run(struct engine *e, const struct program *p,
	const struct device *device, struct result *result,
	struct error *error);

/* ---- servers.c: what servers do in a launch ---- */

/* From now on each server has a book, in `books`; until servers_close(). */
struct books;
void servers_open(struct engine *e, struct books *books);
void servers_close(struct engine *e);
/* What they did in so many cycles. ERR_FAILED without memory. */
int servers_collect(const struct engine *e, double cycles,
	struct job_profile *profile, struct error *error);

/* ---- lookahead.c: what comes next, on its way into the host's caches ---- */
void lookahead_init(struct engine *e);
/* Before an event: those that follow it in its cycle. */
void lookahead_cycle(const struct engine *e);
/* Before a cycle: the first events of the next ones. */
void lookahead_beyond(const struct engine *e);

/* ---- steps.c: host actions ---- */
void step_act(struct engine *e, const struct step *step);
/* Copies that go at the same time. ERR_SKIPPED where the machine has no such
   way. */
int steps_copy(const struct engine *e, const struct far_copy *copies,
	size_t count, struct copied *copied, struct error *error);

#endif
