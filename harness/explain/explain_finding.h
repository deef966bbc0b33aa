#ifndef NEARFAR_EXPLAIN_FINDING_H
#define NEARFAR_EXPLAIN_FINDING_H

/* What the files that find binds share. */
#include <string.h>

#include "harness/explain/explain.h"

/*
 * A warp waits for a line of code. Of that wait, the part that the line's
 * requests spend in line is divided among the servers where they stood, and at
 * each server among the lines that were served meanwhile, as job_queue has it;
 * the rest is the way. A way past a server that is never idle is not what
 * binds: were it shorter, the line would be longer. So the wait goes to that
 * server, as much as it is busy; and so does a wait for room, or for a pipe,
 * that is full because of it.
 *
 * Three things are of no warp's waiting: the tail, in which SMs have no block
 * any more; slots of SMs that are empty because blocks start and end no faster;
 * and the drain, in which what was asked for is answered after the last warp.
 */
struct finding {
	struct explanation *e;
	const struct job_profile *where;
	double *charged; /* [server]: waits in its line */
	double *caused;  /* [server]: all that its queues have */
	double *weights; /* [thing][line]: servers, then causes; a line more
			    for those without */
};

static inline size_t things(const struct finding *f)
{
	return f->where->server_count + EXPLAIN_CAUSE_COUNT;
}

static inline double *weight(const struct finding *f, size_t thing, size_t line)
{
	return &f->weights[thing * (f->where->line_count + 1) + line];
}

static inline double *cause(
	const struct finding *f, enum explain_cause cause, size_t line)
{
	return weight(f, f->where->server_count + (size_t)cause, line);
}

enum stand { STAND_ISSUE, STAND_PIPE, STAND_ROOM, STAND_BARRIER, STAND_BEYOND };

static inline enum stand stand_of(const struct job_server *s)
{
	if (!strcmp(s->name, "issue") || !strncmp(s->name, "pipe_", 5))
		return STAND_ISSUE;
	if (!strcmp(s->name, "load_store_pipe"))
		return STAND_PIPE;
	if (!strcmp(s->name, "request_room"))
		return STAND_ROOM;
	if (!strcmp(s->name, "barrier_arrivals"))
		return STAND_BARRIER;
	return STAND_BEYOND;
}

/* Neither the SM's own, nor room for what waits for others. */
static inline bool is_beyond(const struct job_server *s)
{
	return !s->is_room && stand_of(s) == STAND_BEYOND;
}

/* Time in which servers can be busy. */
static inline double span(const struct job_profile *w)
{
	const struct job_occupancy *o = &w->occupancy;

	return o->sms ? o->cycles + o->drain_cycles : w->server_cycles;
}

/* The busiest of a kind. */
static inline double busy(
	const struct job_profile *w, const struct job_server *s)
{
	const double all = span(w);

	return all > 0 ? s->busiest_cycles / all : 0;
}

/* explain_waits.c: the waits of all warps, to servers and causes. */
void finding_waits(struct finding *f);

/* From 0 for a server that is idle at times, to 1 for one that never is. */
double finding_fullness(
	const struct job_profile *w, const struct job_server *s);

/* explain_list.c: what has a share becomes the explanation's binds. ERR_FAILED
   without memory. */
int finding_list(struct finding *f, struct error *error);

#endif
