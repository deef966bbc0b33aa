#include <stdlib.h>
#include <string.h>

#include "backend_cuda/prepare.h"
#include "backend_cuda/run.h"
#include "harness/lower/samples.h"

/* The steps under way: what later steps inherit from earlier ones. */
struct course {
	struct backend *b;
	struct cuda_prepared prepared;
	struct cuda_access_policy_window window; /* num_bytes 0: none */
	double copied_bytes, copied_ns;          /* of the last copies */
};

static const unsigned int properties[PROPERTY_COUNT] = {
	[PROPERTY_NORMAL] = CU_ACCESS_PROPERTY_NORMAL,
	[PROPERTY_STREAMING] = CU_ACCESS_PROPERTY_STREAMING,
	[PROPERTY_PERSISTING] = CU_ACCESS_PROPERTY_PERSISTING,
};

static int set_limit(struct backend *b, unsigned int limit, uint64_t value,
	const char *what, struct error *error)
{
	cuda_result result = b->driver.cuCtxSetLimit(limit, (size_t)value);

	if (result == CUDA_ERROR_UNSUPPORTED_LIMIT)
		return error_set(
			error, ERR_SKIPPED, "the device has no %s", what);
	return driver_check(
		&b->driver, result, "cuCtxSetLimit", b->program, error);
}

static int do_launch(struct course *c, uint32_t index, struct error *error)
{
	struct cuda_launch *launch = &c->prepared.steps[index].launch;

	launch->window = c->window.num_bytes ? &c->window : NULL;
	return cuda_launch(c->b, launch, error);
}

static int do_reset(struct course *c, uint32_t index, struct error *error)
{
	(void)index;
	return cuda_reset(c->b, error);
}

static int do_flush(struct course *c, uint32_t index, struct error *error)
{
	(void)index;
	return cuda_flush(c->b, &c->prepared.flush, error);
}

static int do_granularity(struct course *c, uint32_t index, struct error *error)
{
	return set_limit(c->b, CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
		c->prepared.program->steps[index].bytes,
		"limit on L2 fetch granularity", error);
}

static int do_carveout(struct course *c, uint32_t index, struct error *error)
{
	uint64_t bytes = c->prepared.program->steps[index].bytes;

	if (bytes > c->b->device.persisting_bytes_max)
		return error_set(error, ERR_SKIPPED,
			"the device sets aside at most %llu B of L2 for "
			"persisting lines, not %llu B",
			(unsigned long long)c->b->device.persisting_bytes_max,
			(unsigned long long)bytes);
	return set_limit(c->b, CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes,
		"L2 carve-out for persisting lines", error);
}

static int do_window(struct course *c, uint32_t index, struct error *error)
{
	const struct step *step = &c->prepared.program->steps[index];

	if (step->bytes > c->b->attributes.window_bytes_max)
		return error_set(error, ERR_SKIPPED,
			"the device's access-policy window is at most %u B, "
			"not %llu B",
			c->b->attributes.window_bytes_max,
			(unsigned long long)step->bytes);
	c->window.base_ptr =
		(void *)(uintptr_t)(c->prepared.buffers[step->buffer] +
				    step->base_bytes);
	c->window.num_bytes = step->bytes;
	c->window.hitRatio = (float)step->hit_ratio;
	c->window.hitProp = properties[step->hit];
	c->window.missProp = properties[step->miss];
	return 0;
}

/* ---- copies ---- */

/* On blocking streams: what is recorded on the default stream before and after
   them begins and ends all of them. */
static int start_copies(struct course *c, uint32_t first, uint32_t count,
	CUstream streams[PROGRAM_STEPS_MAX], CUevent begin, CUevent end,
	struct error *error)
{
	const struct step *steps = &c->prepared.program->steps[first];
	const CUdeviceptr *buffers = c->prepared.buffers;
	uint32_t i;
	int code = CUDA_CALL(c->b, error, cuEventRecord, begin, NULL);

