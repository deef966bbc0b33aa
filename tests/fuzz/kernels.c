/* Jobs, modules of PTX and traces, which are run, and profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/contract/backend.h"
#include "harness/profile/profile.h"
#include "harness/ptx/ptx.h"
#include "harness/trace/trace.h"
#include "tests/fuzz/target.h"

#define CYCLES_MOST  20000
#define THREADS_MOST 4096
#define BYTES_MOST   ((uint64_t)16 << 20) /* of shared and local memory */

/* ---- jobs ---- */

void fuzz_job(const struct input *input)
{
	struct error error = {""};
	struct job job, again;
	char *first, *second;

	if (strlen(input->text) != input->bytes)
		return;
	if (job_parse(input->text, "case", &job, &error)) {
		fuzz_refused(&error);
		return;
	}
	first = job_text(&job);
	if (!first || job_parse(first, "again", &again, &error))
		fuzz_fail(error.text);
	second = job_text(&again);
	if (!second || strcmp(first, second) != 0)
		fuzz_fail("the text does not round-trip");
	if (job_check(&job, &error))
		fuzz_refused(&error);
	free(first);
	free(second);
	job_free(&job);
	job_free(&again);
}

/* ---- modules ---- */

static struct backend *model;

/* Once a process: the model starts cold for each job. */
static void open_model(void)
{
	static const char *const sets[] = {"sm_count=2", "gpc_count=2",
		"gpc_side_mask=2", "l2_bytes=3MiB"};
	const struct backend_config config = {.sets = sets, .set_count = 4};
	struct error error;

	if (!model && backend_sim.open(&model, &config, &error))
		fuzz_fail(error.text);
}

static bool is_small(const struct ptx_module *m)
{
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < m->variable_count; i++)
		bytes += m->variables[i].bytes < BYTES_MOST
				 ? m->variables[i].bytes
				 : BYTES_MOST;
	return bytes <= BYTES_MOST / 64;
}

/* Addresses for parameters of eight bytes, zeros for others. */
static void put_arguments(
	const struct ptx_module *m, const struct ptx_function *f, FILE *out)
{
	uint32_t i;

	for (i = 0; i < f->parameter_count; i++) {
		uint64_t bytes = m->variables[f->parameter_first + i].bytes;

		fprintf(out, "%s%s", i ? "," : " args=",
			bytes == 8   ? "a"
			: bytes == 4 ? "u32:3"
			: bytes == 2 ? "u16:2"
				     : "u8:1");
	}
}

static char *job_of(const struct ptx_module *m, const struct ptx_function *f)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		abort();
	fprintf(out,
		"nearfar-kernel 1\nname j\nmodule m.ptx\n"
		"buffer a bytes=64KiB fill=iota\nlaunch %.*s grid=3 block=64",
		(int)f->name.length, f->name.text);
	put_arguments(m, f, out);
	fputc('\n', out);
	fclose(out);
	return text;
}

/* Every cycle and every line add up, however the kernel ends. */
static void check_profile(const struct job_profile *p)
{
	double classes = profile_waited(p->wait_cycles), lines = 0;
	size_t i;

	for (i = 0; i < p->line_count; i++)
		lines += profile_waited(p->lines[i].wait_cycles);
	if (classes != p->warp_cycles || lines != p->warp_cycles)
		fuzz_fail("a profile does not add up");
}

/* The job whose only module is the input; frees its text. */
static void run(const struct input *input, char *text, bool is_trace)
{
	const struct job_wishes wishes = {
		.contents = true, .profile = true, .max_cycles = CYCLES_MOST};
	struct job_result result = {0};
	struct error error = {""};
	struct job job;
	size_t i;

	if (job_parse(text, "case", &job, &error)) {
		fuzz_refused(&error); /* names that a job cannot say */
		free(text);
		return;
	}
	job.modules[0].text = strdup(input->text);
	job.modules[0].bytes = input->bytes;
	job.modules[0].is_trace = is_trace;
	if (backend_sim.run_job(model, &job, &wishes, &result, &error))
		fuzz_refused(&error);
	else
		for (i = 0; i < result.launch_count; i++)
			check_profile(result.launches[i].profile);
	job_result_free(&result);
	job_free(&job);
	free(text);
}

void fuzz_ptx(const struct input *input)
{
	struct error error = {""};
	struct ptx_module m;
	uint32_t i;

	open_model();
	if (strlen(input->text) != input->bytes)
		return;
	if (ptx_parse("case", input->text, input->bytes, &m, &error)) {
		fuzz_refused(&error);
		return;
	}
	for (i = 0; i < m.function_count && is_small(&m); i++)
		if (m.functions[i].is_entry && m.functions[i].has_body) {
			run(input, job_of(&m, &m.functions[i]), false);
			break;
		}
	ptx_free(&m);
}

/* ---- traces ---- */

/* Few threads, as the head has them: it is what a launch must say. */
static bool is_small_grid(const struct trace_head *head)
{
	uint64_t threads = 1;
	int i;

	for (i = 0; i < 3; i++) {
		if (!head->grid[i] || !head->block[i] ||
			head->grid[i] > THREADS_MOST ||
			head->block[i] > THREADS_MOST)
			return false;
		threads *= (uint64_t)head->grid[i] * head->block[i];
		if (threads > THREADS_MOST)
			return false;
	}
	return true;
}

void fuzz_trace(const struct input *input)
{
	struct error error = {""};
	struct trace_reader reader =
		trace_reader_at("case", input->text, &error);
	struct trace_head head;
	char *text;

	open_model();
	if (strlen(input->text) != input->bytes)
		return;
	if (trace_read_head(&reader, &head)) {
		fuzz_refused(&error);
		return;
	}
	if (!is_small_grid(&head))
		return;
	if (asprintf(&text,
		    "nearfar-kernel 1\nname j\nmodule m.traceg\n"
		    "launch %s grid=%u,%u,%u block=%u,%u,%u shared=%u "
		    "registers=%u\n",
		    head.name, head.grid[0], head.grid[1], head.grid[2],
		    head.block[0], head.block[1], head.block[2],
		    head.shared_bytes, head.registers) < 0)
		abort();
	run(input, text, true);
}

/* ---- profiles ---- */

static char *written(int (*put)(const struct profile_list *list, FILE *out),
	const struct profile_list *list)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out || put(list, out))
		abort();
	fclose(out);
	return text;
}

void fuzz_profile(const struct input *input)
{
	struct profile_list list = {0};
	struct error error = {""};

	if (profile_read(input->path, &list, &error)) {
		fuzz_refused(&error);
		return;
	}
#define TRY(name, text, ending, put) free(written(put, &list));
	PROFILE_FORMATS(TRY)
#undef TRY
	profile_list_free(&list);
}
