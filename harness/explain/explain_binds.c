/* What binds a launch: waits of warps, charged to those who cause them. */
#include <stdlib.h>
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

static size_t things(const struct finding *f)
{
	return f->where->server_count + EXPLAIN_CAUSE_COUNT;
}

static double *weight(const struct finding *f, size_t thing, size_t line)
{
	return &f->weights[thing * (f->where->line_count + 1) + line];
}

static double *cause(
	const struct finding *f, enum explain_cause cause, size_t line)
{
	return weight(f, f->where->server_count + (size_t)cause, line);
}

/* ---- which servers a wait is at ---- */

enum stand { STAND_ISSUE, STAND_PIPE, STAND_ROOM, STAND_BARRIER, STAND_BEYOND };

static enum stand stand_of(const struct job_server *s)
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
static bool is_beyond(const struct job_server *s)
{
	return !s->is_room && stand_of(s) == STAND_BEYOND;
}

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

/* Time in which servers can be busy. */
static double span(const struct job_profile *w)
{
	const struct job_occupancy *o = &w->occupancy;

	return o->sms ? o->cycles + o->drain_cycles : w->server_cycles;
}

/* The busiest of a kind. */
static double busy(const struct job_profile *w, const struct job_server *s)
{
	const double all = span(w);

	return all > 0 ? s->busiest_cycles / all : 0;
}

/* From 0 for a server that is idle at times, to 1 for one that never is: all
   servers wait for the first and the last request of a launch. */
#define BUSY_IDLE 0.6
#define BUSY_FULL 0.9

static double fullness(const struct job_profile *w, const struct job_server *s)
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
	part = cycles * fullness(f->where, &f->where->servers[full->server]);
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
			part -= part * (1 - fullness(w, s)) -
				charge_full(
					f, line, part * (1 - fullness(w, s)));
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

/* Of 32 lanes, the share that does nothing. */
static double idle_lanes(const struct job_line *l)
{
	const double all = 32.0 * (double)l->executions;

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
		const double part = cycles * fullness(w, &w->servers[i]);

		f->charged[i] += part;
		cycles -= part;
	}
	return cycles;
}

static void take_rest(struct finding *f, size_t line)
{
	const struct job_line *l = &f->where->lines[line];
	const double *wait = l->wait_cycles;
	const double idle = idle_lanes(l);
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
		charge_at_most(f, line, AT(BARRIER), wait[JOB_WAIT_BARRIER]);
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

/* ---- what comes of it ---- */

static const char *thing_name(const struct finding *f, size_t thing)
{
	return thing < f->where->server_count
		       ? f->where->servers[thing].name
		       : explain_cause_names[thing - f->where->server_count];
}

/* Binds are of source lines; without them, of lines of PTX; those of a program,
   whose loops are written out, of its instructions. The PTX line is the one
   with the most. */
struct candidate {
	struct explain_bind bind;
	double most;
	const char *text; /* of a program's line; else NULL */
};

/* Up to the operands. */
static int by_operation(const char *a, const char *b)
{
	const size_t bytes = strcspn(a, " "), others = strcspn(b, " ");
	const int order = strncmp(a, b, bytes < others ? bytes : others);

	return order ? order : (bytes > others) - (bytes < others);
}

static int by_line(const struct candidate *x, const struct candidate *y)
{
	const struct job_line *a = x->bind.line, *b = y->bind.line;
	const bool sourced = a->source && a->source_line;

	if (x->text && y->text)
		return by_operation(x->text, y->text);
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->source_line != b->source_line)
		return a->source_line < b->source_line ? -1 : 1;
	return sourced ? 0 : (a > b) - (a < b);
}

static int by_place(const void *left, const void *right)
{
	const struct candidate *x = left, *y = right;
	const int order = strcmp(x->bind.server, y->bind.server);

	if (order || !x->bind.line || !y->bind.line)
		return order ? order
			     : (x->bind.line != NULL) - (y->bind.line != NULL);
	return by_line(x, y);
}

static int by_share(const void *left, const void *right)
{
	const struct explain_bind *a = left, *b = right;

	if (a->share != b->share)
		return a->share < b->share ? 1 : -1;
	return strcmp(a->server, b->server);
}

