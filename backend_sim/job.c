/* A job on the model: its memory, then launch after launch. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/blamed.h"
#include "backend_sim/core/books.h"
#include "backend_sim/engine.h"
#include "backend_sim/grid/grid.h"
#include "backend_sim/grid/ready.h"
#include "backend_sim/core/stale.h"
#include "backend_sim/traced.h"
#include "backend_sim/core/unused.h"

/* All of a job's memory is one buffer of a program without instructions, so
   that pages, homes and channels are given as for any other. */
static int place(struct engine *e, const struct job *job,
	const struct space *space, struct program *p, struct error *error)
{
	program_init(p, "job", 1);
	program_buffer(p, &(struct buffer){.name = "memory",
				  .bytes = space->size ? space->size : 1,
				  .rings = 1});
	program_launch(p, "kernel");
	dram_place_buffers(&e->dram, p);
	if (translation_place(&e->translation, p) >= 0)
		return error_set(error, ERR_SKIPPED,
			"the buffers of job '%s' do not fit in the machine's "
			"memory",
			job->name);
	e->execution.p = p;
	e->execution.step = &p->steps[0];
	return 0;
}

static void count(const struct counts *before, const struct counts *after,
	const struct grid *g, struct job_launch_result *r)
{
	r->counter_count = 0;
#define COUNTER(field, called, ...)                                            \
	r->counters[r->counter_count++] = (struct counter){                    \
		called, (double)(after->field - before->field)};
#include "harness/contract/counters.def"
	r->counters[r->counter_count++] =
		(struct counter){COUNTER_EXECUTED, (double)g->executed};
}

/* What a kernel stored can arrive while the chip is about its end. One that has
   been beyond its SMs ends with a fence. */
static uint64_t cycles_of(const struct engine *e, const struct grid *g,
	const struct counts *before)
{
	const struct costs *cost = &e->core.cost;
	uint64_t last = g->last_cycle;

	if (g->seen_cycle > last + cost->kernel_end_cycles)
		last = g->seen_cycle - cost->kernel_end_cycles;
	if (e->core.counts.requests > before->requests)
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

static int report(struct engine *e, struct grid *g, uint32_t repeat,
	const struct counts *before, const struct job *job,
	struct job_result *result, struct error *error)
{
	struct job_launch_result *r = job_result_add(result);

	if (!r)
		return error_set(error, ERR_FAILED, "out of memory");
	r->launch = (uint32_t)(g->launch - job->launches);
	r->repeat = repeat;
	r->cycles = (double)cycles_of(e, g, before);
	r->ns = r->cycles / e->core.cost.clock_hz * 1e9;
	r->registers = g->registers;
	r->registers_estimated = g->registers_estimated;
	r->blocks_per_sm = g->blocks_per_sm;
	r->assumed = g->assumed;
	count(before, &e->core.counts, g, r);
	if (!g->profile)
		return 0;
	books_end(e->core.books);
	blamed_lines(g, &e->core.books->blame);
	if (profile_collect(g, &e->execution, error) ||
		servers_collect(
			e, span_of(e, g, r->cycles), g->profile, error) ||
		blamed_collect(g, &e->core.books->blame, error))
		return ERR_FAILED;
	r->profile = g->profile;
	g->profile = NULL;
	return 0;
}

/* Once, from its first block until all that it sent has arrived. */
static int execute(struct engine *e, struct grid *g, struct error *error)
{
	const char *entry = g->launch->entry;
	char standing[STANDING_BYTES];

	fetch_reset(&e->core.fetches);
	engine_events(e);
	if (e->stopped)
		return error_set(error, ERR_INTERRUPTED,
			"interrupted in kernel '%s'", entry);
	if (e->core.too_long)
		return error_set(error, ERR_FAILED,
			"kernel '%s' takes more than 2^52 cycles, which the "
			"model does not count",
			entry);
	if (e->core.failed && *error->text)
		return ERR_FAILED;
	if (e->core.failed || e->core.calendar.failed)
		return error_set(error, ERR_FAILED,
			"the model ran out of requests or memory in kernel "
			"'%s'",
			entry);
	if (e->execution.live) {
		stand_words(&e->execution, standing, sizeof(standing));
		return error_set(error, ERR_FAILED,
			"kernel '%s' never ends: its warps wait for what "
			"cannot come: %s",
			entry, standing);
	}
	if (!engine_is_settled(e))
		return error_set(error, ERR_FAILED,
			"the model lost a request in kernel '%s'", entry);
	return 0;
}

static bool is_same_kernel(
	const struct job_launch *a, const struct job_launch *b)
{
	return a->module == b->module && !strcmp(a->entry, b->entry);
}

/* Another kernel's instructions take the place of those that SMs have. */
static enum finds finds_of(const struct engine *e, const struct job *job,
	const struct job_launch *launch, int64_t repeat)
{
	if (launch->flush || !core_now(&e->core))
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
	static const struct step flush = {.kind = STEP_FLUSH};
	const struct counts before = e->core.counts;
	struct traced traced = {0};
	struct books books;
	struct grid g = {0};
	int code = 0;

	if (launch->flush)
		step_act(e, &flush);
	error->text[0] = 0;
	if (wishes->timeline && repeat >= 0)
		code = traced_kernel(e, &traced, wishes->timeline, error);
	else if (wishes->profile)
		servers_open(e, &books);
	if (!code)
		code = grid_start(&g, &e->execution, space, job, launch, wishes,
			finds_of(e, job, launch, repeat), error);
	if (!code && e->core.lives)
		lives_begin(e->core.lives, launch->entry,
			(uint32_t)(launch - job->launches),
			(double)g.first_cycle);
	if (!code)
		code = execute(e, &g, error);
	if (e->core.lives)
		lives_over(e->core.lives, (double)core_now(&e->core));
	if (!code && repeat >= 0)
		code = report(
			e, &g, (uint32_t)repeat, &before, job, result, error);
	traced_end(e, &traced);
	servers_close(e);
	grid_end(&g);
	e->core.notes = NULL;
	stale_free(e->core.stale);
	e->core.stale = NULL;
	unused_free(e->core.unused);
	e->core.unused = NULL;
	e->execution.grid = NULL;
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
			space->bytes + space->addresses[i] - SPACE_BASE,
			job->buffers[i].bytes);
	return 0;
}

int engine_run_job(struct engine *e, const struct job *job,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error)
{
	struct program *p = calloc(1, sizeof(*p));
	struct space space;
	int code = space_make(&space, job, error);
	int64_t k;
	size_t i;

	if (!p && !code)
		code = error_set(error, ERR_FAILED, "out of memory");
	e->stopped = false;
	engine_cold(e);
	if (!code)
		code = ready_job(job, space.modules, space.variables,
			e->core.cost.sm_arch, false, error);
	if (!code)
		code = place(e, job, &space, p, error);
	result->clock_hz = e->core.cost.clock_hz;
	for (i = 0; !code && i < job->launch_count; i++) {
		const struct job_launch *launch = &job->launches[i];

		for (k = -(int64_t)launch->warmups;
			!code && k < (int64_t)launch->repeats; k++)
			code = run_once(e, &space, job, launch, k, wishes,
				result, error);
	}
	if (!code && wishes->contents)
		code = give_contents(&space, job, result, error);
	result->printed = space.printed.text;
	result->printed_bytes = space.printed.bytes;
	result->printed_more = space.printed.is_full;
	space.printed.text = NULL;
	e->execution.p = NULL;
	free(p);
	space_free(&space);
	return code;
}
