#ifndef NEARFAR_LIVES_H
#define NEARFAR_LIVES_H

/*
 * What is recorded of a run for `run --trace` (timeline.h): the lives of
 * requests, station by station, what warps do, and who stands in line.
 *
 * Servers are not asked: whoever records looks at each event from outside, and
 * takes the entries that the event put into the log of the books (server.h),
 * which say for which request a server works.
 *
 *   lives_make -> { lives_before -> the event -> lives_after } -> lives_free
 */
#include "backend_sim/core/books.h"
#include "backend_sim/core/events.h"
#include "harness/contract/timeline.h"

struct lives;

/* The number in its launch of the warp that a request comes back to, or
   TIMELINE_NONE. */
typedef uint32_t (*lives_warp_fn)(const void *warps, const struct request *r);

/* Books are open, and the core has notes when requests are sent. NULL without
   memory. */
struct lives *lives_make(const struct core *core, struct timeline *timeline,
	lives_warp_fn warp_of, const void *warps);
void lives_free(struct lives *l); /* and NULL */

/* From now on the senders of requests are the instructions of a launch: the
   line of PTX of each. False: without memory. */
bool lives_senders(struct lives *l, const uint32_t *lines, size_t count);

/* An event, before and after it happens. */
void lives_before(struct lives *l, uint64_t event);
void lives_after(struct lives *l);

/* A warp in a place of the execution has been in a state. */
struct lives_state {
	const char *name; /* static */
	double begin, end;
	uint32_t place, sm;
	uint32_t warp; /* of its launch */
	uint32_t line; /* of PTX; 0: none */
};
void lives_was(struct lives *l, const struct lives_state *state);
/* The warp in that place has ended. */
void lives_ended(struct lives *l, uint32_t place, double cycle);

/* A launch begins; it is over. */
void lives_begin(
	struct lives *l, const char *name, uint32_t launch, double cycle);
void lives_over(struct lives *l, double cycle);

#endif
