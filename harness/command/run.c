#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "harness/command/fit/fit_parts.h"
#include "harness/command/command.h"
#include "harness/command/run/run_files.h"
#include "harness/command/run/run_jobs.h"
#include "harness/command/run/run_open.h"
#include "harness/command/run/run_options.h"
#include "harness/command/run/run_plans.h"
#include "harness/command/run/run_profiles.h"
#include "harness/command/run/run_provenance.h"
#include "harness/command/suite/run_part.h"
#include "harness/command/run/run_stats.h"
#include "harness/command/suite/run_suite.h"
#include "harness/keep/stop.h"
#include "harness/run/provenance.h"
#include "harness/run/registry.h"
#include "harness/judge/mark_gate.h"
#include "harness/run/runner.h"
#include "harness/program/text/text.h"

/* ---- looking without running ---- */

static int dump(const struct run_options *o, const struct plan *plan,
	const struct run_opened *opened, FILE *out, struct error *error)
{
	const struct device *device = run_device_of(plan, 0, opened);
	struct program program;
	int code;

	if (plan->job)
		return run_job_dump(plan->job, o->dump_ptx, out, error);
	code = plan_build(
		plan, device, plan->sweep.points[0], o->seed, &program, error);
	if (code)
		return code;
	if (o->dump_ptx)
		return backend_cuda.dump(&program, device, out, error);
	return backend_sim.dump(&program, device, out, error);
}

static int dry_run(const struct run_options *o, const struct run_plans *plans,
	const struct run_opened *opened, FILE *out, struct error *error)
{
	struct program program;
	char repeats[REPEATS_BYTES];
	size_t i, k;

	repeats_text(&o->repeats, repeats);
	for (i = 0; i < plans->count; i++) {
		const struct plan *plan = &plans->items[i];

		if (plan->job) {
			int code = backend_sim.check_job(plan->job,
				run_device_of(plan, 0, opened),
				o->ops == &backend_sim, error);

			if (code)
				return error_prefix(error, code,
					"job '%s': ", plan->job->name);
			run_job_list(plan->job, out);
		}
		for (k = 0; !plan->job && k < plan->sweep.count; k++) {
			double x = plan->sweep.points[k];
			int code =
				plan_build(plan, run_device_of(plan, k, opened),
					x, o->seed, &program, error);

			if (code && code != ERR_SKIPPED)
				return code;
			fprintf(out, "%s %s=%.10g repeats=%s warmups=%u%s%s\n",
				plan->name, plan->axis, x, repeats, o->warmups,
				code ? " skipped: " : "",
				code ? error->text : "");
		}
	}
	return 0;
}

/* What is wrong with a point is said before the first one runs. */
static int check_points(const struct run_options *o,
	const struct run_plans *plans, const struct run_opened *opened,
	struct error *error)
{
	struct program program;
	size_t i, k;

	for (i = 0; i < plans->count && !o->kernels.count; i++)
		for (k = 0; k < plans->items[i].sweep.count; k++) {
			const struct plan *plan = &plans->items[i];
			int code =
				plan_build(plan, run_device_of(plan, k, opened),
					plan->sweep.points[k], o->seed,
					&program, error);

			if (code && code != ERR_SKIPPED)
				return code;
		}
	return 0;
}

static int check_trace(const struct run_options *o,
	const struct run_plans *plans, struct error *error)
{
	size_t points = 0, i;

	for (i = 0; o->trace.path && i < plans->count; i++)
		points += plans->items[i].job ? 1 : plans->items[i].sweep.count;
	if (points <= 1)
		return 0;
	return error_set(error, ERR_USAGE,
		"--trace is of one point or job, and this run has %zu", points);
}

/* ---- output ---- */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* All that workers use: one that does not stop uses it until the process
   ends. */
struct session {
	struct run_options options;
	struct run_opened opened;
	struct run_plans plans;
	struct kept kept;
	atomic_int *stop;
	struct run_report report;
	struct timeline timeline; /* --trace */
	bool has_journal;
	bool written; /* all that was finished */
};

static const char *first_skipped(const struct series_list *list)
{
	size_t i, k;

	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].point_count; k++)
			if (list->items[i].points[k].skipped)
				return list->items[i].points[k].skipped;
	return "";
}

/* Points that were finished but cannot be written are the worst news; then
   that something failed; then that nothing was measured. */
static int write_series(struct session *s, struct series_list *list, int code,
	FILE *out, struct error *error)
{
	struct error unwritten;
	int result = run_files_write(&s->options, list, out, &unwritten);

	s->written = !result;
	if (result) {
		*error = unwritten;
		return result;
	}
	if (code)
		return code;
	if (s->report.skipped != s->report.points)
		return s->options.strict ? marks_gate(list, error) : 0;
	if (s->report.points == 1)
		return error_set(error, ERR_FAILED,
			"nothing was measured: the point was skipped: %s",
			first_skipped(list));
	return error_set(error, ERR_FAILED,
		"nothing was measured: all %zu points were skipped, the first: "
		"%s",
		s->report.points, first_skipped(list));
}

/* Of a run that failed, too: if they can't be written, that is worse news. */
static int write_profiles(struct session *s, const struct series_list *list,
	int code, struct error *error)
{
	struct error unwritten;
	int result = run_profiles_tell(
		&s->options, &s->plans, &s->opened, list, &unwritten);

	if (!result)
		return code;
	*error = unwritten;
	return result;
}

