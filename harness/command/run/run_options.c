#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/choices.h"
#include "harness/host/host.h"
#include "harness/command/run/run_options.h"
#include "harness/command/run/run_table.h"
#include "harness/command/run/run_together.h"

/* ---- the options of benches ---- */

static int take_given(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct run_options *o = into;

	if (o->given_count == RUN_GIVEN_MAX)
		return error_set(error, ERR_USAGE, "too many bench options");
	o->given[o->given_count++] = (struct given_option){
		.name = row->name, .text = text ? text : "yes"};
	return 0;
}

char *run_bench_help(const struct bench_option *option)
{
	char choices[CHOICES_BYTES] = "", *help = NULL;

	if (option->choices)
		choices_format(option->choices, choices);
	if (asprintf(&help, "%s%s%s (default %s)", option->help,
		    *choices ? ": " : "", choices, option->initial) < 0)
		return NULL;
	return help;
}

const char *run_bench_argument(const struct bench_option *option)
{
	return option->type == OPTION_FLAG     ? NULL
	       : option->type == OPTION_BYTES  ? "SIZE"
	       : option->type == OPTION_CHOICE ? "WORD"
					       : "N";
}

static bool known(const struct run_bench_rows *made, const char *name)
{
	size_t i;

	for (i = 0; i < made->count; i++)
		if (!strcmp(made->rows[i].name, name))
			return true;
	return false;
}

static int add_option(struct run_bench_rows *made,
	const struct bench_option *option, bool hidden)
{
	char *help = run_bench_help(option);

	if (!help)
		return ERR_FAILED;
	made->helps[made->count] = help;
	made->rows[made->count++] = (struct options_row){
		.name = option->name,
		.argument = run_bench_argument(option),
		.help = help,
		.kind = TAKES_OWN,
		.take = take_given,
		.choices = option->choices,
		.values = option->choices ? VALUES_CHOICES : VALUES_NONE,
		.hidden = hidden,
	};
	return 0;
}

static bool is_named(const struct bench *bench, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], bench->name))
			return true;
	return false;
}

/* Of the benches that the words name, or of the others. */
static int add_benches(struct run_bench_rows *made, int argc, char **argv,
	bool named, bool hidden)
{
	const struct bench_option *option;
	size_t i;
	int code = 0;

	for (i = 0; benches[i]; i++) {
		if (is_named(benches[i], argc, argv) != named)
			continue;
		for (option = benches[i]->options; !code && option->name;
			option++)
			if (!known(made, option->name))
				code = add_option(made, option, hidden);
	}
	return code;
}

int run_bench_rows_make(
	struct run_bench_rows *made, int argc, char **argv, struct error *error)
{
	const size_t most = RUN_BENCHES_MAX * BENCH_OPTIONS_MAX + 1;
	int code;

	*made = (struct run_bench_rows){
		.rows = calloc(most, sizeof(*made->rows)),
		.helps = calloc(most, sizeof(*made->helps))};
	code = made->rows && made->helps
		       ? add_benches(made, argc, argv, true, false)
		       : ERR_FAILED;
	if (!code)
		code = add_benches(made, argc, argv, false, made->count > 0);
	if (!code)
		return 0;
	run_bench_rows_free(made);
	return error_set(error, ERR_FAILED, "out of memory");
}

void run_bench_rows_free(struct run_bench_rows *made)
{
	size_t i;

	for (i = 0; made->helps && i < made->count; i++)
		free(made->helps[i]);
	free(made->helps);
	free(made->rows);
	*made = (struct run_bench_rows){0};
}

/* ---- a command line ---- */

static const char *const examples[] = {
	"nearfar run pointer-chase",
	"nearfar run bandwidth --access write -x 1,8,64 -o bandwidth.json",
	"nearfar run --kernel vector.job --profile profile.txt",
	"nearfar run pointer-chase -b cuda -o gpu.json",
	NULL,
};

static const char *const files[] = {
	"FILE.journal",
	"points that are finished, beside -o FILE while it runs; --resume "
	"goes on from there",
	NULL,
};

