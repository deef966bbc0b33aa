/* Where the time went: by class, and by line. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/kernel/grid.h"

int profile_make(struct grid *g, struct error *error)
{
	g->profile = calloc(1, sizeof(*g->profile));
	g->lines = calloc(g->code.count + 1, sizeof(*g->lines));
	return g->profile && g->lines
		       ? 0
		       : error_set(error, ERR_FAILED, "out of memory");
}

void profile_wait(struct execution *x, uint32_t warp)
{
	struct grid *g = x->grid;
	struct kernel_warp *k = &g->warps[warp];
	uint64_t now = core_now(x->core);
	double cycles = (double)(now - k->since);

	k->since = now;
	if (!g->profile)
		return;
	g->profile->warp_cycles += cycles;
	g->profile->wait_cycles[k->why] += cycles;
	if (k->why_pc < g->code.count)
		g->lines[k->why_pc].wait_cycles[k->why] += cycles;
}

void profile_answer(
	struct execution *x, const struct request *r, unsigned board)
{
	static const uint8_t level_of[] = {
		[FOUND_L1] = JOB_LEVEL_L1,
		[FOUND_NEAR] = JOB_LEVEL_NEAR,
		[FOUND_FAR] = JOB_LEVEL_FAR,
		[FOUND_DRAM] = JOB_LEVEL_DRAM,
	};
	struct kernel_warp *k = &x->grid->warps[r->warp];
	struct job_line *line;

	k->boards[board]--;
	if (!x->grid->lines)
		return;
	line = &x->grid->lines[k->board_pc[board]];
	line->latency_cycles +=
		(double)(core_now(x->core) - k->board_since[board]);
	if (!request_is_atomic(r))
		line->found[level_of[r->operands & 3]] +=
			sector_count(r->demand);
}

/* ---- instructions -> lines ---- */

static void add(struct job_line *to, const struct job_line *from)
{
	unsigned i;

	to->executions += from->executions;
	to->lanes += from->lanes;
	to->requests += from->requests;
	to->sectors += from->sectors;
	to->latency_cycles += from->latency_cycles;
	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		to->found[i] += from->found[i];
	for (i = 0; i < JOB_WAIT_COUNT; i++)
		to->wait_cycles[i] += from->wait_cycles[i];
}

static int by_line(const void *left, const void *right)
{
	const struct job_line *a = left, *b = right;

	return (a->line > b->line) - (a->line < b->line);
}

/* 1 + the index of the file that `.file` gave the number. */
static uint32_t source_of(const struct ptx_module *m, uint32_t number)
{
	uint32_t i;

	for (i = 0; i < m->file_count; i++)
		if (m->files[i].number == number)
			return i + 1;
	return 0;
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

int profile_collect(struct grid *g, struct error *error)
{
	const struct ptx_module *m = g->code.module;
	struct job_profile *p = g->profile;
	uint32_t i;

	if (name_sources(p, m))
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < g->code.count; i++) {
		const struct ptx_insn *insn = g->code.insns[i].insn;

		g->lines[i].line = insn->place.line;
		g->lines[i].source = source_of(m, insn->source_file);
		g->lines[i].source_line = insn->source_line;
	}
	qsort(g->lines, g->code.count, sizeof(*g->lines), by_line);
	p->lines = calloc(g->code.count + 1, sizeof(*p->lines));
	if (!p->lines)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < g->code.count; i++) {
		if (!g->lines[i].executions)
			continue;
		if (p->line_count &&
			p->lines[p->line_count - 1].line == g->lines[i].line)
			add(&p->lines[p->line_count - 1], &g->lines[i]);
		else
			p->lines[p->line_count++] = g->lines[i];
	}
	return 0;
}
