/*
 * Two ways through one engine: each program as the model runs it, and the PTX
 * that the writer makes of the same program, as a job of kernels on the same
 * machine. What differs is the instrument: claims, a meeting, records.
 * usage: engines PROGRAM...
 * Prints a line for each timed region: cycles by either way, their ratio, and
 * the sectors read from DRAM; what a job cannot say is left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_cuda/records.h"
#include "harness/base/content.h"
#include "harness/contract/backend.h"
#include "harness/contract/job_result.h"
#include "harness/program/address.h"
#include "harness/program/launch.h"
#include "harness/program/legality/legality.h"
#include "harness/program/text/text.h"

#define LAUNCHES_MAX (PROGRAM_BUFFERS_MAX + PROGRAM_STEPS_MAX)
#define BUFFERS_MAX  (PROGRAM_BUFFERS_MAX + 3 * LAUNCHES_MAX)
#define ARGUMENTS    (4 + PROGRAM_BUFFERS_MAX)

/* A job of a program, all in one piece. */
struct made {
	struct job job;
	struct job_module modules[LAUNCHES_MAX];
	struct job_buffer buffers[BUFFERS_MAX];
	struct job_launch launches[LAUNCHES_MAX];
	struct job_argument arguments[LAUNCHES_MAX][ARGUMENTS];
	struct ptx_kernel kernels[LAUNCHES_MAX]; /* of each launch */
	uint32_t outputs[LAUNCHES_MAX];          /* its buffer */
	size_t first_timed; /* before it, what fills buffers */
};

/* ---- the job ---- */

static uint32_t add_buffer(struct made *m, uint64_t bytes, void *content)
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
static void add_launch(struct made *m, struct launch_slot *slots,
	uint64_t table_bytes, uint32_t first, uint32_t end)
{
	static char entry[] = "nearfar", file[] = "nearfar.ptx";
	size_t n = m->job.launch_count++;
	const struct ptx_kernel *k = &m->kernels[n];
	struct job_launch *l = &m->launches[n];
	uint32_t i;

	m->modules[n] = (struct job_module){file, k->text, strlen(k->text)};
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

static int add_fills(struct made *m, const struct program *p,
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
		add_launch(m, NULL, 8, i, i + 1);
		if (program_ring_next(p, i) != i)
			add_argument(&m->launches[m->job.launch_count - 1],
				true, program_ring_next(p, i));
	}
	return 0;
}

static int add_step(struct made *m, const struct program *p, uint32_t step,
	const struct device *device, struct error *error)
{
	size_t bytes = device->sm_count * sizeof(struct launch_slot);
	struct launch_slot *slots;
	int code = ptx_launch(
		p, step, device, &m->kernels[m->job.launch_count], error);

	if (code)
		return code;
	slots = calloc(1, bytes);
	if (!slots)
		return error_set(error, ERR_FAILED, "out of memory");
	launch_slots(p, &p->steps[step], device->sm_count, slots);
	add_launch(m, slots, bytes, 0, p->buffer_count);
	/* As many blocks fit an SM as by the program's rule. */
	m->launches[m->job.launch_count - 1].registers =
		launch_registers(p, &p->steps[step]);
	return 0;
}

/* ERR_SKIPPED: a job has no word for what the program does. */
static int make_job(struct made *m, const struct program *p,
	const struct device *device, struct error *error)
{
	bool flushes = false;
	uint32_t i;
	int code;

	m->job.modules = m->modules;
	m->job.buffers = m->buffers;
	m->job.launches = m->launches;
	snprintf(m->job.name, sizeof(m->job.name), "%s", p->name);
	for (i = 0; i < p->buffer_count; i++) {
		if (p->buffers[i].memory != MEMORY_PLAIN)
			return error_set(error, ERR_SKIPPED, "memory");
		add_buffer(m, p->buffers[i].bytes, NULL);
	}
	code = add_fills(m, p, device, error);
	m->first_timed = m->job.launch_count;
	for (i = 0; !code && i < p->step_count; i++) {
		if (p->steps[i].kind == STEP_FLUSH) {
			flushes = true;
		} else if (p->steps[i].kind == STEP_LAUNCH) {
			code = add_step(m, p, i, device, error);
			m->launches[m->job.launch_count - 1].flush |= flushes;
			flushes = false;
		} else {
			return error_set(error, ERR_SKIPPED, "a step");
		}
	}
	return code;
}

