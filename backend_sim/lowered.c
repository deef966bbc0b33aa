/* A program as the kernels that a GPU runs for it. */
#include <stdlib.h>

#include "backend_sim/engine.h"
#include "backend_sim/space/space.h"
#include "harness/program/launch.h"
#include "harness/lower/program_job.h"
#include "harness/lower/samples.h"
#include "harness/program/legality/legality.h"

#define WARPS_MAX (1u << 22) /* of a launch of a program */

/* What space.kept, space.idle and space.turns point to. */
struct told {
	uint64_t turns[PROGRAM_JOB_LAUNCHES];
	uint32_t kept[PROGRAM_BUFFERS_MAX + PROGRAM_JOB_LAUNCHES];
	struct space_lines idle[PROGRAM_JOB_LAUNCHES];
};

/* Records are read, and links may lead from a ring to another one. A launch has
   a module of its own. */
static void tell(struct space *space, const struct program *p,
	const struct program_job *m, struct told *told)
{
	uint32_t i;

	for (i = 0; i < p->buffer_count; i++)
		if (p->buffers[i].fill == FILL_RING)
			told->kept[space->kept_count++] = i;
	for (i = 0; i < m->job.launch_count; i++) {
		told->kept[space->kept_count++] = m->outputs[i];
		told->turns[i] = m->kernels[i].turn_offset;
		if (told->turns[i])
			told->turns[i] +=
				space->addresses
					[m->launches[i].arguments[0].of];
		told->idle[i] = (struct space_lines){
			m->kernels[i].idle_lines, m->kernels[i].idle_count};
	}
	space->kept = told->kept;
	space->idle = told->idle;
	space->turns = told->turns;
}

static int check_warps(
	const struct program *p, uint32_t sm_count, struct error *error)
{
	uint32_t i, k;

	for (i = 0; i < p->step_count; i++) {
		const struct step *step = &p->steps[i];
		uint64_t warps = 0;

		for (k = 0; step->kind == STEP_LAUNCH && k < step->role_count;
			k++) {
			const struct role *role = launch_role(p, step, k);

			warps += (uint64_t)role_blocks(p, role, sm_count) *
				 role_warps(role);
		}
		if (warps > WARPS_MAX)
			return error_set(error, ERR_SKIPPED,
				"launch '%s' has more than %u warps",
				step->name, WARPS_MAX);
	}
	return 0;
}

/* ---- results ---- */

static void add(struct result *result, const char *name, double value)
{
	result->counters[result->counter_count++] =
		(struct counter){name, value};
}

static int read_back(const struct engine *e, const struct space *space,
	const struct program_job *m, const struct job_result *job,
	const struct program *p, struct result *result, struct error *error)
{
	struct samples_output outputs[PROGRAM_JOB_LAUNCHES];
	const size_t count = m->job.launch_count;
	size_t i;
	int code;

	for (i = 0; i < count; i++)
		outputs[i] = (struct samples_output){
			.kernel = &m->kernels[i],
			.bytes = space->bytes +
				 space->addresses[m->outputs[i]] - SPACE_BASE,
			.one_clock = true,
		};
	result->clock_hz = job->clock_hz;
	result->copied = job->copied;
	code = samples_check(p, e->core.cost.sm_count, outputs, count, error);
	if (!code)
		code = samples_collect(outputs, count, result, error);
	result->counter_count = 0;
#define COUNTER(field, called, ...)                                            \
	add(result, called, (double)e->core.counts.field);
#include "harness/contract/counters.def"
	if (job->launch_count) { /* of the last one, as backend_cuda does */
		const struct job_launch_result *last =
			&job->launches[job->launch_count - 1];

		add(result, COUNTER_REGISTERS, last->registers);
		add(result, COUNTER_BLOCKS, last->blocks_per_sm);
	}
	return code;
}

int lowered_run(struct engine *e, const struct program *p,
	const struct device *device, struct result *result, struct error *error)
{
	struct job_wishes wishes =
		result->wishes ? *result->wishes : (struct job_wishes){0};
	struct told told;
	struct space space = {0};
	struct job_result job = {0};
	struct program_job *m = NULL;
	int code;

	result_clear(result);
	/* No kernel of a program copies asynchronously, and of its values only
	   links, counts and clocks are looked at. */
	wishes.timeline = result->timeline;
	wishes.contents = wishes.races = false;
	wishes.values = JOB_VALUES_NONE;
	wishes.unchecked = true;
	code = program_fits(p, device, error);
	if (!code)
		code = check_warps(p, device->sm_count, error);
	if (!code)
		code = program_job_make(&m, p, result->places, device, error);
	if (!code)
		code = space_make(&space, &m->job, error);
	if (!code)
		tell(&space, p, m, &told);
	if (!code)
		code = job_execute(
			e, &space, &m->job, p->seed, &wishes, &job, error);
	if (!code)
		code = read_back(e, &space, m, &job, p, result, error);
	if (!code)
		result->launches = job;
	else
		job_result_free(&job);
	space_free(&space);
	program_job_free(m);
	return code;
}
