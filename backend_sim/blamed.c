#include "backend_sim/blamed.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/books.h"

/* ---- three parts ---- */

static struct job_parts parts_of(const struct blame_parts *p)
{
	return (struct job_parts){
		.requests = p->requests,
		.way_cycles = (double)p->way / TICKS_A_CYCLE,
		.queue_cycles = (double)p->queue / TICKS_A_CYCLE,
		.service_cycles = (double)p->service / TICKS_A_CYCLE,
	};
}

void blamed_lines(struct grid *g, const struct blame *blame)
{
	uint32_t i;

	for (i = 0; i < g->code.count; i++)
		g->lines[i].took = parts_of(&blame->took[i + 1]);
	for (i = 0; i < JOB_ANSWER_COUNT; i++)
		g->profile->took[i] = parts_of(&blame->answers[i]);
}

/* ---- queues ---- */

/* The lines of a profile and one behind them, JOB_NO_LINE's, at each server. */
struct square {
	const struct job_profile *p;
	struct job_queue *all; /* [line][server]; owned */
};

static uint32_t server_of(const struct job_profile *p, enum server_id id)
{
	uint32_t i;

	for (i = 0; i < p->server_count; i++)
		if (!strcmp(p->servers[i].name, server_kinds[id].name))
			break;
	return i;
}

static int by_number(const void *key, const void *item)
{
	const uint32_t *line = key;
	const struct job_line *l = item;

	return (*line > l->line) - (*line < l->line);
}

static size_t line_of(
	const struct job_profile *p, const struct grid *g, uint32_t insn)
{
	const struct job_line *found =
		bsearch(&g->code.insns[insn].insn->place.line, p->lines,
			p->line_count, sizeof(*p->lines), by_number);

	return found ? (size_t)(found - p->lines) : p->line_count;
}

static void add_row(const struct square *s, const uint32_t *servers,
	size_t line, const struct blame *blame, uint32_t insn)
{
	uint32_t id;

	for (id = 0; id < SERVER_COUNT; id++) {
		const struct blame_sums *sums = blame_sums(blame, id, insn);
		struct job_queue *q =
			&s->all[line * s->p->server_count + servers[id]];

		if (servers[id] == s->p->server_count)
			continue;
		q->suffered_cycles +=
			(double)sums->suffered / (double)BLAME_DETAILS;
		q->caused_cycles +=
			(double)sums->caused / (double)BLAME_DETAILS;
	}
}

static void fill(
	const struct square *s, const struct grid *g, const struct blame *blame)
{
	uint32_t servers[SERVER_COUNT], i;

	for (i = 0; i < SERVER_COUNT; i++)
		servers[i] = server_of(s->p, (enum server_id)i);
	add_row(s, servers, s->p->line_count, blame, SENDER_NONE);
	for (i = 0; i < g->code.count; i++)
		add_row(s, servers, line_of(s->p, g, i), blame, i);
}

/* Those where nobody stood in line are left out. */
static size_t squeeze(const struct square *s)
{
	const size_t servers = s->p->server_count;
	size_t count = 0, i;

	for (i = 0; i < (s->p->line_count + 1) * servers; i++) {
		struct job_queue q = s->all[i];

		if (!(q.suffered_cycles > 0) && !(q.caused_cycles > 0))
			continue;
		q.line = i / servers < s->p->line_count
				 ? (uint32_t)(i / servers)
				 : JOB_NO_LINE;
		q.server = (uint32_t)(i % servers);
		s->all[count++] = q;
	}
	return count;
}

int blamed_collect(
	struct grid *g, const struct blame *blame, struct error *error)
{
	struct job_profile *p = g->profile;
	struct square s = {p, calloc((p->line_count + 1) * p->server_count + 1,
				      sizeof(*s.all))};

	if (!s.all)
		return error_set(error, ERR_FAILED, "out of memory");
	fill(&s, g, blame);
	p->queues = s.all;
	p->queue_count = squeeze(&s);
	return 0;
}