static size_t join(struct candidate *all, size_t count)
{
	size_t made = 0, i;

	qsort(all, count, sizeof(*all), by_place);
	for (i = 0; i < count; i++) {
		struct candidate *last = made ? &all[made - 1] : NULL;

		if (!last || by_place(last, &all[i])) {
			all[made] = all[i];
			all[made++].most = all[i].bind.share;
			continue;
		}
		if (all[i].bind.share > last->most) {
			last->most = all[i].bind.share;
			last->bind.line = all[i].bind.line;
		}
		last->bind.share += all[i].bind.share;
	}
	return made;
}

/* Of the time of SMs that have blocks at all: none is left for them. */
static double tail_share(const struct job_occupancy *o)
{
	const double never = (double)(o->sms - o->sms_used) * o->cycles;
	const double all = (double)o->sms_used * o->cycles;
	const double idle = o->idle_cycles - never;

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

static const char *text_of(const struct finding *f, size_t line)
{
	return f->e->placed && line < f->where->line_count
		       ? f->e->profile->texts[line]
		       : NULL;
}

#define LEAST_SHARE 1e-4

static int list(struct finding *f, struct error *error)
{
	const struct job_profile *w = f->where;
	const size_t lines = w->line_count + 1;
	struct explanation *e = f->e;
	struct candidate *all = NULL, *next;
	size_t count = 0, thing, line;

	for (thing = 0; thing < things(f); thing++)
		for (line = 0; line < lines; line++) {
			const double share = *weight(f, thing, line);

			if (share < LEAST_SHARE)
				continue;
			next = reallocarray(all, count + 1, sizeof(*all));
			if (!next) {
				free(all);
				return error_set(
					error, ERR_FAILED, "out of memory");
			}
			all = next;
			all[count++] = (struct candidate){
				.bind = {thing_name(f, thing),
					line < w->line_count ? &w->lines[line]
							     : NULL,
					share},
				.text = text_of(f, line)};
		}
	count = join(all, count);
	e->binds = calloc(count + 1, sizeof(*e->binds));
	if (!e->binds) {
		free(all);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	for (e->bind_count = 0; e->bind_count < count; e->bind_count++)
		e->binds[e->bind_count] = all[e->bind_count].bind;
	free(all);
	qsort(e->binds, count, sizeof(*e->binds), by_share);
	return 0;
}

/* After the last warp all wait for the busiest server beyond the SMs, for those
   whose requests it serves. */
static void take_drain(struct finding *f, double share)
{
	const struct job_profile *w = f->where;
	size_t most = w->server_count, i;

	for (i = 0; i < w->server_count; i++)
		if (is_beyond(&w->servers[i]) && f->caused[i] > 0 &&
			(most == w->server_count ||
				w->servers[i].busiest_cycles >
					w->servers[most].busiest_cycles))
			most = i;
	for (i = 0; i < w->queue_count; i++) {
		const struct job_queue *q = &w->queues[i];
		const size_t line =
			q->line == JOB_NO_LINE ? w->line_count : q->line;

		if (q->server == most)
			*weight(f, most, line) +=
				share * q->caused_cycles / f->caused[most];
	}
}

/* What is beside the waits: of so much of the time. */
static void take_blocks(struct finding *f, double time)
{
	const struct job_profile *w = f->where;
	const struct job_server *starts = find_starts(w);
	double part;

	*cause(f, EXPLAIN_TAIL, longest_line(w)) =
		time * tail_share(&w->occupancy);
	if (!starts)
		return;
	part = time * empty_share(&w->occupancy) *
	       (busy(w, starts) < 1 ? busy(w, starts) : 1);
	*weight(f, (size_t)(starts - w->servers), w->line_count) += part;
}

static int find(struct finding *f, struct error *error)
{
	const struct job_profile *w = f->where;
	const double drain = drain_share(&w->occupancy);
	size_t line, i;
	double sum = 0;

	for (line = 0; line < w->line_count; line++) {
		take_memory(f, line);
		take_rest(f, line);
	}
	blame(f);
	for (i = 0; i < things(f) * (w->line_count + 1); i++)
		sum += f->weights[i];
	for (i = 0; sum > 0 && i < things(f) * (w->line_count + 1); i++)
		f->weights[i] *= (1 - drain) / sum;
	take_drain(f, drain);
	if (!f->e->placed)
		take_blocks(f, 1 - drain);
	return list(f, error);
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
