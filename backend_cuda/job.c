#include <stdlib.h>

#include "backend_cuda/flush.h"
#include "backend_cuda/job.h"
#include "backend_cuda/job_launch.h"
#include "backend_cuda/job_memory.h"
#include "backend_cuda/steps.h"
#include "harness/kernel/steps.h"

#define ARENA_BYTES 512

/* What a job needs on the device. A module is loaded anew in each run, for
   its variables keep what earlier launches wrote. */
struct course {
	struct backend *b;
	const struct job *job;
	struct cuda_block *blocks; /* the buffers */
	uint64_t *addresses;       /* of them */
	struct cuda_job_maps maps;
	CUmodule *modules;
	struct cuda_job_launch *launches;
	struct cuda_launch flush;
	CUevent begin, end;
};

static int prepare_host(struct course *c, struct error *error)
{
	const struct job *job = c->job;

	c->addresses = calloc(job->buffer_count + 1, sizeof(*c->addresses));
	c->blocks = calloc(job->buffer_count + 1, sizeof(*c->blocks));
	c->modules = calloc(job->module_count, sizeof(*c->modules));
	c->launches = calloc(job->launch_count, sizeof(*c->launches));
	return c->addresses && c->blocks && c->modules && c->launches
		       ? 0
		       : error_set(error, ERR_FAILED, "no memory for job '%s'",
				 job->name);
}

static int prepare_launches(struct course *c, struct error *error)
{
	const struct job *job = c->job;
	const struct job_places places = {.buffers = c->addresses,
		.maps = c->maps.addresses,
		.map_bytes = c->maps.bytes};
	size_t i;
	int code = 0;

	for (i = 0; !code && i < job->module_count; i++) {
		if (job->modules[i].is_trace)
			return error_set(error, ERR_USAGE,
				"%s: a trace is replayed by the model alone",
				job->modules[i].path);
		code = cuda_module_compile(
			c->b, job->modules[i].text, &c->modules[i], error);
		if (code)
			error_prefix(error, code, "%s: ", job->modules[i].path);
	}
	for (i = 0; !code && i < job->launch_count; i++)
		code = cuda_job_launch_prepare(c->b,
			c->modules[job->launches[i].module], job, (uint32_t)i,
			&places, &c->launches[i], error);
	return code;
}

static int prepare_flush(struct course *c, struct error *error)
{
	CUdeviceptr arena;
	int code = cuda_memory_take(
		c->b, CUDA_USE_ARENA, MEMORY_PLAIN, ARENA_BYTES, &arena, error);

	return code ? code : cuda_flush_prepare(c->b, arena, &c->flush, error);
}

static int prepare(struct course *c, struct error *error)
{
	int code = prepare_host(c, error);

	if (!code)
		code = cuda_job_memory(
			c->b, c->job, c->blocks, c->addresses, error);
	if (!code)
		code = cuda_job_maps_make(
			c->b, c->job, c->addresses, &c->maps, error);
	if (!code)
		code = prepare_launches(c, error);
	if (!code)
		code = prepare_flush(c, error);
	if (!code)
		code = CUDA_CALL(c->b, error, cuEventCreate, &c->begin, 0);
	if (!code)
		code = CUDA_CALL(c->b, error, cuEventCreate, &c->end, 0);
	return code ? code : cuda_launch_wait(c->b, "the preparation", error);
}

/* A lost context frees everything with it. */
static void release(struct course *c)
{
	const struct driver *d = &c->b->driver;
	size_t i;

	for (i = 0; c->launches && i < c->job->launch_count; i++)
		cuda_job_launch_free(&c->launches[i]);
	if (c->blocks)
		cuda_job_memory_free(c->b, c->job, c->blocks);
	cuda_job_maps_free(c->b, &c->maps);
	for (i = 0; c->modules && !c->b->lost && i < c->job->module_count; i++)
		if (c->modules[i])
			d->cuModuleUnload(c->modules[i]);
	if (c->begin && !c->b->lost)
		d->cuEventDestroy(c->begin);
	if (c->end && !c->b->lost)
		d->cuEventDestroy(c->end);
	cuda_memory_give_back(c->b);
	free(c->launches);
	free(c->addresses);
	free(c->blocks);
	free(c->modules);
}

static int report(struct course *c, const struct job_run *run, double ns,
	struct job_result *result, struct error *error)
{
	const struct cuda_job_launch *launch = &c->launches[run->launch];
	const double nvml_hz = nvml_sm_clock_hz(&c->b->nvml);
	struct job_launch_result *l = job_result_add(result);

