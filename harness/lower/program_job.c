#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/lower/contents.h"
#include "harness/lower/program_job.h"
#include "harness/program/address.h"
#include "harness/program/launch.h"

static uint32_t add_buffer(struct program_job *m, uint64_t bytes, void *content)
{
	struct job_buffer *b = &m->buffers[m->job.buffer_count];

	snprintf(b->name, sizeof(b->name), "b%zu", m->job.buffer_count);
	b->type = (uint8_t)element_find("u8");
	b->bytes = bytes;
	b->power = 1;
	b->fill = content ? JOB_FILL_FILE : JOB_FILL_ZERO;
	b->file_content = content;
	b->compare = JOB_COMPARE_NONE;
	return (uint32_t)m->job.buffer_count++;
}

static void add_argument(struct job_launch *l, bool is_buffer, uint32_t buffer)
{
	struct job_argument *a = &l->arguments[l->argument_count];

	a->parameter = (uint16_t)l->argument_count++;
	a->type = (uint8_t)element_find("u64");
	a->kind = is_buffer ? JOB_ADDRESS : JOB_SCALAR;
	a->of = buffer;
}

/* The last kernel of `m`, with what the writer says that it takes, and the
   buffers of the program from `first` up to and without `end`. */
static void add_launch(struct program_job *m, const char *name,
	struct launch_slot *slots, uint64_t table_bytes, uint32_t first,
	uint32_t end)
{
	static char entry[] = "nearfar";
	size_t n = m->job.launch_count++;
	const struct ptx_kernel *k = &m->kernels[n];
	struct job_launch *l = &m->launches[n];
	uint32_t i;

	snprintf(m->files[n], sizeof(m->files[n]), "%s.ptx", name);
	m->modules[n] = (struct job_module){
		.path = m->files[n],
		.text = k->text,
		.bytes = strlen(k->text),
		.source = m->places ? m->places->text : NULL,
	};
	m->job.module_count = n + 1;
	*l = (struct job_launch){
		.entry = entry,
		.module = (uint32_t)n,
		.grid = {k->grid, 1, 1},
		.block = {k->threads, 1, 1},
		.shared_bytes = k->dynamic_shared_bytes,
		.repeats = 1,
		.flush = n == m->first_timed,
		.arguments = m->arguments[n],
	};
	add_argument(l, true, add_buffer(m, PTX_CONTROL_BYTES, NULL));
	m->outputs[n] = add_buffer(m, k->output_bytes + 8, NULL);
	add_argument(l, true, m->outputs[n]);
	add_argument(l, true, add_buffer(m, table_bytes, slots));
	add_argument(l, false, 0);
	for (i = first; i < end; i++)
		add_argument(l, true, i);
}

static int add_fills(struct program_job *m, const struct program *p,
	const struct device *device, struct error *error)
{
	uint32_t i;

	for (i = 0; i < p->buffer_count; i++) {
		int code;

		if (p->buffers[i].fill == FILL_ZERO)
			continue;
		code = ptx_fill(
			p, i, device, &m->kernels[m->job.launch_count], error);
		if (code)
			return code;
		add_launch(m, "fill", NULL, 8, i, i + 1);
		if (program_ring_next(p, i) != i)
			add_argument(&m->launches[m->job.launch_count - 1],
				true, program_ring_next(p, i));
	}
	return 0;
}

/* As many blocks fit an SM as by the program's rule, and L1 has what these
   leave. */
static void prepare_launch(struct job_launch *l, const struct ptx_kernel *k,
	const struct program *p, const struct step *step,
	const struct device *device)
{
	l->registers = launch_registers(p, step);
	l->carveout_plus_1 =
		(uint8_t)(1 +
			  launch_carveout_percent(
				  launch_block_shared(
					  l->shared_bytes +
						  launch_static_bytes(p, step),
					  device->shared_reserved_bytes),
				  k->resident, device->shared_bytes_per_sm));
}