static void made_free(struct made *m)
{
	size_t i;

	for (i = 0; i < m->job.buffer_count; i++)
		free(m->buffers[i].file_content);
	for (i = 0; i < LAUNCHES_MAX; i++)
		free(m->kernels[i].text);
	free(m);
}

/* ---- what came out ---- */

/* From the first entry into the region to the last exit or arrival, by the
   blocks that leave records; the model's SMs share one clock. */
static double span(const unsigned char *output, const struct ptx_region *r)
{
	uint64_t first = UINT64_MAX, last = 0;
	uint32_t i;

	for (i = 0; i < r->warps; i++) {
		struct ptx_warp_record warp;

		if (ptx_is_quiet(r, block_of(r, i)))
			continue;
		memcpy(&warp, output + r->record_offset + i * sizeof(warp),
			sizeof(warp));
		first = warp.start_clock < first ? warp.start_clock : first;
		last = warp.stop_clock > last ? warp.stop_clock : last;
	}
	for (i = 0; i < r->blocks; i++) {
		struct ptx_block_record block;

		if (ptx_is_quiet(r, i))
			continue;
		memcpy(&block, output + r->block_offset + i * sizeof(block),
			sizeof(block));
		last = block.drain_clock > last ? block.drain_clock : last;
	}
	return (double)(last - first);
}

static double dram_sectors(const struct counter *counters, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(counters[i].name, "dram__sectors_read.sum"))
			return counters[i].value;
	return 0;
}

static void print(const struct program *p, const struct made *m,
	const struct result *whole, const struct job_result *job)
{
	double sectors = 0;
	size_t i, k;

	for (i = m->first_timed; i < job->launch_count; i++)
		sectors += dram_sectors(job->launches[i].counters,
			job->launches[i].counter_count);
	for (i = m->first_timed; i < m->job.launch_count; i++)
		for (k = 0; k < m->kernels[i].region_count; k++) {
			const struct ptx_region *r = &m->kernels[i].regions[k];
			double cycles = whole->spans[r->region].cycles;
			double kernel = span(job->contents[m->outputs[i]], r);

			printf("%s\t%u\t%.0f\t%.0f\t%.4f\t%.0f\t%.0f\n",
				p->name, r->region, cycles, kernel,
				kernel / cycles,
				dram_sectors(
					whole->counters, whole->counter_count),
				sectors);
		}
}

/* ---- programs ---- */

static int compare(struct backend *model, const struct program *p,
	const struct device *device, struct error *error)
{
	static const struct job_wishes wishes = {.contents = true};
	struct made *m = calloc(1, sizeof(*m));
	struct job_result job = {0};
	struct result whole = {0};
	int code = m ? make_job(m, p, device, error)
		     : error_set(error, ERR_FAILED, "out of memory");

	if (!code)
		code = backend_sim.run(model, p, &whole, error);
	if (!code)
		code = backend_sim.run_job(
			model, &m->job, &wishes, &job, error);
	if (!code)
		print(p, m, &whole, &job);
	result_free(&whole);
	job_result_free(&job);
	if (m)
		made_free(m);
	return code;
}

static int compare_file(struct backend *model, const char *path,
	const struct device *device, struct error *error)
{
	struct program *p = malloc(sizeof(*p));
	struct content content = {0};
	int code = p ? content_read_written(path, &content, error)
		     : error_set(error, ERR_FAILED, "out of memory");

	if (!code)
		code = program_parse(content.text, path, p, error);
	content_free(&content);
	if (!code)
		code = program_check(p, error);
	if (!code)
		code = program_fits(p, device, error);
	if (!code)
		code = compare(model, p, device, error);
	if (code)
		fprintf(stderr, "%s: %s%s\n", path,
			code == ERR_SKIPPED ? "left out: " : "", error->text);
	free(p);
	return code == ERR_SKIPPED ? 0 : code;
}

int main(int argc, char **argv)
{
	struct backend_config config = {0};
	struct backend *model = NULL;
	struct device device;
	struct facts facts = {0};
	struct error error = {""};
	int code = backend_sim.open(&model, &config, &error), i;

	if (!code)
		code = backend_sim.describe(model, &device, &facts, &error);
	if (code) {
		fprintf(stderr, "engines: %s\n", error.text);
		return 1;
	}
	printf("program\tregion\tprogram_cycles\tkernel_cycles\tratio"
	       "\tprogram_dram_sectors\tkernel_dram_sectors\n");
	for (i = 1; !code && i < argc; i++)
		code = compare_file(model, argv[i], &device, &error);
	facts_free(&facts);
	backend_sim.close(model);
	return code != 0;
}
