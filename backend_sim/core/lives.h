#ifndef NEARFAR_LIVES_H
#define NEARFAR_LIVES_H

/*
 * What is recorded of a run for `run --trace` (timeline.h): the lives of
 * requests, station by station, what warps do, and who stands in line.
 *
 * Servers are not asked: whoever records looks at each event from outside, and
 * takes the entries that the event put into the log of the books (books.h). An
 * entry belongs to the request that the event is about, or to the one that a
 * warp or a copy engine has just sent. Where an event makes others go on, their
 * entries belong to the one whose leaving of a queue the log has last; of those
 * that wait for a line that another request brings, the entries of the event
 * that brings it belong to that one.
 *
 *   lives_make -> { lives_before -> the event -> lives_after } -> lives_free
 */
#include "backend_sim/core/books.h"
#include "backend_sim/core/events.h"
#include "harness/contract/timeline.h"

struct lives;

/* Books are open, and the core has notes. NULL without memory. */
struct lives *lives_make(const struct core *core, struct timeline *timeline);
void lives_free(struct lives *l); /* and NULL */

/* From now on the senders of requests are the instructions of a launch: the
   line of PTX of each. False: without memory. */
bool lives_senders(struct lives *l, const uint32_t *lines, size_t count);

/* An event, before and after it happens. */
void lives_before(struct lives *l, uint64_t event);
void lives_after(struct lives *l);

/* A warp, or a copy engine (`warp` is then NONE), has sent a request, whose
   note is written; the warp by its number in the launch. */
void lives_sent(struct lives *l, uint32_t request, uint32_t warp);

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