static int add_step(struct program_job *m, const struct program *p,
	uint32_t step, const struct device *device, struct error *error)
{
	size_t bytes = device->sm_count * sizeof(struct launch_slot);
	struct launch_slot *slots;
	int code = ptx_launch(p, step, m->places, device,
		&m->kernels[m->job.launch_count], error);

	if (code)
		return code;
	slots = calloc(1, bytes);
	if (!slots)
		return error_set(error, ERR_FAILED, "out of memory");
	launch_slots(p, &p->steps[step], device->sm_count, slots);
	add_launch(m, p->steps[step].name, slots, bytes, 0, p->buffer_count);
	memcpy(m->launches[m->job.launch_count - 1].name,
		m->program.steps[step].name, PROGRAM_NAME_BYTES);
	m->launches[m->job.launch_count - 1].program = m->program.name;
	prepare_launch(&m->launches[m->job.launch_count - 1],
		&m->kernels[m->job.launch_count - 1], p, &p->steps[step],
		device);
	return 0;
}

/* A host action, before the launch that comes next. */
static void add_action(struct program_job *m, const struct step *step)
{
	m->steps[m->job.step_count++] = (struct job_step){
		.step = *step, .before = (uint32_t)m->job.launch_count};
}

static void write_content(const void *of, const uint64_t *addresses,
	uint64_t offset, uint64_t bytes, unsigned char *to)
{
	const struct program_content *c = of;

	contents_write(c->p, c->buffer,
		addresses[program_ring_next(c->p, c->buffer)], offset, bytes,
		to);
}

static void add_contents(struct program_job *m)
{
	uint32_t i;

	for (i = 0; i < m->program.buffer_count; i++) {
		if (m->program.buffers[i].fill == FILL_ZERO)
			continue;
		m->filled[i] = (struct program_content){&m->program, i};
		m->contents[i] =
			(struct job_content){write_content, &m->filled[i]};
		m->buffers[i].content = &m->contents[i];
	}
}

static int make_job(struct program_job *m, const struct program *p,
	const struct device *device, bool fills, struct error *error)
{
	uint32_t i;
	int code = 0;

	m->job.modules = m->modules;
	m->job.buffers = m->buffers;
	m->job.launches = m->launches;
	snprintf(m->job.name, sizeof(m->job.name), "%s", p->name);
	m->job.steps = m->steps;
	for (i = 0; i < p->buffer_count; i++) {
		struct job_buffer *b = &m->buffers[m->job.buffer_count];

		add_buffer(m, p->buffers[i].bytes, NULL);
		b->memory = p->buffers[i].memory;
		b->peer = p->buffers[i].peer;
		snprintf(b->name, sizeof(b->name), "%s", p->buffers[i].name);
	}
	m->program = *p;
	if (fills)
		code = add_fills(m, p, device, error);
	else
		add_contents(m);
	m->first_timed = m->job.launch_count;
	for (i = 0; !code && i < p->step_count; i++)
		if (p->steps[i].kind == STEP_LAUNCH)
			code = add_step(m, p, i, device, error);
		else
			add_action(m, &p->steps[i]);
	return code;
}

void program_job_free(struct program_job *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->job.buffer_count; i++)
		free(m->buffers[i].file_content);
	for (i = 0; i < PROGRAM_JOB_LAUNCHES; i++)
		ptx_kernel_free(&m->kernels[i]);
	free(m);
}

static int make(struct program_job **made, const struct program *p,
	const struct program_places *places, const struct device *device,
	bool fills, struct error *error)
{
	struct program_job *m = calloc(1, sizeof(*m));
	int code;

	if (!m)
		return error_set(error, ERR_FAILED, "out of memory");
	m->places = places;
	code = make_job(m, p, device, fills, error);
	if (code)
		program_job_free(m);
	else
		*made = m;
	return code;
}

int program_job_make(struct program_job **made, const struct program *p,
	const struct program_places *places, const struct device *device,
	struct error *error)
{
	return make(made, p, places, device, false, error);
}

int program_job_filled(struct program_job **made, const struct program *p,
	const struct device *device, struct error *error)
{
	return make(made, p, NULL, device, true, error);
}

const struct job *program_job_of(const struct program_job *made)
{
	return &made->job;
}
