#include "backend_sim/job_steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CUDA: windows and compressible memory came with compute capability 8.0. */
#define L2_CONTROLS_SM 80

/* ---- memory ---- */

/* Where the program's buffers for compressible memory begin: one for each
   multiple of four bytes that a sector begins with, before it has zeros. */
#define COMPRESSIBLE_FIRST 1u
#define COMPRESSIBLE_BYTES 4u
#define COMPRESSIBLE_COUNT (PROGRAM_BUFFERS_MAX - COMPRESSIBLE_FIRST)

static bool has_memory(const struct job *job, enum memory_kind memory)
{
	size_t i;

	for (i = 0; i < job->buffer_count; i++)
		if (job->buffers[i].memory == memory)
			return true;
	return false;
}

static void describe(const struct job *job, const struct space *space,
	uint32_t seed, struct program *p)
{
	unsigned k;

	program_init(p, "job", seed);
	program_buffer(p, &(struct buffer){.name = "memory",
				  .bytes = space->size ? space->size : 1,
				  .rings = 1});
	program_launch(p, "kernel");
	if (!has_memory(job, MEMORY_COMPRESSIBLE))
		return;
	for (k = 0; k < COMPRESSIBLE_COUNT; k++)
		program_buffer(
			p, &(struct buffer){.bytes = 1,
				   .rings = 1,
				   .memory = MEMORY_COMPRESSIBLE,
				   .fill = k ? FILL_RANDOM : FILL_ZERO,
				   .random_bytes =
					   (uint8_t)(k * COMPRESSIBLE_BYTES)});
}

uint8_t *job_bytes(const struct space *space, size_t buffer, uint64_t bytes)
{
	const struct space_region *r = &space->regions[buffer];

	if (r->written)
		space_touch(space, r, r->first, bytes);
	return space->bytes + r->first;
}

/* Bytes that some sector begins with, up to the last one that is not zero; a
   program's content is alike from piece to piece. A ring is taken not to be
   compressed, as one of a program. */
static unsigned sector_bytes(
	const struct job_buffer *b, const struct space *space, size_t buffer)
{
	const uint64_t bytes = b->content && b->bytes > SPACE_PIECE_BYTES
				       ? SPACE_PIECE_BYTES
				       : b->bytes;
	const uint8_t *at;
	uint64_t i;
	unsigned most = 0;

	if (b->fill == JOB_FILL_RING)
		return PROGRAM_SECTOR_BYTES;
	if (b->fill == JOB_FILL_ZERO && !b->content)
		return 0;
	at = job_bytes(space, buffer, bytes);
	for (i = 0; i < bytes; i++)
		if (at[i] && i % PROGRAM_SECTOR_BYTES >= most)
			most = (unsigned)(i % PROGRAM_SECTOR_BYTES) + 1;
	return most;
}