/* Also of a run that failed, whose sentence stays. */
static int write_trace(struct session *s, const struct series_list *list,
	int code, struct error *error)
{
	struct error unwritten;
	int result = run_files_write_trace(&s->options, &s->plans.items[0],
		list, &s->timeline, &unwritten);

	if (!result || code)
		return code;
	*error = unwritten;
	return result;
}

static int measure(struct session *s, const struct run_config *config,
	FILE *out, struct error *error)
{
	struct series_list list = {0};
	struct facts facts[RUN_DEVICES_MAX] = {0};
	size_t i;
	double start_s = now_s(), seconds;
	int code = runner_run(config, s->plans.items, s->plans.count, &list,
		facts, &s->report, error);

	seconds = now_s() - start_s;
	if (list.count && (!code || s->report.finished)) {
		int made = run_provenance_add(config, s->plans.items, facts,
			&s->report, &list, error);

		code = made ? made : write_series(s, &list, code, out, error);
		if (s->written)
			code = write_profiles(s, &list, code, error);
		if (s->written)
			code = run_jobs_finish(&s->options, s->plans.items,
				s->plans.count, &list, code, error);
		if (s->options.stats)
			run_stats_print(&s->options, &list, seconds);
	}
	if (s->options.trace.path && !s->report.abandoned)
		code = write_trace(s, &list, code, error);
	series_list_free(&list);
	for (i = 0; i < s->opened.count; i++)
		facts_free(&facts[i]);
	return code;
}

/* The journal goes when the output holds everything. */
static void close_journal(struct session *s, int code, struct error *error)
{
	const bool done = s->written && s->report.finished == s->report.points;

	if (!done && code && s->kept.journal.records)
		error_suffix(error, code, "; --resume goes on from '%s'",
			s->kept.journal.path);
	kept_close(&s->kept, done);
}

static int execute(struct session *s, FILE *out, struct error *error)
{
	const struct run_options *o = &s->options;
	struct run_config config = run_open_config(o, &s->opened, s->stop);
	int code = run_files_open(o, &config, s->plans.items, s->plans.count,
		&s->kept, &s->has_journal, error);

	if (code)
		return code;
	config.kept = s->has_journal ? &s->kept : NULL;
	if (o->trace.path) {
		wanted_begin(&o->trace, &s->timeline);
		config.timeline = &s->timeline;
	}
	code = measure(s, &config, out, error);
	if (s->has_journal)
		close_journal(s, code, error);
	return code;
}

static int perform(struct session *s, FILE *out, struct error *error)
{
	const struct run_options *o = &s->options;
	const bool only_looking = o->dump_program || o->dump_ptx || o->dry_run;
	int code;

	if (!only_looking) {
		code = run_files_check(o, error);
		if (code)
			return code;
		s->stop = stop_catch(NULL);
	}
	code = run_open(o, only_looking, s->stop, &s->opened, error);
	if (!code)
		code = run_plans_make(o, &s->opened, s->stop, &s->plans, error);
	if (code)
		return code;
	if (o->dry_run)
		return dry_run(o, &s->plans, &s->opened, out, error);
	if (only_looking)
		return dump(o, &s->plans.items[0], &s->opened, out, error);
	code = check_points(o, &s->plans, &s->opened, error);
	if (!code)
		code = check_trace(o, &s->plans, error);
	return code ? code : execute(s, out, error);
}

/* Rows of benches first, then fits, which wait for the other parts. */
static int run_suite(struct session *s, const struct part *part,
	const struct split *split, struct error *error)
{
	const struct run_options *o = &s->options;
	size_t i;
	int code = 0;

	if (split_points(split))
		code = run_part(o, split, part, &s->report.abandoned, error);
	for (i = 0; !code && i < split->row_count; i++)
		if (split_row_is_fit(&split->rows[i]))
			code = fit_parts_run(&split->rows[i], o->output, part,
				o->jobs, error);
	return code;
}

static int perform_suite(struct session *s, struct error *error)
{
	const struct run_options *o = &s->options;
	struct part part = {1, 1, o->whole_series};
	struct split split = {.rows = NULL};
	int code = o->part ? part_parse(o->part, &part, error) : 0;

	if (!code && !o->output)
		code = error_set(error, ERR_USAGE,
			"--suite needs a folder for its parts: -o DIR");
	if (!code)
		code = run_suite_read(
			o->suite, &o->of_rows, NULL, NULL, &split, error);
	if (!code && mkdir(o->output, 0777) && errno != EEXIST)
		code = error_set(error, ERR_FAILED,
			"cannot make the folder '%s': %s", o->output,
			strerror(errno));
	if (!code)
		code = run_suite(s, &part, &split, error);
	if (!s->report.abandoned)
		split_free(&split);
	return code;
}

int command_run(int argc, char **argv, FILE *out, struct error *error)
{
	struct session *s = calloc(1, sizeof(*s));
	int code;

	if (!s)
		return error_set(error, ERR_FAILED, "out of memory");
	code = run_options_parse(argc, argv, &s->options, error);
	if (!code)
		code = provenance_check(error);
	if (!code)
		code = s->options.suite ? perform_suite(s, error)
					: perform(s, out, error);
	if (s->report.abandoned)
		return code;
	timeline_free(&s->timeline);
	run_plans_free(&s->plans);
	run_open_close(&s->opened);
	run_options_free(&s->options);
	free(s);
	return code;
}
