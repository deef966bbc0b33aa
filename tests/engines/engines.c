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

#include "harness/lower/program_job.h"
#include "harness/lower/records.h"
#include "harness/base/content.h"
#include "harness/contract/backend.h"
#include "harness/contract/job_result.h"
#include "harness/program/legality/legality.h"
#include "harness/program/text/text.h"

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

static void print(const struct program *p, const struct program_job *m,
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
	struct program_job *m = NULL;
	struct job_result job = {0};
	struct result whole = {0};
	int code = program_job_make(&m, p, device, error);

	if (!code)
		code = backend_sim.run(model, p, &whole, error);
	if (!code)
		code = backend_sim.run_job(
			model, &m->job, &wishes, &job, error);
	if (!code)
		print(p, m, &whole, &job);
	result_free(&whole);
	job_result_free(&job);
	program_job_free(m);
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
