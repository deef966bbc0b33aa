#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/base/choices.h"
#include "harness/program/legality/legality.h"
#include "harness/run/plan.h"
#include "harness/program/text/text.h"
#include "harness/base/units.h"

#define PROGRAM_METRICS                                                        \
	(1u << METRIC_LATENCY_CYCLES | 1u << METRIC_LATENCY_NS |               \
		1u << METRIC_USEFUL_GB_PER_S | 1u << METRIC_BYTES_PER_CYCLE |  \
		1u << METRIC_SECTORS_PER_REQUEST |                             \
		1u << METRIC_LOADS_PER_CYCLE | 1u << METRIC_ATOMICS_PER_CYCLE)

#define JOB_METRICS (1u << METRIC_ELAPSED_CYCLES | 1u << METRIC_ELAPSED_NS)

/* ---- options ---- */

static int choose(const struct bench_option *option, const char *text,
	double *number, struct error *error)
{
	const int index = choices_find(option->choices, text);
	char choices[CHOICES_BYTES];

	if (index >= 0) {
		*number = index;
		return 0;
	}
	choices_format(option->choices, choices);
	return error_set(error, ERR_USAGE, "'--%s %s' is not one of %s",
		option->name, text, choices);
}

static int parse_option(const struct bench_option *option, const char *text,
	double *number, struct error *error)
{
	uint64_t whole = 0;
	int code = 0;

	switch (option->type) {
	case OPTION_CHOICE:
		return choose(option, text, number, error);
	case OPTION_REAL:
		code = units_parse_real(text, number, error);
		break;
	case OPTION_FLAG:
		*number = !strcmp(text, "yes");
		return 0;
	case OPTION_BYTES:
		code = units_parse_bytes(text, &whole, error);
		*number = (double)whole;
		break;
	case OPTION_COUNT:
		code = units_parse_count(text, &whole, error);
		*number = (double)whole;
		break;
	}
	if (code)
		return error_prefix(error, code, "--%s: ", option->name);
	if (option->maximum > 0 &&
		(*number < option->minimum || *number > option->maximum))
		return error_set(error, ERR_USAGE,
			"--%s: %s must lie between %.0f and %.0f", option->name,
			text, option->minimum, option->maximum);
	return 0;
}

int plan_args(const struct bench *bench, const struct given_option *given,
	size_t given_count, struct bench_args *args, struct error *error)
{
	const struct bench_option *options = bench->options;
	size_t i, k;

	*args = (struct bench_args){.options = options};
	for (i = 0; options[i].name; i++) {
		const char *text = options[i].initial;

		for (k = 0; k < given_count; k++)
			if (!strcmp(given[k].name, options[i].name))
				text = given[k].text;
		args->values[i].text = text;
		if (parse_option(
			    &options[i], text, &args->values[i].number, error))
			return ERR_USAGE;
	}
	return 0;
}

int plan_bench(struct plan *plan, const struct bench *bench,
	const struct given_option *given, size_t given_count,
	const char *sweep_text, const struct device *device,
	struct error *error)
{
	const struct axis *axis;
	int code;

	*plan = (struct plan){.bench = bench, .name = bench->name};
	if (plan_args(bench, given, given_count, &plan->args, error))
		return ERR_USAGE;
	axis = bench->axis(&plan->args);
	plan->axis = axis->name;
	plan->metrics = bench->metrics(&plan->args);
	code = sweep_parse(sweep_text ? sweep_text : axis->initial, axis->unit,
		device->sm_count, &plan->sweep, error);
	return code ? error_prefix(error, code, "-x: ") : 0;
}

/* ---- a user's program ---- */

static int parse_program(struct program *program, const char *text,
	const char *source, struct error *error)
{
	int code = program_parse(text, source, program, error);

	if (code)
		return code;
	code = program_check(program, error);
	return code ? error_prefix(error, code, "%s: ", source) : 0;
}

int plan_text(struct plan *plan, const char *text, const char *source,
	struct error *error)
{
	int code;

	*plan = (struct plan){.axis = "program", .metrics = PROGRAM_METRICS};
	code = parse_program(&plan->program, text, source, error);
	if (code)
		return code;
	plan->name = plan->program.name;
	plan->text = strdup(text);
	plan->source = strdup(source);
	if (!plan->text || !plan->source)
		return error_set(error, ERR_FAILED, "out of memory");
	return sweep_parse("0", AXIS_COUNT, 0, &plan->sweep, error);
}

int plan_program(struct plan *plan, const char *path, struct error *error)
{
	struct content content;
	int code = content_read_written(path, &content, error);

	if (code)
		return error_prefix(error, code, "program: ");
	code = plan_text(plan, content.text, content.source, error);
	content_free(&content);
	return code;
}

