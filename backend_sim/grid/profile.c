/* Where the time went: by class, and by line. */
#include <stdlib.h>
#include <string.h>

#include "backend_sim/core/books.h"
#include "backend_sim/lives/lives.h"
#include "backend_sim/core/memory.h"
#include "backend_sim/lives/residents.h"
#include "backend_sim/grid/grid.h"
#include "backend_sim/core/stale.h"
#include "backend_sim/core/unused.h"
#include "backend_sim/grid/room.h"

/* The lines of PTX, for who traces. */
static bool tell_lines(const struct grid *g, struct lives *lives)
{
	uint32_t *lines = malloc((g->code.count + 1) * sizeof(*lines)), i;
	bool told;

	for (i = 0; lines && i < g->code.count; i++)
		lines[i] = g->code.insns[i].insn->place.line;
	told = lines && lives_senders(lives, lines, g->code.count);
	free(lines);
	return told;
}

int profile_make(
	struct grid *g, struct execution *x, bool races, struct error *error)
{
	g->profile = calloc(1, sizeof(*g->profile));
	g->lines = calloc(g->code.count + 1, sizeof(*g->lines));
	if (!x->core->notes)
		x->core->notes = g->notes =
			memory_zeros(x->core->request_count, sizeof(*g->notes));
	g->residents = residents_make(x->core);
	if (!g->beside)
		x->core->unused = unused_make();
	if (!g->profile || !g->lines || !x->core->notes || !g->residents ||
		!(x->core->unused || g->beside))
		return error_set(error, ERR_FAILED, "out of memory");
	if (!g->beside &&
		blame_open(&x->core->books->blame, g->code.count,
			x->core->request_count,
			x->core->cost.sm_count * x->core->cost.warps_per_sm))
		return error_set(error, ERR_FAILED, "out of memory");
	if (x->core->lives && !tell_lines(g, x->core->lives))
		return error_set(error, ERR_FAILED, "out of memory");
	if (!races || x->core->stale)
		return 0;
	x->core->stale = stale_make(x->core->cost.sm_count);
	return x->core->stale ? 0
			      : error_set(error, ERR_FAILED, "out of memory");
}

/* ---- what a warp waits for ---- */

/* The instruction that cannot be issued: for an answer waits who needs it, or
   nobody any more, where the warp has ended. */
static uint32_t stalled(const struct kernel_warp *k, uint8_t why, uint32_t pc)
{
	const bool answered = (why >= JOB_WAIT_L1 && why <= JOB_WAIT_TLB) ||
			      why == JOB_WAIT_ATOMIC;

	return answered && k->depth ? k->paths[k->depth - 1].pc : pc;
}

/* What a warp waits for behind the last instruction, where a text ends without
   `ret`, belongs to that one. */
static struct job_line *line_at(const struct grid *g, uint32_t pc)
{
	return &g->lines[pc < g->code.count ? pc : g->code.count - 1];
}

static void add_wait(struct grid *g, const struct kernel_warp *k, uint8_t why,
	uint32_t pc, uint64_t waited_cycles)
{
	double cycles = (double)waited_cycles;

	g->profile->wait_cycles[why] += cycles;
	line_at(g, pc)->wait_cycles[why] += cycles;
	line_at(g, stalled(k, why, pc))->stalled_cycles[why] += cycles;
}

/* For who traces. */
static void tell_wait(struct execution *x, uint32_t warp, uint64_t since,
	uint64_t until, uint8_t why, uint32_t pc)
{
	const struct grid *g = x->grid;
	const struct warp *w = &x->warps[warp];

	lives_was(x->core->lives,
		&(struct lives_state){
			.name = job_wait_names[why],
			.begin = (double)since,
			.end = (double)until,
			.place = warp,
			.sm = w->sm,
			.warp = w->global,
			.line = pc < g->code.count
					? g->code.insns[pc].insn->place.line
					: 0,
		});
}

/* Apart, so that who does not profile pays for a comparison alone. */
void profile_tell(struct execution *x, uint32_t warp, uint64_t until,
	uint8_t why, uint32_t pc)
{
	struct grid *g = x->grid;
	const uint64_t since = g->warps[warp].since;

	add_wait(g, &g->warps[warp], why, pc, until - since);
	if (x->core->lives)
		tell_wait(x, warp, since, until, why, pc);
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

static uint64_t answer_of(const struct request *r)
{
	static const uint8_t of[] = {
		[FOUND_L1] = JOB_ANSWER_L1,
		[FOUND_NEAR] = JOB_ANSWER_NEAR,
		[FOUND_FAR] = JOB_ANSWER_FAR,
		[FOUND_DRAM] = JOB_ANSWER_DRAM,
	};

	if (request_is_atomic(r))
		return JOB_ANSWER_ATOMIC;
	return r->kind == REQUEST_LOAD ? of[r->operands & 3] : JOB_ANSWER_WRITE;
}

_Static_assert((int)JOB_ANSWER_COUNT <= (int)BLAME_ANSWERS, "a number each");

void profile_end(const struct execution *x, const struct request *r)
{
	core_life(x->core, (uint32_t)(r - x->core->requests), 0, answer_of(r),
		LIFE_ANSWERED);
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
		profile_until(x, r->warp, until, JOB_WAIT_TLB, note->sender);
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
		if (line->wait_cycles[i] > 0 || line->stalled_cycles[i] > 0)
			return true;
	return false;
}

static void note_blocks(const struct grid *g, const struct execution *x,
	struct job_occupancy *o)
{
	*o = (struct job_occupancy){
		.sms = x->core->cost.sm_count,
		.warps_per_sm = x->core->cost.warps_per_sm,
		.block_threads = g->block_threads,
		.block_warps = g->block_warps,
		.cluster_blocks = g->cluster_blocks,
		.registers = g->registers,
		.blocks = g->block_count,
		.blocks_per_sm = g->blocks_per_sm,
	};
	room_limits(g, x, o->limits, &o->shared_bytes);
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
	note_blocks(g, x, &p->occupancy);
	residents_collect(g->residents, g->seen_cycle, &p->occupancy);
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
