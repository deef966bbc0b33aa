#ifndef NEARFAR_WAITING_H
#define NEARFAR_WAITING_H

/*
 * The queue of a server, as if jobs were served in the order in which they
 * come, and which lines of the code are served while jobs wait. A job's wait is
 * charged when it comes: what stands before it is known by then. Jobs of one
 * line of the code, one behind the other, are a run. Mostly a queue is one run,
 * and the wait is charged to its line.
 *
 * A job that waits for a part of the time until its service has that part as
 * its weight; the rest is charged to the line that is served when the job
 * comes.
 */
#include "backend_sim/core/blame.h"
#include "harness/contract/job_occupancy.h"

/* A run behind one of another line of the code. Times are in the server's
 * ticks.
 */
struct waiting_run {
	uint64_t begin; /* the turn of its first job */
	int64_t more;   /* weight of who waits for all of this run, and did not
			   for all of the one before it */
	uint32_t line;
};

struct waiting_runs {
	int64_t weight; /* of who waits for all of the run that is served */
	uint32_t first, room;
	struct waiting_run ring[];
};

/* The queues of the servers of each kind, over time: for each span of the
   launch the sum of what jobs waited in it, in ticks of lives (blame.h). */
#define WAITING_KINDS 64u
struct waiting_spans {
	uint64_t begin; /* of the first span; set when the books are opened */
	unsigned shift; /* a span has 2^shift ticks; doubled when spans run out
			 */
	uint64_t waited[WAITING_KINDS][JOB_SPANS];
};

/* `count` jobs wait from `from` until `until`, in the server's ticks. */
void waiting_stand(const struct blame *b, const struct server_book *book,
	uint64_t from, uint64_t until, uint64_t count);

void waiting_free(struct server_book *book);
/* Serves the queue up to then. */
void waiting_advance(
	const struct blame *b, struct server_book *book, uint64_t until);
/* The server is busy behind the queue until `over`, for no job. False: without
   memory. */
bool waiting_hold(struct server_book *book, uint64_t over, uint32_t line);
/* A job of `ticks` (0: it is not served) comes and waits `details`, which its
   line has suffered. False: without memory. */
bool waiting_come(const struct blame *b, struct server_book *book,
	uint64_t arrival, uint64_t ticks, uint32_t line, uint64_t details);

/* ---- what most jobs do, inline ---- */

/* Nothing is in line when it comes. */
static inline bool waiting_is_idle(
	const struct server_book *book, uint64_t arrival)
{
	return arrival >= book->chain && !book->runs;
}

static inline void waiting_is_served(struct server_book *book, uint64_t arrival,
	uint64_t ticks, uint32_t line)
{
	book->at = arrival;
	book->chain = arrival + ticks;
	book->line = line;
}

/* All that is in line is of its line, and there is room for its turn. */
static inline bool waiting_is_alike(
	const struct server_book *book, uint64_t arrival, uint32_t line)
{
	return arrival < book->chain && line == book->line && !book->runs &&
	       book->there < book->longest && book->there < book->room;
}

static inline void waiting_join(
	struct server_book *book, uint64_t arrival, uint64_t ticks)
{
	if (arrival > book->at)
		book->at = arrival;
	book->turns[(book->first + book->there++) & (book->room - 1)] =
		book->chain;
	book->chain += ticks;
}

#endif
