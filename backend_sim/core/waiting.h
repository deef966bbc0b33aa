#ifndef NEARFAR_WAITING_H
#define NEARFAR_WAITING_H

/*
 * Who stands in line at a server, as if who comes first were served first, and
 * which lines of the code are served meanwhile. Whatever a job waits is charged
 * when it comes: what stands before it is known by then. Jobs of one line of
 * the code, one behind the other, are a run. Mostly there is one, and the wait
 * is charged to its line.
 *
 * A job that waits a part of the time until its turn has a weight; what the
 * weight leaves out is charged to the line that is served when the job comes.
 */
#include "backend_sim/core/blame.h"

/* Behind jobs of another line of the code. */
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

void waiting_free(struct server_book *book);
/* What stands in line has its turn until then. */
void waiting_advance(
	const struct blame *b, struct server_book *book, uint64_t until);
/* Behind what is in line, for nobody's sake. False: without memory. */
bool waiting_hold(struct server_book *book, uint64_t over, uint32_t line);
/* A job comes and waits so many details; 0 ticks: it has none. Its line has
   suffered them. False: without memory. */
bool waiting_come(const struct blame *b, struct server_book *book,
	uint64_t arrival, uint64_t ticks, uint32_t line, uint64_t details);

/* ---- what most jobs do, in line ---- */

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