const struct options_table run_options = {
	.name = "run",
	.summary = "measure on the model or on a GPU",
	.operands = "BENCH...\n--program FILE...\n--kernel JOB...\n--suite "
		    "FILE [--part K/N] -o DIR [-- WORD...]",
	.about = "Run benches, access programs, or kernels, on a backend.",
	.rows = run_rows,
	.words = offsetof(struct run_parsing, operands),
	.most = SIZE_MAX,
	.needed = "a bench is needed",
	.first = {VALUES_BENCHES, NULL},
	.rest = {VALUES_BENCHES, NULL},
	.examples = examples,
	.files = files,
};

static int fill_in(
	const struct run_parsing *p, struct run_options *o, struct error *error)
{
	char endings[SERIES_FORMAT_LIST_BYTES];
	int code = 0;

	if (p->format >= 0)
		o->format = (enum series_format)p->format;
	else if (!o->suite)
		code = series_format_of(o->output, &o->format);
	if (code) {
		series_ending_list(endings);
		return error_set(error, ERR_USAGE,
			"'%s' ends in none of %s (with .gz or without): -f "
			"FORMAT names one (figures are drawn by 'nearfar "
			"show')",
			o->output, endings);
	}
	if (!o->repeats.count)
		o->repeats.count = o->ops->parallel ? 1 : 5;
	if (o->warmups == RUN_WARMUPS_USUAL)
		o->warmups = o->ops->parallel ? 0 : 1;
	if (!o->jobs)
		o->jobs = host_cores();
	return code;
}

/* Operands stand behind the files of --program and --kernel. */
static int resolve(struct run_parsing *p, struct error *error)
{
	size_t i;

	if (p->options.suite) {
		p->options.of_rows = p->operands;
		return p->crowded ? run_together_suite(p->beside_suite, error)
				  : 0;
	}
	for (i = 0; i < p->operands.count; i++)
		p->words[p->word_count++] = p->operands.items[i];
	return run_words_resolve(
		&p->options, p->words, p->word_count, p->kind, error);
}

static int before(
	void *into, const struct options_row *row, struct error *error)
{
	struct run_parsing *p = into;

	if (p->before && p->before(into, row, error))
		return ERR_USAGE;
	if (!p->crowded && run_together_suite(row, NULL)) {
		p->crowded = true;
		p->beside_suite = row;
	}
	return 0;
}

static int parse(
	struct run_parsing *p, int argc, char **argv, struct error *error)
{
	struct run_bench_rows of_benches = {0};
	struct options_table table = run_options;
	int code = run_bench_rows_make(&of_benches, argc, argv, error);

	if (code)
		return code;
	table.more = of_benches.rows;
	table.more_heading = "Options of the benches (nearfar help BENCH has "
			     "each bench's own):";
	code = p->before ? options_parse_words(
				   &table, argc, argv, before, p, error)
			 : options_parse(&table, argc, argv, before, p, error);
	if (!code)
		code = resolve(p, error); /* may name one of the rows */
	run_bench_rows_free(&of_benches);
	return code ? code : fill_in(p, &p->options, error);
}

int run_options_parse_words(int argc, char **argv, options_before *refuses,
	struct run_options *options, struct error *error)
{
	struct run_parsing *p = calloc(1, sizeof(*p));
	const char **words = calloc((size_t)argc + 1, sizeof(*words));
	int code;

	*options = (struct run_options){.ops = &backend_sim,
		.seed = 1,
		.device_count = 1,
		.warmups = RUN_WARMUPS_USUAL};
	if (p && words) {
		p->options = *options;
		p->before = refuses;
		p->words = words;
		p->format = -1;
		code = parse(p, argc, argv, error);
		*options = p->options;
	} else {
		code = error_set(error, ERR_FAILED, "out of memory");
	}
	free(words);
	free(p);
	return code;
}

int run_options_parse(
	int argc, char **argv, struct run_options *options, struct error *error)
{
	return run_options_parse_words(argc, argv, NULL, options, error);
}

void run_options_free(struct run_options *options)
{
	program_files_free(&options->programs);
	program_files_free(&options->kernels);
	choice_list_free(&options->set_choices);
	choice_list_free(&options->variables);
	choice_axis_free(&options->axis);
}
