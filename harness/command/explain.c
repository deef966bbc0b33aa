#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/base/output.h"
#include "harness/command/command.h"
#include "harness/command/explain/explain_options.h"
#include "harness/command/run/run_plans.h"
#include "harness/command/run/run_printed.h"
#include "harness/command/run/run_profiles.h"
#include "harness/command/run/run_together.h"
#include "harness/contract/program_job.h"
#include "harness/explain/explain_picture.h"
#include "harness/figure/destination.h"
#include "harness/keep/stop.h"
#include "harness/run/registry.h"

/* ---- what is run ---- */

struct work {
	const struct explain_options *options;
	struct run_options run;
	struct run_opened opened;
	struct run_plans plans;
	struct program_job *made; /* of a program or a point */
	struct program program;
	struct program_places places;
	char *text; /* of `places`; owned */
	const struct job *job;
	atomic_int *stop;
	struct job_result result;
	struct explanation explanation;
};

/* A file that says that it is a program; else it is a job. */
static bool is_program(const char *path)
{
	static const char head[] = "nearfar-program";
	struct content content = {0};
	struct error unread;
	const char *line;
	bool is;

	if (content_read_written(path, &content, &unread))
		return false;
	for (line = content.text; *line == '#' || *line == '\n';
		line += strcspn(line, "\n"), line += *line == '\n')
		;
	is = !strncmp(line, head, sizeof(head) - 1);
	content_free(&content);
	return is;
}

/* The words of `nearfar run` for it. */
static int parse_words(struct work *w, struct error *error)
{
	static char name[] = "explain", program[] = "--program",
		    kernel[] = "--kernel";
	const struct explain_options *o = w->options;
	char *argv[EXPLAIN_WORDS_MOST + 4] = {name};
	int argc = 1;
	size_t i;

	if (!bench_find(o->what))
		argv[argc++] = is_program(o->what) ? program : kernel;
	argv[argc++] = o->what;
	for (i = 0; i < o->word_count; i++)
		argv[argc++] = o->words[i];
	return run_options_parse_words(
		argc, argv, run_together_explain, &w->run, error);
}

static int make_plan(struct work *w, struct error *error)
{
	int code = run_open(&w->run, false, w->stop, &w->opened, error);

	if (!code)
		code = run_plans_make(
			&w->run, &w->opened, w->stop, &w->plans, error);
	if (!code && w->plans.count != 1)
		code = error_set(error, ERR_USAGE,
			"'%s' is %zu runs: one job, program or point on one "
			"machine is explained",
			w->options->what, w->plans.count);
	return code;
}

/* The point that -x names, or the middle one. */
static int make_program(struct work *w, struct error *error)
{
	const struct plan *plan = &w->plans.items[0];
	const size_t point = plan->sweep.count / 2;
	const struct device *device = run_device_of(plan, point, &w->opened);
	const double x = plan->sweep.points[point];
	int code = plan_build(plan, device, x, w->run.seed, &w->program, error);

	if (!code)
		code = plan_places(
			plan, x, &w->program, &w->places, &w->text, error);
	if (!code)
		code = program_job_make(
			&w->made, &w->program, &w->places, device, error);
	return code;
}

static int find_job(struct work *w, struct error *error)
{
	const struct plan *plan = &w->plans.items[0];
	int code;

	if (!plan->job && w->run.sweep && plan->sweep.count != 1)
		return error_set(error, ERR_USAGE,
			"-x %s is %zu points: one is explained", w->run.sweep,
			plan->sweep.count);
	w->job = plan->job;
	if (w->job)
		return 0;
	code = make_program(w, error);
	if (code)
		return code;
	w->job = program_job_of(w->made);
	return 0;
}

static struct explain_runs runs_of(const struct work *w)
{
	return (struct explain_runs){
		.ops = w->opened.items[0].ops,
		.job = w->job,
		.program = w->made ? &w->program : NULL,
		.places = &w->places,
		.machine = w->run.machine,
		.wishes = {.max_cycles = w->run.max_cycles,
			.as_written = w->run.as_written},
		.contents = w->result.contents,
	};
}

static int run_job(struct work *w, struct error *error)
{
	const struct explain_runs runs = runs_of(w);
	const struct job_wishes wishes = {
		.contents = !w->options->no_what_if,
		.profile = true,
		.max_cycles = w->run.max_cycles,
		.unchecked = w->run.unchecked,
		.as_written = w->run.as_written,
	};
	int code = explain_run(&runs, w->opened.items[0].backend, w->job,
		&wishes, &w->result, error);

	if (w->result.printed)
		run_printed(w->result.printed, w->result.printed_bytes,
			w->result.printed_more);
	return !code || w->made
		       ? code
		       : error_prefix(error, code, "job '%s': ", w->job->name);
}

