/* Where the time went: by class, and by line. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/grid/grid.h"
#include "backend_sim/core/books.h"
#include "backend_sim/grid/copies.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/grid/residents.h"
#include "backend_sim/core/stale.h"
#include "backend_sim/core/unused.h"

int profile_make(
	struct grid *g, struct execution *x, bool races, struct error *error)
{
	g->profile = calloc(1, sizeof(*g->profile));
	g->lines = calloc(g->code.count + 1, sizeof(*g->lines));
	if (!x->core->notes)
		x->core->notes = g->notes =
			calloc(x->core->request_count, sizeof(*g->notes));
	g->residents = residents_make(x);
	if (!g->beside)
		x->core->unused = unused_make();
	if (!g->profile || !g->lines || !x->core->notes || !g->residents ||
		!(x->core->unused || g->beside))
		return error_set(error, ERR_FAILED, "out of memory");
	if (!races || x->core->stale)
		return 0;
	x->core->stale = stale_make(x->core->cost.sm_count);
	return x->core->stale ? 0
			      : error_set(error, ERR_FAILED, "out of memory");
}

/* ---- what a warp waits for ---- */

/* What a warp waits for behind the last instruction, where a text ends without
   `ret`, belongs to that one. */
static void add_wait(
	struct grid *g, uint8_t why, uint32_t pc, uint64_t waited_cycles)
{
	double cycles = (double)waited_cycles;

	g->profile->wait_cycles[why] += cycles;
	pc = pc < g->code.count ? pc : g->code.count - 1;
	g->lines[pc].wait_cycles[why] += cycles;
}

void profile_wait(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	uint64_t now = core_now(x->core), since = k->since;

	k->since = now;
	if (g->profile)
		add_wait(g, k->why, k->why_pc, now - since);
}

void profile_until(struct execution *x, uint32_t warp, uint64_t cycle,
	uint8_t why, uint32_t pc)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];

	if (g->profile)
		add_wait(g, why, pc, cycle - k->since);
	k->since = cycle;
}

/* ---- requests ---- */

static const uint8_t level_of[] = {
	[FOUND_L1] = JOB_LEVEL_L1,
	[FOUND_NEAR] = JOB_LEVEL_NEAR,
	[FOUND_FAR] = JOB_LEVEL_FAR,
	[FOUND_DRAM] = JOB_LEVEL_DRAM,
};

static const uint8_t wait_of[] = {
	[FOUND_L1] = JOB_WAIT_L1,
	[FOUND_NEAR] = JOB_WAIT_NEAR,
	[FOUND_FAR] = JOB_WAIT_FAR,
	[FOUND_DRAM] = JOB_WAIT_DRAM,
};

static const struct request_note *note_of(
	const struct execution *x, const struct request *r)
{
	return &x->core->notes[r - x->core->requests];
}

void profile_answer(struct execution *x, const struct request *r)
{
	const struct request_note *note;
	struct job_line *line;

	if (!x->grid->profile)
		return;
	note = note_of(x, r);
	line = &x->grid->lines[note->sender];
	line->answered++;
	line->stale_words += note->stale;
	line->latency_cycles += (double)(core_now(x->core) - note->since);
	if (r->kind != REQUEST_LOAD)
		return;
	line->found[level_of[r->operands & 3]] += note->sectors - note->in_l1;
	line->found[JOB_LEVEL_L1] += note->in_l1;
}

void profile_waited_for(struct execution *x, const struct request *r)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[r->warp];
	const struct request_note *note;
	uint64_t until;

	if (!g->profile)
		return;
	note = note_of(x, r);
	until = note->since + note->late;
	if (until > core_now(x->core))
		until = core_now(x->core);
	if (until > k->since) {
		add_wait(g, JOB_WAIT_TLB, note->sender, until - k->since);
		k->since = until;
	}
	profile_why(k,
		request_is_atomic(r) ? JOB_WAIT_ATOMIC
				     : wait_of[r->operands & 3],
		note->sender);
}