	for (i = 0; !code && i < count; i++)
		code = CUDA_CALL(c->b, error, cuMemcpyAsync,
			buffers[steps[i].target], buffers[steps[i].buffer],
			steps[i].bytes, streams[i]);
	if (!code)
		code = CUDA_CALL(c->b, error, cuEventRecord, end, NULL);
	return code;
}

static int time_copies(struct course *c, uint32_t first, uint32_t count,
	CUstream streams[PROGRAM_STEPS_MAX], CUevent events[2],
	struct error *error)
{
	float ms = 0;
	uint32_t i;
	int code = start_copies(
		c, first, count, streams, events[0], events[1], error);

	if (!code)
		code = cuda_launch_wait(c->b, "a copy", error);
	if (!code)
		code = CUDA_CALL(c->b, error, cuEventElapsedTime, &ms,
			events[0], events[1]);
	c->copied_bytes = 0;
	for (i = 0; i < count; i++)
		c->copied_bytes +=
			(double)c->prepared.program->steps[first + i].bytes;
	c->copied_ns = 1e6 * (double)ms;
	return code;
}

/* All copies that follow the first. */
static int do_copies(struct course *c, uint32_t first, struct error *error)
{
	const struct program *p = c->prepared.program;
	CUstream streams[PROGRAM_STEPS_MAX] = {NULL};
	CUevent events[2] = {NULL};
	uint32_t count = 0, i;
	int code = 0;

	while (first + count < p->step_count &&
		p->steps[first + count].kind == STEP_COPY)
		count++;
	for (i = 0; !code && i < count; i++)
		code = CUDA_CALL(c->b, error, cuStreamCreate, &streams[i], 0);
	for (i = 0; !code && i < 2; i++)
		code = CUDA_CALL(c->b, error, cuEventCreate, &events[i], 0);
	if (!code)
		code = time_copies(c, first, count, streams, events, error);
	/* A hung copy would be waited for. */
	for (i = 0; !c->b->hung && i < count; i++)
		if (streams[i])
			c->b->driver.cuStreamDestroy(streams[i]);
	for (i = 0; !c->b->hung && i < 2; i++)
		if (events[i])
			c->b->driver.cuEventDestroy(events[i]);
	return code;
}

static int do_copy(struct course *c, uint32_t index, struct error *error)
{
	const struct step *before = &c->prepared.program->steps[index];

	/* It went with those before it. */
	if (index && before[-1].kind == STEP_COPY)
		return 0;
	return do_copies(c, index, error);
}

static int perform_steps(struct course *c, struct error *error)
{
	static int (*const perform[STEP_COUNT])(
		struct course * c, uint32_t index, struct error * error) = {
		[STEP_LAUNCH] = do_launch,
		[STEP_FLUSH] = do_flush,
		[STEP_RESET] = do_reset,
		[STEP_GRANULARITY] = do_granularity,
		[STEP_CARVEOUT] = do_carveout,
		[STEP_WINDOW] = do_window,
		[STEP_COPY] = do_copy,
	};
	const struct program *p = c->prepared.program;
	uint32_t i;
	int code = do_flush(c, 0, error);

	for (i = 0; !code && i < p->step_count; i++)
		code = perform[p->steps[i].kind](c, i, error);
	return code;
}

static bool has_step(const struct program *p, enum step_kind kind)
{
	uint32_t i;

	for (i = 0; i < p->step_count; i++)
		if (p->steps[i].kind == kind)
			return true;
	return false;
}

static int restore_limit(struct backend *b, const struct program *p,
	enum step_kind kind, unsigned int limit, size_t value,
	struct error *error)
{
	cuda_result result;

	if (!has_step(p, kind))
		return 0;
	result = b->driver.cuCtxSetLimit(limit, value);
	if (!result || result == CUDA_ERROR_UNSUPPORTED_LIMIT)
		return 0;
	b->lost = true; /* of no use to programs that expect the limit */
	driver_check(&b->driver, result, "cuCtxSetLimit", b->program, error);
	return ERR_LOST;
}

/* The next program starts from the device's own limits. */
static int restore_limits(
	struct backend *b, const struct program *p, struct error *error)
{
	int code = 0;

