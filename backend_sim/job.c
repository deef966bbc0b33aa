/* A job on the model: its memory, then launch after launch. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/blamed.h"
#include "backend_sim/core/books.h"
#include "backend_sim/engine.h"
#include "backend_sim/grid/grid.h"
#include "backend_sim/idle/needed.h"
#include "backend_sim/job_steps.h"
#include "backend_sim/grid/ready.h"
#include "backend_sim/core/stale.h"
#include "backend_sim/traced.h"
#include "backend_sim/core/unused.h"
#include "backend_sim/streams.h"
#include "harness/kernel/steps.h"

/* Of what is drawn where a job is no program. */
#define JOB_SEED 1u

void job_count(const struct counts *counts, uint64_t executed,
	struct job_launch_result *r)
{
	r->counter_count = 0;
#define COUNTER(field, called, ...)                                            \
	r->counters[r->counter_count++] =                                      \
		(struct counter){called, (double)counts->field};
#include "harness/contract/counters.def"
	r->counters[r->counter_count++] =
		(struct counter){COUNTER_EXECUTED, (double)executed};
}

/* What a kernel stored can arrive while the chip is about its end. One that has
   been beyond its SMs ends with a fence. */
static uint64_t cycles_of(const struct engine *e, const struct grid *g,
	const struct counts *counts)
{
	const struct costs *cost = &e->core.cost;
	uint64_t last = g->last_cycle;

	if (g->seen_cycle > last + cost->kernel_end_cycles)
		last = g->seen_cycle - cost->kernel_end_cycles;
	if (counts->requests)
		last += cost->kernel_fence_cycles;
	return last - g->first_cycle + cost->kernel_cycles;
}

/* Cycles in which servers can be busy: some of what is under way when the chip
   ends the kernel comes later. */
static double span_of(
	const struct engine *e, const struct grid *g, double cycles)
{
	const double all = (double)(core_now(&e->core) - g->first_cycle);

	return all > cycles ? all : cycles;
}

static int report_servers(
	struct engine *e, struct grid *g, double cycles, struct error *error)
{
	return servers_collect(e, span_of(e, g, cycles), g->profile, error) ||
			       blamed_collect(g, &e->core.books->blame, error)
		       ? ERR_FAILED
		       : 0;
}

int job_report(struct engine *e, struct grid *g, const struct counts *counts,
	struct job_launch_result *r, struct error *error)
{
	r->cycles = (double)cycles_of(e, g, counts);
	r->ns = r->cycles / e->core.cost.clock_hz * 1e9;
	r->registers = g->registers;
	r->registers_estimated = g->registers_estimated;
	r->blocks_per_sm = g->blocks_per_sm;
	r->assumed = g->assumed;
	memcpy(r->note, g->note, sizeof(r->note));
	if (!g->profile)
		return 0;
	if (e->core.books) {
		books_end(e->core.books);
		blamed_lines(g, &e->core.books->blame);
	}
	if (profile_collect(g, &e->execution, error) ||
		(e->core.books && report_servers(e, g, r->cycles, error)))
		return ERR_FAILED;
	r->profile = g->profile;
	g->profile = NULL;
	return 0;
}

static int report(struct engine *e, struct grid *g, uint32_t repeat,
	const struct counts *before, const struct job *job,
	struct job_result *result, struct error *error)
{
	struct job_launch_result *r = job_result_add(result);
	struct counts counts;

	if (!r)
		return error_set(error, ERR_FAILED, "out of memory");
#define COUNTER(field, ...) counts.field = e->core.counts.field - before->field;
#include "harness/contract/counters.def"
	r->launch = (uint32_t)(g->launch - job->launches);
	r->repeat = repeat;
	job_count(&counts, g->executed, r);
	return job_report(e, g, &counts, r, error);
}

int job_fault(
	struct engine *e, const struct job_launch *launch, struct error *error)
{
	char standing[STANDING_BYTES], subject[JOB_SUBJECT_BYTES];

	job_subject(launch, subject);
	if (e->stopped)
		return error_set(
			error, ERR_INTERRUPTED, "interrupted in %s", subject);
	if (e->core.too_long)
		return error_set(error, ERR_FAILED,
			"%s takes more than 2^52 cycles, which the "
			"model does not count",
			subject);
	if (e->core.failed && *error->text)
		return ERR_FAILED;
	if (e->core.failed || e->core.calendar.failed)
		return error_set(error, ERR_FAILED,
			"the model ran out of requests or memory in kernel "
			"'%s'",
			subject);
	if (e->execution.live) {
		standing_words(&e->execution, standing, sizeof(standing));
		return error_set(error, ERR_FAILED,
			"%s never ends: its warps wait for what "
			"cannot come: %s",
			subject, standing);
	}
	if (!engine_is_settled(e))
		return error_set(error, ERR_FAILED,
			"the model lost a request in %s", subject);
	return 0;
}

/* Once, from its first block until all that it sent has arrived. */
static int execute(struct engine *e, struct grid *g, struct error *error)
{
	fetch_reset(&e->core.fetches);
	engine_events(e);
	return job_fault(e, g->launch, error);
}

static bool is_same_kernel(
	const struct job_launch *a, const struct job_launch *b)
{
	return a->module == b->module && !strcmp(a->entry, b->entry);
}

/* Another kernel's instructions take the place of those that SMs have. */
enum finds job_finds(const struct engine *e, const struct job *job,
	const struct job_launch *launch, int64_t repeat)
{
	const struct job_run run = {(uint32_t)(launch - job->launches), repeat};

	if (job_run_is_flushed(job, &run) || !core_now(&e->core))
		return FINDS_NOTHING;
	if (repeat > -(int64_t)launch->warmups)
		return FINDS_CODE;
	return launch > job->launches && is_same_kernel(launch, launch - 1)
		       ? FINDS_CODE
		       : FINDS_DATA;
}