static int compress(struct engine *e, const struct job *job, size_t i,
	const struct space *space, struct error *error)
{
	const struct job_buffer *b = &job->buffers[i];
	const uint64_t offset = space->addresses[i] - SPACE_BASE;
	const unsigned index =
		(sector_bytes(b, space, i) + COMPRESSIBLE_BYTES - 1) /
		COMPRESSIBLE_BYTES;

	if (e->core.cost.sm_arch < L2_CONTROLS_SM)
		return error_set(error, ERR_SKIPPED,
			"compressible memory needs sm_%d, and the model's "
			"machine is sm_%u",
			L2_CONTROLS_SM, e->core.cost.sm_arch);
	if (index < COMPRESSIBLE_COUNT &&
		translation_name(&e->translation, 0, offset, b->bytes,
			COMPRESSIBLE_FIRST + index))
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

static struct buffer buffer_of(const struct job_buffer *b)
{
	struct buffer buffer = {
		.bytes = b->bytes, .memory = b->memory, .peer = b->peer};

	snprintf(buffer.name, sizeof(buffer.name), "%s", b->name);
	return buffer;
}

/* Not all of them fit: the first one that does not fit alone, if there is one.
   `p` is overwritten. */
static int refuse_buffers(struct engine *e, const struct job *job,
	struct program *p, struct error *error)
{
	size_t i;

	p->buffer_count = 1;
	for (i = 0; i < job->buffer_count; i++) {
		p->buffers[0] = buffer_of(&job->buffers[i]);
		if (translation_place(&e->translation, p) >= 0)
			return engine_refuse_buffer(e, &p->buffers[0], error);
	}
	return error_set(error, ERR_SKIPPED,
		"the buffers of job '%s' do not fit in the machine's memory",
		job->name);
}

static int move(struct engine *e, const struct job *job, size_t i,
	const struct space *space, struct error *error)
{
	const struct job_buffer *b = &job->buffers[i];
	const struct buffer named = buffer_of(b);

	if (e->core.cost.page_bytes > JOB_PAGE_BYTES)
		return error_set(error, ERR_SKIPPED,
			"buffer '%s' is in far memory, which is not modelled "
			"of a machine whose pages are larger than 2 MiB",
			b->name);
	if (b->peer > 1 ||
		translation_move(&e->translation, 0,
			space->addresses[i] - SPACE_BASE, b->bytes, b->memory))
		return engine_refuse_buffer(e, &named, error);
	return 0;
}

int job_place(struct engine *e, const struct job *job,
	const struct space *space, uint32_t seed, struct program *p,
	struct error *error)
{
	size_t i;
	int code = 0;

	describe(job, space, seed, p);
	dram_place_buffers(&e->dram, p);
	if (translation_place(&e->translation, p) >= 0)
		return refuse_buffers(e, job, p, error);
	for (i = 0; !code && i < job->buffer_count; i++) {
		const unsigned memory = job->buffers[i].memory;

		if (memory_is_far(memory))
			code = move(e, job, i, space, error);
		else if (memory == MEMORY_COMPRESSIBLE)
			code = compress(e, job, i, space, error);
	}
	e->execution.seed = p->seed;
	return code;
}

/* ---- steps ---- */

static int check_step(
	const struct engine *e, const struct step *step, struct error *error)
{
	const struct costs *cost = &e->core.cost;

	if (step->kind == STEP_CARVEOUT &&
		step->bytes > cost->l2_persisting_max_bytes)
		return error_set(error, ERR_SKIPPED,
			"'carveout' needs %" PRIu64
			" bytes for persisting lines, and the model's machine "
			"has %" PRIu64,
			step->bytes, (uint64_t)cost->l2_persisting_max_bytes);
	if (step->kind == STEP_WINDOW && step->bytes &&
		cost->sm_arch < L2_CONTROLS_SM)
		return error_set(error, ERR_SKIPPED,
			"'window' needs sm_%d, and the model's machine is "
			"sm_%u",
			L2_CONTROLS_SM, cost->sm_arch);
	return 0;
}

/* Those that go at the same time, from step `first` on. */
static int copy(struct engine *e, const struct job *job, struct space *space,
	size_t first, struct job_result *result, struct error *error)
{
	const size_t count = job_copies_together(job, first);
	struct far_copy *copies = calloc(count, sizeof(*copies));
	size_t i;
	int code = copies ? 0 : error_set(error, ERR_FAILED, "out of memory");

	for (i = 0; !code && i < count; i++) {
		const struct step *step = &job->steps[first + i].step;

		memcpy(job_bytes(space, step->target, step->bytes),
			job_bytes(space, step->buffer, step->bytes),
			step->bytes);
		copies[i] = (struct far_copy){job->buffers[step->buffer].memory,
			job->buffers[step->target].memory, (double)step->bytes};
	}
	if (!code)
		code = steps_copy(e, copies, count, &result->copied, error);
	if (code)
		error_prefix(error, code, "job '%s': ", job->name);
	free(copies);
	return code;
}

int job_act(struct engine *e, const struct job *job, struct space *space,
	uint32_t launch, struct job_result *result, struct error *error)
{
	size_t i;
	int code = 0;

	job_steps_before(job, launch, &i);
	for (; !code && i < job->step_count && job->steps[i].before == launch;
		i++) {
		const struct step *step = &job->steps[i].step;

		code = check_step(e, step, error);
		if (code || step->kind == STEP_WINDOW)
			continue;
		if (step->kind != STEP_COPY) {
			step_act(e, step);
			continue;
		}
		code = copy(e, job, space, i, result, error);
		i += job_copies_together(job, i) - 1;
	}
	return code;
}

const struct step *job_window_at(const struct job *job,
	const struct space *space, const struct job_launch *launch,
	struct step *to)
{
	const struct step *window =
		job_window(job, (uint32_t)(launch - job->launches));

	if (!window)
		return NULL;
	*to = *window;
	to->base_bytes += space->addresses[window->buffer] - SPACE_BASE;
	to->buffer = 0;
	return to;
}
