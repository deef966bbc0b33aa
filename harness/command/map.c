#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/visible/visible.h"
#include "harness/base/emit.h"
#include "harness/command/command.h"
#include "harness/figure/destination.h"
#include "harness/plot/window.h"
#include "harness/figure/draw.h"
#include "harness/map/order.h"
#include "harness/map/text.h"
#include "harness/plot/plot_cells.h"

#define DIGITS 9 /* of the numbers in JSON */
#define FORMATS                                                                \
	(1u << FORMAT_TABLE | 1u << FORMAT_JSON | 1u << FORMAT_MD |            \
		1u << FORMAT_TEX)

enum { KEY_NO_PLOT = 0x100 };

struct options {
	const char *file;
	const char *output; /* NULL: standard output */
	int format;         /* -1: what the output's name says */
	bool no_plot;
};

/* Where maps go; one of the three. */
struct target {
	const struct destination *to;
	const struct options *options;
	json_t *maps;
	struct figure figure;
	size_t count;
};

static const struct argp_option argp_options[] = {
	{"format", 'f', "FORMAT", 0,
		"table, json, md or tex (the last two: what a touch leaves)",
		0},
	{"output", 'o', "FILE", 0,
		"write there; the name chooses the format if -f does not, and "
		"svg, pdf or png make a figure",
		0},
	{"no-plot", KEY_NO_PLOT, NULL, 0, "without the map of cells", 0},
	WINDOW_OPTIONS,
	{0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'f':
		options->format = destination_format(argument, FORMATS);
		if (options->format < 0)
			argp_error(state,
				"the format '%s' is none of table, json, md, "
				"tex",
				argument);
		return 0;
	case 'o':
		options->output = argument;
		return 0;
	case KEY_NO_PLOT:
		options->no_plot = true;
		return 0;
	case KEY_WIDTH:
	case KEY_HEIGHT:
		window_parse(key, argument, state);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one file is read, no more");
		options->file = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a file is needed");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static uint32_t toucher_of(const struct series *series)
{
	const char *text = facts_find(&series->options, "toucher");

	return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/* Takes `map` in, as an element of `maps`. */
static int add_json(const struct series *series, const struct map *map,
	json_t *maps, struct error *error)
{
	json_t *object = json_pack("{s:s, s:I}", "axis", series->axis, "x",
		(json_int_t)map->cells.stride_bytes);
	json_t *rest = map_json(map);
	int failed = !object || !rest || json_object_update(object, rest);

	json_decref(rest);
	if (failed || json_array_append(maps, object))
		failed = 1;
	json_decref(object);
	return failed ? error_set(error, ERR_FAILED, "out of memory for a map")
		      : 0;
}

/* SMs and lines, each ordered by side. */
static int put_cells(const struct map *map, FILE *out, struct error *error)
{
	struct plot_matrix matrix = {.cells = map->cells.cycles,
		.rows = map->cells.sms,
		.columns = map->cells.lines,
		.row_name = "SMs of side A, then B",
		.column_name = "lines of home A, then B"};
	size_t *sms = map_order(map, true), *lines = map_order(map, false);
	struct plot window = {0};
	int code;

	plot_fit(&window, out);
	matrix.row_order = sms;
	matrix.column_order = lines;
	fputc('\n', out);
	code = sms && lines ? plot_put_matrix(&window, &matrix, out, error)
			    : error_set(error, ERR_FAILED, "out of memory");
	free(sms);
	free(lines);
	return code;
}

static int put_text(const struct series *series, const struct point *point,
	const struct map *map, const struct target *target, struct error *error)
{
	FILE *out = target->to->stream;
	char x[EMIT_NUMBER_BYTES];

	if (series_style(target->to->format) != TEXT_PLAIN) {
		map_put_touches(map, series_style(target->to->format), out);
		return 0;
	}
	emit_format(point->x, x);
	fputs(target->count ? "\n" : "", out);
	visible_put(out, series->bench);
	fputc(' ', out);
	visible_put(out, series->axis);
	fprintf(out, " %s: ", x);
	map_put_table(map, out);
	return target->options->no_plot ? 0 : put_cells(map, out, error);
}

static int put_point(const struct series *series, const struct point *point,
	struct target *target, struct error *error)
{
	struct map map;
	char title[120];
	int code = map_make(point, toucher_of(series), &map, error);

	if (code)
		return code;
	snprintf(title, sizeof(title),
		"%.60s: latency_cycles of %zu SMs to "
		"%zu lines",
		series->bench, map.cells.sms, map.cells.lines);
	if (target->to->figure)
		code = draw_map(&map, title, &target->figure, error);
	else if (target->maps)
		code = add_json(series, &map, target->maps, error);
	else
		code = put_text(series, point, &map, target, error);
	target->count++;
	map_free(&map);
	return code;
}

static bool holds_map(const struct series *series, const struct point *point)
{
	return strcmp(series->bench, "near-far") == 0 && !point->skipped &&
	       point->samples.count > 0;
}

static int put_list(const struct series_list *list, const char *path,
	struct target *target, struct error *error)
{
	const char *source = strcmp(path, "-") ? path : "standard input";
	size_t i, j;
	int code = 0;

	for (i = 0; i < list->count; i++)
		for (j = 0; j < list->items[i].point_count && !code; j++) {
			const struct series *series = &list->items[i];

			if (holds_map(series, &series->points[j]))
				code = put_point(series, &series->points[j],
					target, error);
		}
	if (code)
		return error_prefix(error, code, "%s: ", source);
	return target->count
		       ? 0
		       : error_set(error, ERR_USAGE,
				 "'%s' holds no samples of near-far, which "
				 "'run near-far -o FILE.json' writes",
				 source);
}

static int put_json(json_t *maps, FILE *out, struct error *error)
{
	json_t *document =
		json_pack("{s:s, s:O}", "schema", MAP_SCHEMA, "maps", maps);
	int code = 0;

	if (!document ||
		json_dumpf(document, out,
			JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) ||
		fputc('\n', out) == EOF)
		code = error_set(
			error, ERR_FAILED, "cannot write: %s", strerror(errno));
	json_decref(document);
	return code;
}

static int put_maps(const struct series_list *list,
	const struct options *options, const struct destination *to,
	struct error *error)
{
	const bool json = !to->figure && to->format == FORMAT_JSON;
	struct target target = {.to = to,
		.options = options,
		.maps = json ? json_array() : NULL};
	int code = 0;

	if (json && !target.maps)
		code = error_set(error, ERR_FAILED, "out of memory for a map");
	if (!code)
		code = put_list(list, options->file, &target, error);
	if (!code && json)
		code = put_json(target.maps, to->stream, error);
	if (!code && to->figure)
		code = figure_write(
			&target.figure, to->figure, to->stream, error);
	json_decref(target.maps);
	figure_free(&target.figure);
	return code;
}

int command_map(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, "FILE",
		"What the samples of the benchmark near-far say: the side of "
		"each SM, homes of lines and the address bits behind them, "
		"slices, the floor plan, and what a touch leaves near. FILE "
		"is JSON, gzipped or not; '-' is standard input.",
		NULL, NULL, NULL};
	struct options options = {.format = -1};
	struct series_list list = {0};
	struct destination to;
	int code;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(error, ERR_FAILED,
			"out of memory for the options of map");
	code = destination_apart(options.output, &options.file, 1, error);
	if (!code)
		code = series_read(options.file, &list, error);
	if (!code)
		code = destination_open(&to, options.output, options.format,
			(struct destination_forms){FORMATS, true}, out, error);
	if (!code)
		code = destination_close(
			&to, put_maps(&list, &options, &to, error), error);
	series_list_free(&list);
	return code;
}