static int run_once(struct engine *e, struct space *space,
	const struct job *job, const struct job_launch *launch, int64_t repeat,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error)
{
	const struct counts before = e->core.counts;
	struct traced traced = {0};
	struct step window;
	struct books books;
	struct grid g = {0};
	int code = 0;

	error->text[0] = 0;
	if (wishes->timeline && repeat >= 0)
		code = traced_kernel(e, &traced, wishes->timeline, error);
	else if (wishes->profile)
		servers_open(e, &books);
	e->execution.window = job_window_at(job, space, launch, &window);
	if (!code)
		code = grid_make(&g, &e->execution, space, job, launch, wishes,
			job_finds(e, job, launch, repeat), error);
	if (!code)
		code = grid_hold(&g, &e->execution, wishes, error);
	if (!code) {
		grid_start(&g, &e->execution);
		if (e->core.lives)
			lives_begin(e->core.lives, job_launch_name(launch),
				(uint32_t)(launch - job->launches),
				(double)g.first_cycle);
		code = execute(e, &g, error);
	}
	if (e->core.lives)
		lives_over(e->core.lives, (double)core_now(&e->core));
	if (!code && repeat >= 0)
		code = report(
			e, &g, (uint32_t)repeat, &before, job, result, error);
	traced_end(e);
	servers_close(e);
	grid_end(&g);
	e->core.notes = NULL;
	stale_free(e->core.stale);
	e->core.stale = NULL;
	unused_free(e->core.unused);
	e->core.unused = NULL;
	e->execution.grid = NULL;
	e->execution.window = NULL;
	return code;
}

static int give_contents(const struct space *space, const struct job *job,
	struct job_result *result, struct error *error)
{
	size_t i;

	if (job_result_contents(result, job))
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < job->buffer_count; i++)
		memcpy(result->contents[i],
			job_bytes(space, i, job->buffers[i].bytes),
			job->buffers[i].bytes);
	return 0;
}

/* ---- runs ---- */

static int run_all(struct engine *e, struct space *space, const struct job *job,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error)
{
	static const struct step flush = {.kind = STEP_FLUSH};
	struct job_run *runs = NULL;
	size_t count = 0, i, some;
	int code = job_list_runs(job, &runs, &count, error);

	for (i = 0; !code && i < count; i += some) {
		const struct job_launch *launch =
			&job->launches[runs[i].launch];

		if (job_run_is_first(job, &runs[i]))
			code = job_act(
				e, job, space, runs[i].launch, result, error);
		if (code)
			break;
		if (launch->flush)
			step_act(e, &flush);
		some = job_runs_together(job, runs + i, count - i);
		if (some > 1 && wishes->timeline) {
			code = error_set(error, ERR_USAGE,
				"a trace of launches that overlap is not "
				"modelled");
			break;
		}
		code = some == 1
			       ? run_once(e, space, job, launch, runs[i].repeat,
					 wishes, result, error)
			       : streams_execute(e, space, job, runs + i, some,
					 wishes, result, error);
	}
	if (!code)
		code = job_act(e, job, space, (uint32_t)job->launch_count,
			result, error);
	free(runs);
	return code;
}

static int check_after(
	const struct job *job, const struct costs *cost, struct error *error)
{
	size_t i;

	for (i = 0; i < job->launch_count; i++) {
		const struct job_launch *l = &job->launches[i];

		if (l->after != JOB_AFTER_PROGRAMMATIC)
			continue;
		if (cost->sm_arch < 90)
			return error_set(error, ERR_SKIPPED,
				"launch '%s' is after=programmatic; the "
				"model's "
				"machine has compute capability %u.%u, which "
				"has no such launches",
				job_launch_name(l), cost->sm_arch / 10u,
				cost->sm_arch % 10u);
		if (job->modules[l->module].is_trace)
			return error_set(error, ERR_USAGE,
				"launch '%s' is after=programmatic, which is "
				"not modelled of a trace",
				job_launch_name(l));
	}
	return 0;
}

int job_execute(struct engine *e, struct space *space, const struct job *job,
	uint32_t seed, const struct job_wishes *wished,
	struct job_result *result, struct error *error)
{
	struct program *p = calloc(1, sizeof(*p));
	struct job_wishes wishes = *wished;
	struct needs needs;
	int code = p ? check_after(job, &e->core.cost, error)
		     : error_set(error, ERR_FAILED, "out of memory");

	e->stopped = false;
	engine_cold(e);
	if (!code)
		code = ready_job(job, space->modules, space->variables,
			e->core.cost.sm_arch, false, error);
	if (!code)
		code = job_place(e, job, space, seed, p, error);
	/* What a copy moves may decide elsewhere. */
	if (job_has_step(job, STEP_COPY))
		result->all_values = wishes.values == JOB_VALUES_NONE;
	else if (!code && wishes.values == JOB_VALUES_NONE)
		code = needed_find(space, job, &wishes, &needs,
			&result->all_values, error);
	if (result->all_values)
		wishes.values = JOB_VALUES_IEEE;
	result->clock_hz = e->core.cost.clock_hz;
	if (!code)
		code = run_all(e, space, job, &wishes, result, error);
	if (!code && wishes.contents)
		code = give_contents(space, job, result, error);
	free(p);
	return code;
}

int engine_run_job(struct engine *e, const struct job *job,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error)
{
	struct space space;
	int code = space_make(&space, job, error);

	if (!code)
		code = job_execute(
			e, &space, job, JOB_SEED, wishes, result, error);
	result->printed = space.printed.text;
	result->printed_bytes = space.printed.bytes;
	result->printed_more = space.printed.is_full;
	space.printed.text = NULL;
	space_free(&space);
	return code;
}