static bool is_wanted(const struct work *w, uint32_t launch)
{
	const struct explain_options *o = w->options;

	if (o->launch_is_name)
		return !strcmp(job_launch_name(&w->job->launches[launch]),
			o->launch_word);
	return !o->launch_word || launch == o->launch;
}

/* The run of a launch that takes the most cycles, of all or of one launch. */
static int pick(const struct work *w, size_t *run, struct error *error)
{
	const struct explain_options *o = w->options;
	size_t i, count = 0;

	for (i = 0; i < w->result.launch_count; i++) {
		const struct job_launch_result *l = &w->result.launches[i];

		if (!is_wanted(w, l->launch))
			continue;
		if (!count++ || l->cycles > w->result.launches[*run].cycles)
			*run = i;
	}
	if (count)
		return 0;
	if (o->launch_is_name)
		return error_set(error, ERR_USAGE,
			"--launch: no launch of job '%s' has the name '%s'",
			w->job->name, o->launch_word);
	return error_set(error, ERR_USAGE,
		"--launch %llu: the last launch of job '%s' is number %zu",
		(unsigned long long)o->launch, w->job->name,
		w->job->launch_count - 1);
}

static int explain(struct work *w, size_t run, struct error *error)
{
	struct job_launch_result *l = &w->result.launches[run];
	struct job_profile *where = l->profile;
	struct profile_list profiles = {0};
	char machine[RUN_MACHINE_BYTES];
	int code;

	run_machine_words(&w->opened.items[0].facts, machine);
	l->profile = NULL;
	code = profile_add(
		&profiles, w->job, run, machine, l->cycles, where, error);
	if (!code)
		code = explain_make(&w->explanation, &profiles, l->assumed,
			w->made != NULL, error);
	profile_list_free(&profiles);
	return code;
}

static int try_others(struct work *w, size_t run, struct error *error)
{
	const struct run_config config =
		run_open_config(&w->run, &w->opened, w->stop);
	const struct job_launch_result *l = &w->result.launches[run];
	struct explain_runs runs = runs_of(w);

	runs.config = &config.backend;
	runs.run = run;
	runs.fixed =
		w->made ||
		w->job->modules[w->job->launches[l->launch].module].is_trace;
	runs.cycles = l->cycles;
	return explain_what_ifs(&w->explanation, &runs, error);
}

static int perform(struct work *w, struct error *error)
{
	size_t run = 0;
	int code = parse_words(w, error);

	if (!code)
		code = make_plan(w, error);
	if (!code)
		code = find_job(w, error);
	if (!code)
		code = run_job(w, error);
	if (!code)
		code = pick(w, &run, error);
	if (!code)
		code = explain(w, run, error);
	if (!code && !w->options->no_what_if)
		code = try_others(w, run, error);
	return code;
}

static bool is_picture(const char *path)
{
	const size_t length = path ? strlen(path) : 0;

	return length > 4 && !strcmp(path + length - 4, ".svg");
}

static int write_picture(const struct work *w, struct error *error)
{
	struct output output;
	int code = output_open(&output, w->options->output, error);

	if (code)
		return code;
	explain_put_svg(&w->explanation, output.stream);
	return output_commit(&output, error);
}

static int write_out(const struct work *w, FILE *out, struct error *error)
{
	const struct explain_options *o = w->options;
	struct destination to;
	int code = destination_open(&to, o->output, o->format,
		(struct destination_forms){EXPLAIN_FORMATS, false}, out, error);

	if (code)
		return code;
	if (to.format == FORMAT_JSON)
		explain_put_json(&w->explanation, to.stream);
	else
		explain_put_text(&w->explanation, to.stream);
	if (fflush(to.stream) || ferror(to.stream))
		code = error_set(
			error, ERR_FAILED, "cannot write: %s", strerror(errno));
	return destination_close(&to, code, error);
}

static void work_free(struct work *w)
{
	explain_free(&w->explanation);
	job_result_free(&w->result);
	program_job_free(w->made);
	free(w->text);
	run_plans_free(&w->plans);
	run_open_close(&w->opened);
	run_options_free(&w->run);
	free(w);
}

static int work(
	const struct explain_options *options, FILE *out, struct error *error)
{
	struct work *w = calloc(1, sizeof(*w));
	int code;

	if (!w)
		return error_set(error, ERR_FAILED, "out of memory");
	w->options = options;
	w->stop = stop_catch(NULL);
	code = perform(w, error);
	if (!code && is_picture(options->output) && options->format < 0)
		code = write_picture(w, error);
	else if (!code)
		code = write_out(w, out, error);
	work_free(w);
	return code;
}

int command_explain(int argc, char **argv, FILE *out, struct error *error)
{
	struct explain_options options;
	int code = explain_options_parse(argc, argv, &options, error);

	return code ? code : work(&options, out, error);
}
