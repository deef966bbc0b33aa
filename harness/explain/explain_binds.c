/* What binds a launch: waits of warps, and what is beside them. */
#include <stdlib.h>

#include "harness/explain/explain_finding.h"

/* Of the time of SMs that have blocks at all: none is left for them. */
static double tail_share(const struct job_occupancy *o)
{
	const double never = (double)(o->sms - o->sms_used) * o->cycles;
	const double all = (double)o->sms_used * o->cycles;
	const double idle = o->idle_cycles - o->start_cycles - never;

	return all > 0 && idle > 0 ? idle / all : 0;
}

/* Of the slots of SMs that blocks could have: those that are empty though there
   are blocks that wait, before the tail. */
static double empty_share(const struct job_occupancy *o)
{
	const double slots = (double)o->sms_used * o->blocks_per_sm *
			     o->block_warps * o->cycles;
	const double empty = slots > 0 ? 1 - o->warp_cycles / slots : 0;
	const double rest = empty - tail_share(o);

	return (double)o->blocks > (double)o->sms_used * o->blocks_per_sm &&
			       rest > 0
		       ? rest
		       : 0;
}

/* The server of starts and ends of blocks that is busy the longest. */
static const struct job_server *find_starts(const struct job_profile *w)
{
	const struct job_server *most = NULL;
	size_t i;

	for (i = 0; i < w->server_count; i++)
		if (!strncmp(w->servers[i].name, "block_", 6) &&
			(!most || w->servers[i].busiest_cycles >
					  most->busiest_cycles))
			most = &w->servers[i];
	return most;
}

static double drain_share(const struct job_occupancy *o)
{
	const double all = o->cycles + o->drain_cycles;

	return all > 0 ? o->drain_cycles / all : 0;
}

/* Where the warps are that are left in the end: nobody keeps that, so it is the
   line that most warps wait for. */
static size_t longest_line(const struct job_profile *w)
{
	size_t most = w->line_count, i;

	for (i = 0; i < w->line_count; i++)
		if (most == w->line_count ||
			profile_waited(w->lines[i].wait_cycles) >
				profile_waited(w->lines[most].wait_cycles))
			most = i;
	return most;
}

/* Requests that no warp waited for: stores, and atomics without a reader. */
static double unanswered(const struct job_line *l)
{
	return l->requests > l->answered ? (double)(l->requests - l->answered)
					 : 0;
}

/* The way of the last requests, to the lines that sent such. */
static void take_ways(struct finding *f, double share)
{
	const struct job_profile *w = f->where;
	double all = 0;
	size_t i;

	for (i = 0; i < w->line_count; i++)
		all += unanswered(&w->lines[i]);
	for (i = 0; all > 0 && i < w->line_count; i++)
		*cause(f, EXPLAIN_DRAIN, i) +=
			share * unanswered(&w->lines[i]) / all;
	if (!(all > 0))
		*cause(f, EXPLAIN_DRAIN, w->line_count) += share;
}

/* After the last warp all wait for the busiest server beyond the SMs, as much
   as it is never idle, for those whose requests it serves; else for the way. */
static void take_drain(struct finding *f, double share)
{
	const struct job_profile *w = f->where;
	size_t most = w->server_count, i;
	double part;

	for (i = 0; i < w->server_count; i++)
		if (is_beyond(&w->servers[i]) && f->caused[i] > 0 &&
			(most == w->server_count ||
				w->servers[i].busiest_cycles >
					w->servers[most].busiest_cycles))
			most = i;
	part = most < w->server_count
		       ? share * finding_fullness(w, &w->servers[most])
		       : 0;
	for (i = 0; i < w->queue_count; i++) {
		const struct job_queue *q = &w->queues[i];
		const size_t line =
			q->line == JOB_NO_LINE ? w->line_count : q->line;

		if (q->server == most)
			*weight(f, most, line) +=
				part * q->caused_cycles / f->caused[most];
	}
	take_ways(f, share - part);
}

/* Where blocks start or end as fast as they can, other blocks would come no
   sooner if warps waited less: as much as that server is never idle, what they
   wait on their way goes to it. */
static void take_fast_blocks(struct finding *f)
{
	const struct job_profile *w = f->where;
	const struct job_server *starts = find_starts(w);
	const double part = starts && empty_share(&w->occupancy) > 0
				    ? finding_fullness(w, starts)
				    : 0;
	double moved = 0;
	size_t way, i;

	for (way = EXPLAIN_WAY_SHARED; part > 0 && way <= EXPLAIN_WAY_WRITE;
		way++)
		for (i = 0; i < w->line_count; i++) {
			double *wait = cause(f, (enum explain_cause)way, i);

			moved += *wait * part;
			*wait *= 1 - part;
		}
	if (moved > 0)
		*weight(f, (size_t)(starts - w->servers), w->line_count) +=
			moved;
}

/* What is beside the waits: of so much of the time. */
static void take_blocks(struct finding *f, double time)
{
	const struct job_profile *w = f->where;
	const struct job_server *starts = find_starts(w);
	double part, *share;

	*cause(f, EXPLAIN_TAIL, longest_line(w)) =
		time * tail_share(&w->occupancy);
	if (!starts)
		return;
	part = time * empty_share(&w->occupancy) *
	       (busy(w, starts) < 1 ? busy(w, starts) : 1);
	/* Of the rest, in which slots have warps, it has what warps wait. */
	share = weight(f, (size_t)(starts - w->servers), w->line_count);
	*share += part * (1 - *share);
}

static int find(struct finding *f, struct error *error)
{
	const struct job_profile *w = f->where;
	const double drain = drain_share(&w->occupancy);
	double sum = 0;
	size_t i;

	finding_waits(f);
	if (!f->e->placed)
		take_fast_blocks(f);
	for (i = 0; i < things(f) * (w->line_count + 1); i++)
		sum += f->weights[i];
	for (i = 0; sum > 0 && i < things(f) * (w->line_count + 1); i++)
		f->weights[i] *= (1 - drain) / sum;
	take_drain(f, drain);
	if (!f->e->placed)
		take_blocks(f, 1 - drain);
	return finding_list(f, error);
}

int explain_find_binds(struct explanation *e, struct error *error)
{
	const struct job_profile *w = e->profile->where;
	struct finding f = {.e = e, .where = w};
	int code = 0;

	f.charged = calloc(w->server_count + 1, sizeof(*f.charged));
	f.caused = calloc(w->server_count + 1, sizeof(*f.caused));
	f.weights = calloc(
		(w->server_count + EXPLAIN_CAUSE_COUNT) * (w->line_count + 1),
		sizeof(*f.weights));
	if (!f.charged || !f.caused || !f.weights)
		code = error_set(error, ERR_FAILED, "out of memory");
	else
		code = find(&f, error);
	free(f.charged);
	free(f.caused);
	free(f.weights);
	return code;
}
