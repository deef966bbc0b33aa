#include <stdlib.h>
#include <string.h>

#include "backend_cuda/prepare.h"
#include "backend_cuda/run.h"
#include "backend_cuda/steps.h"
#include "harness/lower/samples.h"

/* The steps under way: what later steps inherit from earlier ones. */
struct course {
	struct backend *b;
	struct cuda_prepared prepared;
	struct cuda_access_policy_window window; /* num_bytes 0: none */
	struct copied copied;                    /* of the last copies */
};

static int do_launch(struct course *c, uint32_t index, struct error *error)
{
	struct cuda_launch *launch = &c->prepared.steps[index].launch;

	launch->window = c->window.num_bytes ? &c->window : NULL;
	return cuda_launch(c->b, launch, error);
}

static int do_action(struct course *c, uint32_t index, struct error *error)
{
	return cuda_step_act(c->b, &c->prepared.program->steps[index],
		&c->prepared.flush, error);
}

static int do_window(struct course *c, uint32_t index, struct error *error)
{
	const struct step *step = &c->prepared.program->steps[index];

	return cuda_step_window(c->b, step, c->prepared.buffers[step->buffer],
		&c->window, error);
}

/* All copies that follow the first. */
static int do_copy(struct course *c, uint32_t first, struct error *error)
{
	const struct program *p = c->prepared.program;
	struct cuda_copy copies[PROGRAM_STEPS_MAX];
	uint32_t count = 0;

	/* It went with those before it. */
	if (first && p->steps[first - 1].kind == STEP_COPY)
		return 0;
	for (; first + count < p->step_count &&
		p->steps[first + count].kind == STEP_COPY;
		count++) {
		const struct step *step = &p->steps[first + count];

		copies[count] =
			(struct cuda_copy){c->prepared.buffers[step->buffer],
				c->prepared.buffers[step->target], step->bytes};
	}
	return cuda_step_copies(c->b, copies, count, &c->copied, error);
}

static int perform_steps(struct course *c, struct error *error)
{
	static int (*const perform[STEP_COUNT])(
		struct course * c, uint32_t index, struct error * error) = {
		[STEP_LAUNCH] = do_launch,
		[STEP_FLUSH] = do_action,
		[STEP_RESET] = do_action,
		[STEP_GRANULARITY] = do_action,
		[STEP_CARVEOUT] = do_action,
		[STEP_WINDOW] = do_window,
		[STEP_COPY] = do_copy,
	};
	const struct program *p = c->prepared.program;
	uint32_t i;
	int code = cuda_flush(c->b, &c->prepared.flush, error);

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
	restored = cuda_limits_restore(b, has_step(program, STEP_GRANULARITY),
		has_step(program, STEP_CARVEOUT), code ? NULL : error);
	if (!code)
		code = restored;
	if (!code)
		code = read_back(&course, result, error);
	result->copied = course.copied;
	cuda_prepared_free(&course.prepared);
out:
	cuda_memory_give_back(b);
	return code;
}
