#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/figure/destination.h"
#include "harness/plot/window.h"
#include "harness/figure/draw.h"
#include "harness/keep/apart.h"
#include "harness/report/odd.h"
#include "harness/report/table.h"
#include "harness/judge/mark_gate.h"

enum {
	KEY_ROWS = 0x100,
	KEY_COLUMNS,
	KEY_METRIC,
	KEY_MERGE,
	KEY_ODD,
	KEY_STRICT
};

#define ROWS_MAX 32
#define FORMATS                                                                \
	(1u << FORMAT_TABLE | 1u << FORMAT_CSV | 1u << FORMAT_MD |             \
		1u << FORMAT_TEX)

struct options {
	const char *base, *new; /* new: NULL without */
	const char *output;     /* NULL: standard output */
	const char *rows[ROWS_MAX];
	struct table_layout layout;
	int format; /* -1: what the output's name says */
	bool merge, odd, strict;
};

static const struct argp_option argp_options[] = {
	{"rows", KEY_ROWS, "OPTION,...", 0,
		"options, --set parameters or facts such as machine that are "
		"rows (default: those in which the series differ)",
		0},
	{"columns", KEY_COLUMNS, "OPTION|x", 0,
		"an option that has the columns, or x: the axis (default)", 0},
	{"metric", KEY_METRIC, "NAME", 0,
		"show this metric or counter (default: levels where there are "
		"shares, "
		"else the first)",
		0},
	{"merge", KEY_MERGE, NULL, 0,
		"make one row of those that read the same (table and md)", 0},
	{"odd", KEY_ODD, NULL, 0,
		"of three devices or more, name the one that is farthest from "
		"the median, in units of MAD (table and md)",
		0},
	{"strict", KEY_STRICT, NULL, 0,
		"fail with status 3 if a point is marked", 0},
	{"format", 'f', "FORMAT", 0, "table, md, csv or tex", 0},
	{"output", 'o', "FILE", 0,
		"write there; the name chooses the format if -f does not, and "
		"svg, pdf or png make a figure",
		0},
	WINDOW_OPTIONS,
	{0},
};

/* Splits `argument` in place. */
static void parse_rows(
	char *argument, struct options *options, struct argp_state *state)
{
	char *word;

	for (; (word = strsep(&argument, ","));) {
		if (!*word)
			argp_error(state, "--rows: a word is missing");
		if (options->layout.row_count == ROWS_MAX)
			argp_error(state, "--rows: at most %d options are rows",
				ROWS_MAX);
		options->rows[options->layout.row_count++] = word;
	}
}

static void parse_format(
	const char *argument, struct options *options, struct argp_state *state)
{
	options->format = destination_format(argument, FORMATS);
	if (options->format < 0)
		argp_error(state,
			"the format '%s' is none of table, md, csv, tex",
			argument);
}

static void parse_metric(
	const char *argument, struct options *options, struct argp_state *state)
{
	options->layout.metric = metric_find(argument);
	if (options->layout.metric < 0)
		argp_error(state, "the metric '%s' is not known", argument);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_ROWS:
		parse_rows(argument, options, state);
		return 0;
	case KEY_COLUMNS:
		options->layout.columns =
			strcmp(argument, "x") ? argument : NULL;
		return 0;
	case KEY_METRIC:
		parse_metric(argument, options, state);
		return 0;
	case KEY_MERGE:
		options->merge = true;
		return 0;
	case KEY_ODD:
		options->odd = true;
		return 0;
	case KEY_STRICT:
		options->strict = true;
		return 0;
	case 'f':
		parse_format(argument, options, state);
		return 0;
	case 'o':
		options->output = argument;
		return 0;
	case KEY_WIDTH:
	case KEY_HEIGHT:
		window_parse(key, argument, state);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1)
			argp_error(state, "two files are shown, no more");
		*(state->arg_num ? &options->new : &options->base) = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a file is needed");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int put(const struct table_list *list, const struct destination *to,
	struct error *error)
{
	struct figure figure = {0};
	size_t i;
	int result = 0;

	if (!to->figure)
		return table_list_put(list, to->format, to->stream, error);
	for (i = 0; !result && i < list->count; i++)
		result = draw_table(&list->items[i], &figure, error);
	if (!result)
		result = figure_write(&figure, to->figure, to->stream, error);
	figure_free(&figure);
	return result;
}

/* Below the tables. */
static int put_odd(const struct options *options,
	const struct series_list *base, const struct destination *to,
	struct error *error)
{
	struct odd odd;
	int result;

	if (options->new)
		return error_set(
			error, ERR_USAGE, "--odd takes the series of one file");
	if (to->figure ||
		(to->format != FORMAT_TABLE && to->format != FORMAT_MD))
		return error_set(error, ERR_USAGE,
			"--odd is for people: table and md alone have it");
	result = odd_find(base, options->layout.metric, &odd, error);
	if (result)
		return result;
	odd_put(&odd, to->stream);
	odd_free(&odd);
	return 0;
}

static int tabulate(const struct options *options,
	const struct series_list *base, const struct series_list *new,
	const struct destination *to, struct error *error)
{
	struct table_list list;
	size_t i;
	int result;

	if (options->merge && !to->figure && to->format == FORMAT_CSV)
		return error_set(error, ERR_USAGE,
			"--merge is for people: csv keeps every row");
	result = table_list_make(base, new, &options->layout, &list, error);
	if (result)
		return result;
	for (i = 0; options->merge && !result && i < list.count; i++)
		result = table_merge(&list.items[i], error);
	if (!result)
		result = put(&list, to, error);
	table_list_free(&list);
	if (!result && options->odd)
		result = put_odd(options, base, to, error);
	return result;
}

static int check_apart(const struct options *options, struct error *error)
{
	const struct apart_file files[] = {
		{options->output, "-o", true},
		{options->base, "the series", false},
		{options->new, "the series", false},
	};

	return apart_check(files, sizeof(files) / sizeof(files[0]), error);
}

int command_table(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, "FILE [NEW]",
		"Show the series of a file as rows and columns. With a second "
		"file, cells that differ show both, and the last line says how "
		"far the two are apart.",
		NULL, NULL, NULL};
	struct options options = {.layout.metric = -1, .format = -1};
	struct series_list base = {0}, new = {0};
	struct destination to;
	int result;

	options.layout.rows = options.rows;
	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(error, ERR_FAILED,
			"out of memory for the options of table");
	result = check_apart(&options, error);
	if (!result)
		result = series_read(options.base, &base, error);
	if (!result && options.new)
		result = series_read(options.new, &new, error);
	if (!result &&
		(series_take_counter(&base, options.layout.metric) ||
			series_take_counter(&new, options.layout.metric)))
		result = error_set(error, ERR_FAILED, "out of memory");
	if (!result)
		result = destination_open(&to, options.output, options.format,
			(struct destination_forms){FORMATS, true}, out, error);
	if (!result)
		result = destination_close(&to,
			tabulate(&options, &base, options.new ? &new : NULL,
				&to, error),
			error);
	if (!result && options.strict)
		result = marks_gate(&base, error);
	if (!result && options.strict)
		result = marks_gate(&new, error);
	series_list_free(&base);
	series_list_free(&new);
	return result;
}
