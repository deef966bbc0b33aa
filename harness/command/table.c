#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/base/output.h"
#include "harness/keep/apart.h"
#include "harness/report/table.h"

enum { KEY_ROWS = 0x100, KEY_COLUMNS, KEY_METRIC, KEY_MERGE };

#define ROWS_MAX 32

struct options {
	const char *base, *new; /* new: NULL without */
	const char *output;     /* NULL: standard output */
	const char *rows[ROWS_MAX];
	struct table_layout layout;
	int format; /* -1: what the output's name says */
	bool merge;
};

static const struct argp_option argp_options[] = {
	{"rows", KEY_ROWS, "OPTION,...", 0,
		"options, --set parameters or facts such as machine that are "
		"rows (default: those in which the series differ)",
		0},
	{"columns", KEY_COLUMNS, "OPTION|x", 0,
		"an option that has the columns, or x: the axis (default)", 0},
	{"metric", KEY_METRIC, "NAME", 0,
		"show this metric (default: levels where there are shares, "
		"else the first)",
		0},
	{"merge", KEY_MERGE, NULL, 0,
		"make one row of those that read the same (table and md)", 0},
	{"format", 'f', "FORMAT", 0, "table, md or csv", 0},
	{"output", 'o', "FILE", 0,
		"write there; the name chooses the format if -f does not", 0},
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
	options->format = series_format_find(argument);
	if (options->format != FORMAT_TABLE && options->format != FORMAT_MD &&
		options->format != FORMAT_CSV)
		argp_error(state, "the format '%s' is none of table, md, csv",
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
	case 'f':
		parse_format(argument, options, state);
		return 0;
	case 'o':
		options->output = argument;
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

static int put(const struct table_list *list, enum series_format format,
	const char *path, FILE *out, struct error *error)
{
	struct output output;
	int result;

	if (!path)
		return table_list_put(list, format, out, error);
	result = output_open(&output, path, error);
	if (result)
		return result;
	result = table_list_put(list, format, output.stream, error);
	if (!result)
		return output_commit(&output, error);
	output_abort(&output);
	return result;
}

static int tabulate(const struct options *options,
	const struct series_list *base, const struct series_list *new,
	FILE *out, struct error *error)
{
	const enum series_format format =
		options->format >= 0 ? (enum series_format)options->format
				     : series_format_of(options->output);
	struct table_list list;
	size_t i;
	int result;

	if (format == FORMAT_JSON || format == FORMAT_JSONL)
		return error_set(error, ERR_USAGE,
			"'%s': a table is written as table, md or csv",
			options->output);
	if (options->merge && format == FORMAT_CSV)
		return error_set(error, ERR_USAGE,
			"--merge is for people: csv keeps every row");
	result = table_list_make(base, new, &options->layout, &list, error);
	if (result)
		return result;
	for (i = 0; options->merge && !result && i < list.count; i++)
		result = table_merge(&list.items[i], error);
	if (!result)
		result = put(&list, format, options->output, out, error);
	table_list_free(&list);
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
	int result;

	options.layout.rows = options.rows;
	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(error, ERR_USAGE,
			"the options of table cannot be read");
	result = check_apart(&options, error);
	if (!result)
		result = series_read(options.base, &base, error);
	if (!result && options.new)
		result = series_read(options.new, &new, error);
	if (!result)
		result = tabulate(
			&options, &base, options.new ? &new : NULL, out, error);
	series_list_free(&base);
	series_list_free(&new);
	return result;
}