int plan_texts(struct plan *plan, const char *axis, const double *x,
	const char *const *texts, size_t count, const char *source,
	struct error *error)
{
	struct program program;
	size_t i;
	int code = 0;

	sweep_free(&plan->sweep);
	plan->axis = axis;
	plan->texts = calloc(count + 1, sizeof(*plan->texts));
	plan->sweep.points = calloc(count + 1, sizeof(double));
	if (!plan->texts || !plan->sweep.points)
		return error_set(error, ERR_FAILED, "out of memory");
	plan->sweep.count = count;
	memcpy(plan->sweep.points, x, count * sizeof(double));
	for (i = 0; !code && i < count; i++) {
		plan->texts[i] = strdup(texts[i]);
		if (!plan->texts[i])
			return error_set(error, ERR_FAILED, "out of memory");
		code = parse_program(
			i ? &program : &plan->program, texts[i], source, error);
	}
	return code;
}

int plan_job(
	struct plan *plan, const char *path, bool warm, struct error *error)
{
	struct job *job = calloc(1, sizeof(*job));
	size_t i;
	int code = job ? job_load(path, job, error)
		       : error_set(error, ERR_FAILED, "out of memory");

	if (code) {
		free(job);
		return code;
	}
	for (i = 0; warm && i < job->launch_count; i++)
		job->launches[i].warmups++;
	*plan = (struct plan){.axis = "launch",
		.metrics = JOB_METRICS,
		.job = job,
		.name = job->name};
	return sweep_parse("0", AXIS_COUNT, 0, &plan->sweep, error);
}

int plan_keep(struct plan *plan, const bool *kept)
{
	struct sweep *sweep = &plan->sweep;
	size_t i, count = 0;

	if (plan->setting_per_point) {
		plan->kept_settings =
			calloc(sweep->count + 1, sizeof(*plan->kept_settings));
		if (!plan->kept_settings)
			return ERR_FAILED;
	}
	for (i = 0; i < sweep->count; i++) {
		if (!kept[i]) {
			if (plan->texts)
				free(plan->texts[i]);
			continue;
		}
		if (plan->texts)
			plan->texts[count] = plan->texts[i];
		if (plan->setting_per_point)
			plan->kept_settings[count] = plan->settings[i];
		sweep->points[count++] = sweep->points[i];
	}
	sweep->count = count;
	if (plan->setting_per_point && count)
		plan->settings = plan->kept_settings;
	return 0;
}

void plan_free(struct plan *plan)
{
	size_t i;

	if (plan->job)
		job_free(plan->job);
	free(plan->job);
	plan->job = NULL;
	free(plan->text);
	free(plan->source);
	for (i = 0; plan->texts && i < plan->sweep.count; i++)
		free(plan->texts[i]);
	free(plan->texts);
	free(plan->kept_settings);
	facts_free(&plan->options);
	sweep_free(&plan->sweep);
}

const struct setting *plan_setting(const struct plan *plan, size_t index)
{
	if (!plan->settings)
		return NULL;
	return &plan->settings[plan->setting_per_point ? index : 0];
}

/* That of the first point at x. */
static const char *text_at(const struct plan *plan, double x)
{
	size_t i = 0;

	while (i + 1 < plan->sweep.count && plan->sweep.points[i] != x)
		i++;
	return plan->texts[i];
}

int plan_build(const struct plan *plan, const struct device *device, double x,
	uint32_t seed, struct program *program, struct error *error)
{
	struct bench_args args = plan->args;
	int code = 0;

	args.seed = seed;
	if (plan->bench)
		code = plan->bench->build(&args, device,
			plan->placed ? plan->place : x, program, error);
	else if (plan->texts)
		code = program_parse(
			text_at(plan, x), plan->name, program, error);
	else
		*program = plan->program;
	if (code)
		return code;
	code = program_check(program, error);
	return code ? code : program_fits(program, device, error);
}

int plan_places(const struct plan *plan, double x,
	const struct program *program, struct program_places *places,
	char **text, struct error *error)
{
	const char *name = plan->bench ? plan->bench->name : plan->source;
	struct program *again = malloc(sizeof(*again));
	int code;

	if (plan->bench)
		*text = program_text(program);
	else
		*text = strdup(plan->texts ? text_at(plan, x) : plan->text);
	code = again && *text
		       ? program_parse_places(*text, name, again, places, error)
		       : error_set(error, ERR_FAILED, "out of memory");
	free(again);
	return code;
}
