#include <stdlib.h>
#include <string.h>

#include "harness/command/help/bench.h"
#include "harness/command/help/lines.h"
#include "harness/command/run/run_table.h"
#include "harness/run/plan.h"
#include "harness/run/registry.h"

#define NAME_COLUMNS 22

/* ---- axes and metrics ---- */

static void put_axis(const struct axis *axis, FILE *out)
{
	lines_put(out, "  ", NAME_COLUMNS, axis->name, axis->help);
	lines_put(out, "  ", NAME_COLUMNS, "  default", axis->initial);
}

static void put_metrics(uint32_t metrics, FILE *out)
{
	int i;

	for (i = 0; i < METRIC_COUNT; i++)
		if (metrics >> i & 1)
			lines_put(out, "  ", NAME_COLUMNS, metric_columns[i],
				metric_meanings[i]);
}

/* What one word of an option makes of the bench. */
struct tried {
	const struct bench *bench;
	const struct axis *axis; /* the default's */
	uint32_t metrics;        /* shown so far */
};

static int try_word(struct tried *t, const struct bench_option *option,
	const char *word, FILE *out, struct error *error)
{
	const struct given_option given = {option->name, word};
	const struct axis *axis;
	struct bench_args args;
	uint32_t metrics;
	int code = plan_args(t->bench, &given, 1, &args, error);

	if (code)
		return code;
	axis = t->bench->axis(&args);
	metrics = t->bench->metrics(&args) & ~t->metrics;
	if (axis == t->axis && !metrics)
		return 0;
	fprintf(out, "\nWith --%s%s%s:\n", option->name,
		option->type == OPTION_FLAG ? "" : " ",
		option->type == OPTION_FLAG ? "" : word);
	if (axis != t->axis)
		put_axis(axis, out);
	put_metrics(metrics, out);
	t->metrics |= metrics;
	return 0;
}

static int try_option(struct tried *t, const struct bench_option *option,
	FILE *out, struct error *error)
{
	const char *words =
		option->type == OPTION_FLAG ? "yes" : option->choices;
	char word[64];
	size_t width;
	int code = 0;

	for (; !code && words && *words;
		words += width + (words[width] == '|')) {
		width = strcspn(words, "|");
		snprintf(word, sizeof(word), "%.*s", (int)width, words);
		code = try_word(t, option, word, out, error);
	}
	return code;
}

static int put_measured(
	const struct bench *bench, FILE *out, struct error *error)
{
	const struct bench_option *option;
	struct tried tried = {.bench = bench};
	struct bench_args args;
	int code = plan_args(bench, NULL, 0, &args, error);

	if (code)
		return code;
	tried.axis = bench->axis(&args);
	tried.metrics = bench->metrics(&args);
	fprintf(out, "\nAxis (-x; %%S: the SMs of the device):\n");
	put_axis(tried.axis, out);
	fprintf(out, "\nMetrics:\n");
	put_metrics(tried.metrics, out);
	for (option = bench->options; !code && option->name; option++)
		code = try_option(&tried, option, out, error);
	return code;
}

/* ---- options ---- */

static int put_option(const struct bench_option *option, FILE *out)
{
	const char *argument = run_bench_argument(option);
	char *help = run_bench_help(option), name[80];

	if (!help)
		return ERR_FAILED;
	snprintf(name, sizeof(name), "--%s%s%s", option->name,
		argument ? "=" : "", argument ? argument : "");
	lines_put(out, "  ", NAME_COLUMNS, name, help);
	free(help);
	return 0;
}

bool bench_help_has(const char *name)
{
	return bench_find(name) != NULL;
}

int bench_help_put(const char *name, FILE *out, struct error *error)
{
	const struct bench *bench = bench_find(name);
	const struct bench_option *option;
	size_t i;
	int code;

	fprintf(out, "Usage: nearfar run %s [OPTION...]\n", bench->name);
	lines_put(out, "", 0, NULL, bench->about);
	code = put_measured(bench, out, error);
	if (code)
		return code;
	fprintf(out, "\nOptions:\n");
	for (option = bench->options; !code && option->name; option++)
		code = put_option(option, out);
	if (code)
		return error_set(error, ERR_FAILED, "out of memory");
	fprintf(out, "  Those of every run (-b, -m, -x, -r, -f, -o, ...): "
		     "nearfar help run\n");
	fprintf(out, "\nExamples:\n");
	for (i = 0; i < sizeof(bench->examples) / sizeof(char *); i++)
		fprintf(out, "  nearfar run %s\n", bench->examples[i]);
	return 0;
}
