/* Runs of launches that overlap, from the first to the last. */
#include "backend_sim/streams.h"

#include <stdlib.h>

#include "backend_sim/core/memory.h"
#include "backend_sim/core/stale.h"
#include "backend_sim/grid/room.h"
#include "backend_sim/sm/residency.h"
#include "backend_sim/rules/constants.h"

static int add_run(struct streams *s, const struct job_launch *launch,
	int64_t repeat, uint32_t last[JOB_STREAMS_MAX])
{
	struct run *run = &s->runs[s->run_count];

	*run = (struct run){.launch = launch,
		.repeat = repeat,
		.before = last[launch->stream],
		.next = NO_RUN,
		.result = SIZE_MAX};
	if (run->before != NO_RUN)
		s->runs[run->before].next = s->run_count;
	if (run->before != NO_RUN)
		run->turn = s->runs[run->before].turn + 1;
	last[launch->stream] = s->run_count++;
	if (repeat < 0)
		return 0;
	if (!job_result_add(s->result))
		return error_set(s->error, ERR_FAILED, "out of memory");
	run->result = s->result->launch_count - 1;
	s->result->launches[run->result].launch =
		(uint32_t)(launch - s->job->launches);
	return 0;
}

static int add_runs(struct streams *s, const struct job_run *from, size_t count)
{
	uint32_t last[JOB_STREAMS_MAX];
	size_t i;
	int code = 0;

	for (i = 0; i < JOB_STREAMS_MAX; i++)
		last[i] = NO_RUN;
	s->runs = calloc(count, sizeof(*s->runs));
	if (!s->runs)
		return error_set(s->error, ERR_FAILED, "out of memory");
	for (i = 0; !code && i < count; i++)
		code = add_run(s, &s->job->launches[from[i].launch],
			from[i].repeat, last);
	return code;
}

/* Events: each resident warp has one, and naps that ended early. */
#define EVENTS_A_WARP 4u

static int make(struct streams *s)
{
	struct engine *e = s->e;
	const struct costs *cost = &e->core.cost;
	const uint32_t warps = cost->sm_count * cost->warps_per_sm;

	s->sms = calloc(cost->sm_count, sizeof(*s->sms));
	s->uses = calloc(cost->sm_count, sizeof(*s->uses));
	s->taken = calloc(cost->sm_count, sizeof(*s->taken));
	if (!s->sms || !s->uses || !s->taken ||
		calendar_reserve(&e->core.calendar,
			e->core.request_count + EVENTS_A_WARP * warps +
				s->run_count))
		return error_set(s->error, ERR_FAILED, "out of memory");
	if (s->wishes->profile) {
		e->core.notes = memory_zeros(
			e->core.request_count, sizeof(*e->core.notes));
		if (!e->core.notes)
			return error_set(s->error, ERR_FAILED, "out of memory");
	}
	launch_clear(
		&e->execution, residency_l1_lines_beside(&e->execution, 0));
	fetch_reset(&e->core.fetches);
	return 0;
}

static void call_first(struct streams *s)
{
	uint64_t cycle = core_now(&s->e->core) + 1;
	uint32_t i;

	for (i = 0; i < s->run_count; i++)
		if (s->runs[i].before == NO_RUN) {
			streams_call(s, i, cycle);
			cycle += LAUNCH_CALL_CYCLES;
		}
}

static int fault(struct streams *s)
{
	struct execution *x = &s->e->execution;
	const struct run *run = &s->runs[s->last];
	uint32_t i;

	for (i = 0; i < s->run_count; i++)
		if (s->runs[i].state != RUN_OVER) {
			run = &s->runs[i];
			break;
		}
	for (i = 0; x->live && i < s->alive_count; i++)
		if (s->runs[s->alive[i]].ended <
			s->runs[s->alive[i]].grid.block_count) {
			run = &s->runs[s->alive[i]];
			break;
		}
	if (run->state == RUN_ALIVE)
		x->grid = (struct grid *)(uintptr_t)&run->grid;
	if (s->code)
		return s->code;
	return job_fault(s->e, run->launch, s->error);
}

static void release(struct streams *s)
{
	struct core *core = &s->e->core;

	while (s->alive_count) {
		s->draining++;
		streams_free_run(s, &s->runs[s->alive[0]]);
	}
	streams_check_end(s);
	free(s->runs);
	free(s->sms);
	free(s->uses);
	free(s->taken);
	free(core->notes);
	core->notes = NULL;
	stale_free(core->stale);
	core->stale = NULL;
	s->e->execution.streams = NULL;
	s->e->execution.grid = NULL;
	s->e->execution.window = NULL;
}

int streams_execute(struct engine *e, struct space *space,
	const struct job *job, const struct job_run *runs, size_t count,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error)
{
	struct streams s = {.e = e,
		.space = space,
		.job = job,
		.wishes = wishes,
		.result = result,
		.error = error,
		.is_cold = !core_now(&e->core),
		.since = e->core.counts};
	uint32_t i;
	int code;

	error->text[0] = 0;
	code = add_runs(&s, runs, count);
	if (!code)
		code = make(&s);
	if (!code) {
		e->execution.streams = &s;
		call_first(&s);
		engine_events(e);
		code = fault(&s);
	}
	if (!code)
		streams_keep_counts(&s);
	for (i = 0; !code && i < s.run_count; i++)
		if (s.runs[i].result != SIZE_MAX)
			job_count(&s.runs[i].counts, s.runs[i].executed,
				&result->launches[s.runs[i].result]);
	release(&s);
	return code;
}
