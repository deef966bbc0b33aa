#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/address.h"
#include "harness/program/launch.h"
#include "backend_cuda/prepare.h"

#define ARENA_ALIGNMENT 512u

static uint64_t align(uint64_t offset)
{
	return (offset + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT *
	       ARENA_ALIGNMENT;
}

static int fill_by_kernel(struct backend *b,
	const struct cuda_prepared *prepared, uint32_t index,
	struct error *error)
{
	const struct program *p = prepared->program;
	char name[CUDA_LAUNCH_NAME_BYTES];
	struct ptx_kernel kernel = {.text = NULL};
	struct cuda_launch launch;
	CUfunction function;
	int code;

	code = ptx_fill(p, index, &b->device, &kernel, error);
	if (code)
		return code;
	code = cuda_module_load(b, kernel.text, &function, error);
	if (code)
		goto out;
	snprintf(
		name, sizeof(name), "the fill of '%s'", p->buffers[index].name);
	launch = cuda_launch_of(&kernel, function, name);
	launch.parameters[CUDA_PARAMETER_BUFFER] = prepared->buffers[index];
	launch.parameters[CUDA_PARAMETER_BUFFER + 1] =
		prepared->buffers[program_ring_next(p, index)];
	code = cuda_launch(b, &launch, error);
out:
	ptx_kernel_free(&kernel);
	return code;
}

static int fill(struct backend *b, const struct cuda_prepared *prepared,
	uint32_t index, struct error *error)
{
	const struct buffer *buffer = &prepared->program->buffers[index];

	if (buffer->fill == FILL_ZERO)
		return cuda_memory_zero(b, CUDA_USE_BUFFER + index,
			prepared->places[index], buffer->bytes, error);
	return fill_by_kernel(b, prepared, index, error);
}

/* All of them are there before the first is filled: one may point to another.
 */
static int prepare_buffers(
	struct backend *b, struct cuda_prepared *prepared, struct error *error)
{
	const struct program *p = prepared->program;
	uint32_t i;
	int code = 0;

	for (i = 0; !code && i < p->buffer_count; i++) {
		code = cuda_peer_place(b, p->buffers[i].name,
			p->buffers[i].memory, p->buffers[i].peer,
			&prepared->places[i], error);
		if (!code)
			code = cuda_memory_take(b, CUDA_USE_BUFFER + i,
				prepared->places[i], p->buffers[i].bytes,
				&prepared->buffers[i], error);
	}
	for (i = 0; !code && i < p->buffer_count; i++)
		code = fill(b, prepared, i, error);
	return code;
}

/* The arena's address is not known yet: parameters hold offsets. */
static int prepare_launch(struct backend *b, struct cuda_prepared *prepared,
	uint32_t index, struct error *error)
{
	const struct program *p = prepared->program;
	struct cuda_step *s = &prepared->steps[index];
	uint64_t offset = prepared->arena_bytes;
	CUfunction function;
	uint32_t i;
	int code;

	code = ptx_launch(p, index, NULL, &b->device, &s->kernel, error);
	if (!code)
		code = cuda_module_load(b, s->kernel.text, &function, error);
	if (code)
		return code;
	snprintf(s->name, sizeof(s->name), "launch '%s'", p->steps[index].name);
	s->launch = cuda_launch_of(&s->kernel, function, s->name);
	s->launch.parameters[CUDA_PARAMETER_CONTROL] = offset;
	s->output_offset = align(offset + PTX_CONTROL_BYTES);
	s->launch.parameters[CUDA_PARAMETER_OUTPUT] = s->output_offset;
	offset = align(s->output_offset + s->kernel.output_bytes);
	s->launch.parameters[CUDA_PARAMETER_TABLE] = offset;
	offset += b->device.sm_count * sizeof(struct launch_slot);
	for (i = 0; i < p->buffer_count; i++)
		s->launch.parameters[CUDA_PARAMETER_BUFFER + i] =
			prepared->buffers[i];
	prepared->arena_bytes = align(offset);
	return cuda_launch_configure(b, &s->launch, error);
}

static int upload_table(struct backend *b, struct cuda_prepared *prepared,
	uint32_t index, struct error *error)
{
	size_t bytes = b->device.sm_count * sizeof(struct launch_slot);
	struct launch_slot *slots = calloc(1, bytes);
	struct cuda_launch *launch = &prepared->steps[index].launch;
	int i, code;

	if (!slots)
		return error_set(error, ERR_FAILED,
			"no memory for the SM table of program '%s'",
			prepared->program->name);
	for (i = 0; i < CUDA_PARAMETER_OPAQUE; i++)
		launch->parameters[i] += prepared->arena;
	launch_slots(prepared->program, &prepared->program->steps[index],
		b->device.sm_count, slots);
	code = CUDA_CALL(b, error, cuMemcpyHtoD,
		launch->parameters[CUDA_PARAMETER_TABLE], slots, bytes);
	free(slots);
	return code;
}

static int prepare_arena(
	struct backend *b, struct cuda_prepared *prepared, struct error *error)
{
	const struct program *p = prepared->program;
	uint32_t i;
	int code;

	code = cuda_memory_take(b, CUDA_USE_ARENA, MEMORY_PLAIN,
		prepared->arena_bytes, &prepared->arena, error);
	if (!code)
		code = CUDA_CALL(b, error, cuMemsetD8, prepared->arena, 0,
			prepared->arena_bytes);
	for (i = 0; !code && i < p->step_count; i++)
		if (p->steps[i].kind == STEP_LAUNCH)
			code = upload_table(b, prepared, i, error);
	return code;
}

int cuda_prepare(struct backend *b, const struct program *program,
	struct cuda_prepared *prepared, struct error *error)
{
	uint32_t i;
	int code;

	memset(prepared, 0, sizeof(*prepared));
	prepared->program = program;
	prepared->arena_bytes = ARENA_ALIGNMENT;
	code = prepare_buffers(b, prepared, error);
	for (i = 0; !code && i < program->step_count; i++)
		if (program->steps[i].kind == STEP_LAUNCH)
			code = prepare_launch(b, prepared, i, error);
	if (!code)
		code = prepare_arena(b, prepared, error);
	/* The first bytes of the arena are the flush kernel's output. */
	if (!code)
		code = cuda_flush_prepare(
			b, prepared->arena, &prepared->flush, error);
	if (!code)
		code = cuda_launch_wait(b, "the preparation", error);
	if (code)
		cuda_prepared_free(prepared);
	return code;
}

void cuda_prepared_free(struct cuda_prepared *prepared)
{
	uint32_t i;

	for (i = 0; i < PROGRAM_STEPS_MAX; i++)
		ptx_kernel_free(&prepared->steps[i].kernel);
}
