#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/figure/destination.h"
#include "harness/plot/window.h"
#include "harness/figure/draw.h"
#include "harness/series/io.h"
#include "harness/judge/mark_gate.h"
#include "harness/report/show_plot.h"

enum { KEY_METRIC = 0x100, KEY_NO_PLOT, KEY_TIDY, KEY_STRICT };

#define FORMATS ((1u << FORMAT_COUNT) - 1)

struct options {
	char **files;
	int file_count;
	int metric; /* -1: all in the table, the first in the plot */
	bool no_plot, strict;
	int format;         /* -1: what the output's name says */
	const char *output; /* NULL: standard output */
};

static const struct argp_option argp_options[] = {
	{"metric", KEY_METRIC, "NAME", 0,
		"show only this metric or counter (default: all metrics; the "
		"plot takes the first)",
		0},
	{"format", 'f', "FORMAT", 0,
		"table, csv, tidy, json, jsonl, md, tex, gbench, vega-lite or "
		"openmetrics",
		0},
	{"output", 'o', "FILE", 0,
		"write there; the name chooses the format if -f does not, and "
		"svg, pdf or png make a figure",
		0},
	WINDOW_OPTIONS,
	{"tidy", KEY_TIDY, NULL, 0, "the same as -f tidy", 0},
	{"no-plot", KEY_NO_PLOT, NULL, 0, "the table alone", 0},
	{"strict", KEY_STRICT, NULL, 0,
		"fail with status 3 if a point is marked", 0},
	{0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;
	char list[SERIES_FORMAT_LIST_BYTES];

	switch (key) {
	case KEY_METRIC:
		options->metric = metric_find(argument);
		if (options->metric < 0)
			argp_error(state, "the metric '%s' is not known",
				argument);
		return 0;
	case KEY_NO_PLOT:
		options->no_plot = true;
		return 0;
	case KEY_TIDY:
		options->format = FORMAT_TIDY;
		return 0;
	case KEY_STRICT:
		options->strict = true;
		return 0;
	case 'f':
		series_format_list(list);
		options->format = destination_format(argument, FORMATS);
		if (options->format < 0)
			argp_error(state, "the format '%s' is none of %s",
				argument, list);
		return 0;
	case 'o':
		options->output = argument;
		return 0;
	case KEY_WIDTH:
	case KEY_HEIGHT:
		window_parse(key, argument, state);
		return 0;
	case ARGP_KEY_ARGS:
		options->files = state->argv + state->next;
		options->file_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a file is needed");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Moves what `from` holds behind what `to` holds. */
static int append(struct series_list *to, struct series_list *from)
{
	const size_t count = to->count + from->count;
	struct series *items;

	items = reallocarray(to->items, count + 1, sizeof(*items));
	if (!items)
		return ERR_FAILED;
	if (from->count)
		memcpy(items + to->count, from->items,
			from->count * sizeof(*items));
	to->items = items;
	to->count = count;
	free(from->items);
	*from = (struct series_list){0};
	return 0;
}

static int read_files(const struct options *options, struct series_list *all,
	struct error *error)
{
	int i, result;

	for (i = 0; i < options->file_count; i++) {
		struct series_list list = {0};

		result = series_read(options->files[i], &list, error);
		if (result)
			return result;
		if (append(all, &list)) {
			series_list_free(&list);
			return error_set(error, ERR_FAILED, "out of memory");
		}
	}
	return 0;
}

static int keep_metric(
	struct series_list *list, int metric, struct error *error)
{
	bool found = false;
	size_t i;

	for (i = 0; i < list->count; i++) {
		list->items[i].metrics &= METRIC_BIT(metric);
		found |= list->items[i].metrics != 0;
	}
	if (found)
		return 0;
	return error_set(error, ERR_USAGE, "no series has the metric '%s'",
		metric_columns[metric]);
}

static int put_figure(const struct series_list *list,
	const struct destination *destination, struct error *error)
{
	struct figure figure = {0};
	int result = draw_series(list, &figure, error);

	if (!result)
		result = figure_write(&figure, destination->figure,
			destination->stream, error);
	figure_free(&figure);
	return result;
}

static int put(const struct options *options, const struct series_list *list,
	FILE *out, struct error *error)
{
	struct destination to;
	int result = destination_open(&to, options->output, options->format,
		(struct destination_forms){FORMATS, true}, out, error);

	if (result)
		return result;
	if (to.figure)
		result = put_figure(list, &to, error);
	else
		result = series_write(list, to.format, to.stream, error);
	if (!result && !to.figure && to.format == FORMAT_TABLE &&
		!options->no_plot)
		result = show_plot(list, to.stream, error);
	return destination_close(&to, result, error);
}

int command_show(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, "FILE...",
		"Show files of series as a table and a plot.", NULL, NULL,
		NULL};
	struct options options = {.metric = -1, .format = -1};
	struct series_list list = {0};
	int result;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(error, ERR_FAILED,
			"out of memory for the options of show");
	result = destination_apart(options.output,
		(const char *const *)options.files, (size_t)options.file_count,
		error);
	if (!result)
		result = read_files(&options, &list, error);
	if (!result && series_take_counter(&list, options.metric))
		result = error_set(error, ERR_FAILED, "out of memory");
	if (!result && options.metric >= 0)
		result = keep_metric(&list, options.metric, error);
	if (!result)
		result = put(&options, &list, out, error);
	if (!result && options.strict)
		result = marks_gate(&list, error);
	series_list_free(&list);
	return result;
}