/* ---- instructions -> lines ---- */

static int by_line(const void *left, const void *right)
{
	const struct job_line *a = left, *b = right;

	return (a->line > b->line) - (a->line < b->line);
}

static int name_sources(struct job_profile *p, const struct ptx_module *m)
{
	uint32_t i;

	p->sources = calloc(m->file_count + 1, sizeof(*p->sources));
	if (!p->sources)
		return -1;
	for (i = 0; i < m->file_count; i++) {
		p->sources[i] =
			strndup(m->files[i].name.text, m->files[i].name.length);
		if (!p->sources[i])
			return -1;
		p->source_count++;
	}
	return 0;
}

/* A warp may have waited for an instruction that it never came to issue. */
static bool has_waits(const struct job_line *line)
{
	uint32_t i;

	for (i = 0; i < JOB_WAIT_COUNT; i++)
		if (line->wait_cycles[i] > 0)
			return true;
	return false;
}

int profile_collect(
	struct grid *g, const struct execution *x, struct error *error)
{
	const struct ptx_module *m = g->code.module;
	struct job_profile *p = g->profile;
	struct unused_sectors l2 = {0};
	uint32_t i;

	if (x->core->unused)
		l2 = unused_count(x->core->unused);
	residents_collect(g->residents, g, x, &p->occupancy);
	p->fetched_sectors = l2.fetched;
	p->unused_sectors = l2.unused;
	if (name_sources(p, m))
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < g->code.count; i++) {
		const struct ptx_insn *insn = g->code.insns[i].insn;

		g->lines[i].line = insn->place.line;
		g->lines[i].source = ptx_file(m, insn->source_file);
		g->lines[i].source_line = insn->source_line;
	}
	qsort(g->lines, g->code.count, sizeof(*g->lines), by_line);
	p->lines = calloc(g->code.count + 1, sizeof(*p->lines));
	if (!p->lines)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < g->code.count; i++) {
		if (!g->lines[i].executions && !has_waits(&g->lines[i]))
			continue;
		if (p->line_count &&
			p->lines[p->line_count - 1].line == g->lines[i].line)
			job_line_add(
				&p->lines[p->line_count - 1], &g->lines[i]);
		else
			p->lines[p->line_count++] = g->lines[i];
	}
	return 0;
}

/* ---- the servers that a launch brings along ---- */

static const struct {
	uint8_t pipe;
	enum server_id id;
} pipes[] = {
	{PIPE_ALU, SERVER_PIPE_ALU},
	{PIPE_HEAVY, SERVER_PIPE_HEAVY},
	{PIPE_LITE, SERVER_PIPE_LITE},
	{PIPE_F64, SERVER_PIPE_F64},
	{PIPE_SPECIAL, SERVER_PIPE_SPECIAL},
	{PIPE_CONTROL, SERVER_PIPE_CONTROL},
};

static void add_sm(struct grid *g, const struct core *core, uint32_t sm)
{
	const uint32_t schedulers = core->cost.schedulers;
	uint32_t s;
	size_t i;

	books_add(core->books, SERVER_REMOTE, sm, &g->sms[sm].remote);
	books_add(core->books, SERVER_RELEASE, sm, &g->sms[sm].release);
	for (s = 0; s < schedulers; s++)
		for (i = 0; i < sizeof(pipes) / sizeof(*pipes); i++)
			books_add(core->books, pipes[i].id, sm * schedulers + s,
				&g->sms[sm].pipes[s][pipes[i].pipe]);
}

void grid_servers(struct grid *g, const struct core *core)
{
	uint32_t i;

	for (i = 0; i < core->cost.sm_count; i++)
		add_sm(g, core, i);
	for (i = 0; g->fetched.gpcs && i < core->floor.gpc_count; i++)
		books_add(core->books, SERVER_CODE, i, &g->fetched.gpcs[i]);
	books_add(core->books, SERVER_BLOCK_ENDS, 0, g->ends);
	copies_servers(g->copies, core);
}