	if (!l)
		return error_set(error, ERR_FAILED,
			"no memory for the result of job '%s'", c->job->name);
	result->clock_hz = nvml_hz > 0 ? nvml_hz : c->b->device.clock_hz;
	l->launch = run->launch;
	l->repeat = (uint32_t)run->repeat;
	l->ns = ns;
	l->cycles = l->ns * 1e-9 * result->clock_hz;
	l->registers = (uint32_t)launch->registers;
	l->blocks_per_sm = (uint32_t)launch->blocks_per_sm;
	return 0;
}

/* Between two events, and until it has ended. */
static int run_alone(struct course *c, const struct cuda_job_launch *launch,
	double *ns, struct error *error)
{
	float ms = 0;
	int code = CUDA_CALL(c->b, error, cuEventRecord, c->begin, NULL);

	if (!code)
		code = cuda_job_launch_start(c->b, launch, NULL, false, error);
	if (!code)
		code = CUDA_CALL(c->b, error, cuEventRecord, c->end, NULL);
	if (!code)
		code = cuda_launch_wait(c->b, launch->name, error);
	if (!code)
		code = CUDA_CALL(
			c->b, error, cuEventElapsedTime, &ms, c->begin, c->end);
	*ns = (double)ms * 1e6;
	return code;
}

/* Some runs go together. */
static int run_some(struct course *c, const struct job_run *runs, size_t count,
	struct job_result *result, struct error *error)
{
	double *ns = calloc(count, sizeof(*ns));
	size_t i;
	int code = ns ? 0 : error_set(error, ERR_FAILED, "out of memory");

	if (!code && c->job->launches[runs->launch].flush)
		code = cuda_flush(c->b, &c->flush, error);
	if (!code)
		code = count == 1 ? run_alone(c, &c->launches[runs->launch], ns,
					    error)
				  : cuda_job_streams(c->b, c->job, c->launches,
					    runs, count, ns, error);
	for (i = 0; !code && i < count; i++)
		if (runs[i].repeat >= 0)
			code = report(c, &runs[i], ns[i], result, error);
	free(ns);
	return code;
}

/* ---- host actions ---- */

static int copy(struct course *c, size_t first, struct job_result *result,
	struct error *error)
{
	const size_t count = job_copies_together(c->job, first);
	struct cuda_copy *copies = calloc(count, sizeof(*copies));
	size_t i;
	int code = copies ? 0 : error_set(error, ERR_FAILED, "out of memory");

	for (i = 0; !code && i < count; i++) {
		const struct step *step = &c->job->steps[first + i].step;

		copies[i] = (struct cuda_copy){c->addresses[step->buffer],
			c->addresses[step->target], step->bytes};
	}
	if (!code)
		code = cuda_step_copies(
			c->b, copies, count, &result->copied, error);
	free(copies);
	return code;
}

/* Those before a launch, or behind all of them. */
static int act(struct course *c, uint32_t launch, struct job_result *result,
	struct error *error)
{
	const struct job *job = c->job;
	size_t i;
	int code = 0;

	job_steps_before(job, launch, &i);
	for (; !code && i < job->step_count && job->steps[i].before == launch;
		i++) {
		const struct step *step = &job->steps[i].step;

		if (step->kind != STEP_COPY) {
			code = cuda_step_act(c->b, step, &c->flush, error);
			continue;
		}
		code = copy(c, i, result, error);
		i += job_copies_together(job, i) - 1;
	}
	return code;
}

static int launch_all(
	struct course *c, struct job_result *result, struct error *error)
{
	struct job_run *runs = NULL;
	size_t count = 0, i, some;
	int code = job_list_runs(c->job, &runs, &count, error);

	if (!code)
		code = cuda_flush(c->b, &c->flush, error);
	for (i = 0; !code && i < count; i += some) {
		some = job_runs_together(c->job, runs + i, count - i);
		if (job_run_is_first(c->job, &runs[i]))
			code = act(c, runs[i].launch, result, error);
		if (!code)
			code = run_some(c, runs + i, some, result, error);
	}
	if (!code)
		code = act(c, (uint32_t)c->job->launch_count, result, error);
	free(runs);
	return code;
}

int cuda_job(struct backend *b, const struct job *job,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error)
{
	struct course course = {.b = b, .job = job};
	int code = prepare(&course, error), restored;

	if (!code)
		code = launch_all(&course, result, error);
	restored = cuda_limits_restore(b, job_has_step(job, STEP_GRANULARITY),
		job_has_step(job, STEP_CARVEOUT), code ? NULL : error);
	if (!code)
		code = restored;
	if (!code && wishes->contents)
		code = cuda_job_contents(b, job, course.blocks, result, error);
	release(&course);
	return code;
}
