/* Waits of warps, charged to those who cause them. */
#include "harness/explain/explain_finding.h"

/* ---- which servers a wait is at ---- */

/* Cycles that the line stood in line at servers of some places; 0 past the
   line's rows. */
static double stood(const struct finding *f, size_t line, unsigned places)
{
	const struct job_profile *w = f->where;
	size_t i = profile_queues_from(w, (uint32_t)line);
	double sum = 0;

	for (; i < w->queue_count && w->queues[i].line == line; i++)
		if (places >> stand_of(&w->servers[w->queues[i].server]) & 1)
			sum += w->queues[i].suffered_cycles;
	return sum;
}

/* ---- servers that are never idle ---- */

/* All servers wait for the first and the last request of a launch. */
#define BUSY_IDLE 0.6
#define BUSY_FULL 0.9

double finding_fullness(const struct job_profile *w, const struct job_server *s)
{
	const double part = (busy(w, s) - BUSY_IDLE) / (BUSY_FULL - BUSY_IDLE);

	return part < 0 ? 0 : part > 1 ? 1 : part;
}

/* Of servers that are about as busy, the one with the longer lines. */
#define AS_BUSY 0.9

/* The server beyond the SM's pipe that holds up the line's requests; NULL: none
   does. */
static const struct job_queue *find_full(const struct finding *f, size_t line)
{
	const struct job_profile *w = f->where;
	const size_t first = profile_queues_from(w, (uint32_t)line);
	const struct job_queue *full = NULL;
	double most = 0;
	size_t i;

	for (i = first; i < w->queue_count && w->queues[i].line == line; i++) {
		const struct job_server *s = &w->servers[w->queues[i].server];

		if (is_beyond(s) && busy(w, s) > most)
			most = busy(w, s);
	}
	for (i = first; i < w->queue_count && w->queues[i].line == line; i++) {
		const struct job_queue *q = &w->queues[i];
		const struct job_server *s = &w->servers[q->server];

		if (is_beyond(s) && busy(w, s) >= AS_BUSY * most &&
			(!full || q->suffered_cycles > full->suffered_cycles))
			full = q;
	}
	return full;
}

/* A part of a wait goes to the server that is never idle; what is left. */
static double charge_full(struct finding *f, size_t line, double cycles)
{
	const struct job_queue *full = find_full(f, line);
	double part;

	if (!full)
		return cycles;
	part = cycles *
	       finding_fullness(f->where, &f->where->servers[full->server]);
	f->charged[full->server] += part;
	return cycles - part;
}

/* Divides a wait among these servers as the line stood there. */
static void charge(
	struct finding *f, size_t line, unsigned places, double cycles)
{
	const struct job_profile *w = f->where;
	const double all = stood(f, line, places);
	size_t i = profile_queues_from(w, (uint32_t)line);

	for (; all > 0 && i < w->queue_count && w->queues[i].line == line;
		i++) {
		const struct job_queue *q = &w->queues[i];
		const struct job_server *s = &w->servers[q->server];
		double part = cycles * q->suffered_cycles / all;

		if (!(places >> stand_of(s) & 1))
			continue;
		if (!is_beyond(s) && stand_of(s) != STAND_ISSUE)
			part -= part * (1 - finding_fullness(w, s)) -
				charge_full(f, line,
					part * (1 - finding_fullness(w, s)));
		f->charged[q->server] += part;
	}
}

/* As much of a wait as the line stood at these servers; what is left. */
static double charge_at_most(
	struct finding *f, size_t line, unsigned places, double cycles)
{
	const double all = stood(f, line, places);
	const double part = cycles < all ? cycles : all;

	charge(f, line, places, part);
	return cycles - part;
}

/* ---- the waits of a line ---- */

#define AT(place) (1u << STAND_##place)

static const struct {
	enum job_wait wait;
	enum explain_cause way;
} ways[] = {
	{JOB_WAIT_L1, EXPLAIN_WAY_L1},
	{JOB_WAIT_NEAR, EXPLAIN_WAY_NEAR},
	{JOB_WAIT_FAR, EXPLAIN_WAY_FAR},
	{JOB_WAIT_DRAM, EXPLAIN_WAY_DRAM},
	{JOB_WAIT_ATOMIC, EXPLAIN_WAY_ATOMIC},
	{JOB_WAIT_WRITE, EXPLAIN_WAY_WRITE},
};