	if (!b->lost)
		code = restore_limit(b, p, STEP_GRANULARITY,
			CU_LIMIT_MAX_L2_FETCH_GRANULARITY, b->granularity_bytes,
			error);
	if (!b->lost && !code)
		code = restore_limit(b, p, STEP_CARVEOUT,
			CU_LIMIT_PERSISTING_L2_CACHE_SIZE, b->carveout_bytes,
			error);
	return code;
}

static void note_clock(struct backend *b, double clock_hz)
{
	if (!b->clock_low_hz || clock_hz < b->clock_low_hz)
		b->clock_low_hz = clock_hz;
	if (clock_hz > b->clock_high_hz)
		b->clock_high_hz = clock_hz;
}

static void set_clock(struct backend *b, const struct samples_output *outputs,
	size_t count, struct result *result)
{
	double hz = samples_clock_hz(outputs, count);

	if (hz > 0) {
		note_clock(b, hz);
		result->clock_hz = hz;
		return;
	}
	hz = nvml_sm_clock_hz(&b->nvml);
	result->clock_hz = hz > 0 ? hz : b->device.clock_hz;
	if (count) /* what has no launch needs no clock of the SMs */
		result->disturbances |= DISTURBED_CLOCK_UNKNOWN;
}

/* Of the last launch, as the model does. */
static int count_launch(
	struct course *c, struct result *result, struct error *error)
{
	const struct program *p = c->prepared.program;
	const struct cuda_launch *launch = NULL;
	int registers, blocks, code;
	uint32_t i;

	for (i = 0; i < p->step_count; i++)
		if (p->steps[i].kind == STEP_LAUNCH)
			launch = &c->prepared.steps[i].launch;
	if (!launch)
		return 0;
	code = cuda_launch_occupancy(c->b, launch, &registers, &blocks, error);
	if (code)
		return code;
	result->counters[result->counter_count++] =
		(struct counter){COUNTER_REGISTERS, registers};
	result->counters[result->counter_count++] =
		(struct counter){COUNTER_BLOCKS, blocks};
	return 0;
}

/* The outputs lie in the arena, so one copy brings all of them. */
static int read_back(
	struct course *c, struct result *result, struct error *error)
{
	const struct cuda_prepared *prepared = &c->prepared;
	const struct program *p = prepared->program;
	struct samples_output outputs[PROGRAM_STEPS_MAX];
	unsigned char *bytes = malloc(prepared->arena_bytes);
	size_t count = 0;
	uint32_t i;
	int code;

	if (!bytes)
		return error_set(error, ERR_FAILED,
			"no memory for the output of program '%s'", p->name);
	code = CUDA_CALL(c->b, error, cuMemcpyDtoH, bytes, prepared->arena,
		prepared->arena_bytes);
	for (i = 0; i < p->step_count; i++)
		if (p->steps[i].kind == STEP_LAUNCH)
			outputs[count++] = (struct samples_output){
				&prepared->steps[i].kernel,
				bytes + prepared->steps[i].output_offset};
	if (!code)
		code = samples_check(
			p, c->b->device.sm_count, outputs, count, error);
	if (!code) {
		set_clock(c->b, outputs, count, result);
		code = samples_collect(outputs, count, result, error);
		samples_timeline(p, outputs, count, result);
	}
	if (!code)
		code = count_launch(c, result, error);
	free(bytes);
	return code;
}

int cuda_run(struct backend *b, const struct program *program,
	struct result *result, struct error *error)
{
	struct course course = {.b = b};
	int code, restored;

	code = cuda_prepare(b, program, &course.prepared, error);
	if (code)
		goto out;
	code = perform_steps(&course, error);
	result->disturbances = nvml_disturbances(&b->nvml);
	restored = restore_limits(b, program, code ? NULL : error);
	if (!code)
		code = restored;
	if (!code)
		code = read_back(&course, result, error);
	result->copied.bytes = course.copied_bytes;
	result->copied.ns = course.copied_ns;
	cuda_prepared_free(&course.prepared);
out:
	cuda_memory_give_back(b);
	return code;
}