static double queue_share(const struct job_line *l)
{
	const struct job_parts *t = &l->took;
	const double all = t->way_cycles + t->queue_cycles + t->service_cycles;

	return all > 0 ? t->queue_cycles / all : 0;
}

static void take_memory(struct finding *f, size_t line)
{
	const struct job_line *l = &f->where->lines[line];
	const unsigned places = AT(PIPE) | AT(ROOM) | AT(BEYOND);
	const double queue = stood(f, line, places) > 0 ? queue_share(l) : 0;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const double wait = l->wait_cycles[ways[i].wait];

		charge(f, line, places, wait * queue);
		*cause(f, ways[i].way, line) +=
			charge_full(f, line, wait * (1 - queue));
	}
	*cause(f, EXPLAIN_WAY_WRITE, line) +=
		charge_at_most(f, line, places, l->wait_cycles[JOB_WAIT_ROOM]);
	*cause(f, EXPLAIN_TLB, line) += l->wait_cycles[JOB_WAIT_TLB];
}

/* Of a warp's lanes, or of those that a small block has, the share that does
   nothing. */
static double idle_lanes(const struct job_profile *w, const struct job_line *l)
{
	const uint32_t threads = w->occupancy.block_threads;
	const double all = (threads && threads < 32 ? threads : 32.0) *
			   (double)l->executions;

	return all > 0 ? 1 - (double)l->lanes / all : 0;
}

/* Of a wait for shared memory, what the SM's pipe takes that is never idle. */
static double charge_pipe(struct finding *f, size_t line, double cycles)
{
	const struct job_profile *w = f->where;
	size_t i;

	(void)line;
	for (i = 0; i < w->server_count; i++)
		if (stand_of(&w->servers[i]) == STAND_PIPE)
			break;
	if (i < w->server_count) {
		const double part =
			cycles * finding_fullness(w, &w->servers[i]);

		f->charged[i] += part;
		cycles -= part;
	}
	return cycles;
}

/* Warps that come to a barrier together are taken in one after the other: those
   who were first wait as long for the others as these stand in line. */
static double charge_barrier(struct finding *f, size_t line, double cycles)
{
	cycles = charge_at_most(f, line, AT(BARRIER), cycles);
	return charge_at_most(f, line, AT(BARRIER), cycles);
}

static void take_rest(struct finding *f, size_t line)
{
	const struct job_line *l = &f->where->lines[line];
	const double *wait = l->wait_cycles;
	const double idle = idle_lanes(f->where, l);
	double slots = wait[JOB_WAIT_ISSUE], values = wait[JOB_WAIT_ARITHMETIC];

	*cause(f, EXPLAIN_DIVERGENCE, line) += (slots + values) * idle;
	slots -= slots * idle;
	values -= values * idle;
	*cause(f, EXPLAIN_OTHER, line) +=
		charge_at_most(f, line, AT(ISSUE) | AT(PIPE), slots);
	*cause(f, EXPLAIN_WAY_ARITHMETIC, line) += values;
	*cause(f, EXPLAIN_WAY_SHARED, line) += charge_pipe(f, line,
		charge_at_most(
			f, line, AT(PIPE) | AT(BEYOND), wait[JOB_WAIT_SHARED]));
	*cause(f, EXPLAIN_CODE, line) += wait[JOB_WAIT_CODE];
	*cause(f, EXPLAIN_BARRIER, line) +=
		charge_barrier(f, line, wait[JOB_WAIT_BARRIER]);
}

/* What was charged to a server goes to those that it served meanwhile. */
static void blame(struct finding *f)
{
	const struct job_profile *w = f->where;
	size_t i;

	for (i = 0; i < w->queue_count; i++)
		f->caused[w->queues[i].server] += w->queues[i].caused_cycles;
	for (i = 0; i < w->queue_count; i++) {
		const struct job_queue *q = &w->queues[i];
		const size_t line =
			q->line == JOB_NO_LINE ? w->line_count : q->line;

		if (f->caused[q->server] > 0)
			*weight(f, q->server, line) += f->charged[q->server] *
						       q->caused_cycles /
						       f->caused[q->server];
	}
}

void finding_waits(struct finding *f)
{
	size_t line;

	for (line = 0; line < f->where->line_count; line++) {
		take_memory(f, line);
		take_rest(f, line);
	}
	blame(f);
}
