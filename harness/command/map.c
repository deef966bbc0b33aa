#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/base/emit.h"
#include "harness/map/text.h"
#include "harness/series/io.h"

#define DIGITS 9 /* of the numbers in JSON */

struct options {
	const char *file;
	bool json;
};

static const struct argp_option argp_options[] = {
	{"format", 'f', "FORMAT", 0, "table or json", 0},
	{0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'f':
		options->json = strcmp(argument, "json") == 0;
		if (!options->json && strcmp(argument, "table") != 0)
			argp_error(state,
				"the format '%s' is neither table nor json",
				argument);
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

static void put_table(const struct series *series, const struct point *point,
	const struct map *map, bool another, FILE *out)
{
	char x[EMIT_NUMBER_BYTES];

	emit_format(point->x, x);
	fprintf(out, "%s%s %s %s: ", another ? "\n" : "", series->bench,
		series->axis, x);
	map_put_table(map, out);
}

static int put_point(const struct series *series, const struct point *point,
	json_t *maps, bool another, FILE *out, struct error *error)
{
	struct map map;
	int code = map_make(point, toucher_of(series), &map, error);

	if (code)
		return code;
	if (maps)
		code = add_json(series, &map, maps, error);
	else
		put_table(series, point, &map, another, out);
	map_free(&map);
	return code;
}

static bool holds_map(const struct series *series, const struct point *point)
{
	return strcmp(series->bench, "near-far") == 0 && !point->skipped &&
	       point->samples.count > 0;
}

static int put_list(const struct series_list *list, const char *path,
	json_t *maps, FILE *out, struct error *error)
{
	const char *source = strcmp(path, "-") ? path : "standard input";
	size_t i, j, found = 0;
	int code = 0;

	for (i = 0; i < list->count; i++)
		for (j = 0; j < list->items[i].point_count && !code; j++) {
			const struct series *series = &list->items[i];

			if (holds_map(series, &series->points[j]))
				code = put_point(series, &series->points[j],
					maps, found++ > 0, out, error);
		}
	if (code)
		return error_prefix(error, code, "%s: ", source);
	return found ? 0
		     : error_set(error, ERR_USAGE,
			       "'%s' holds no samples of near-far, which 'run "
			       "near-far -o FILE.json' writes",
			       source);
}

static int put_maps(const struct series_list *list,
	const struct options *options, FILE *out, struct error *error)
{
	json_t *maps = options->json ? json_array() : NULL, *document;
	int code;

	if (options->json && !maps)
		return error_set(error, ERR_FAILED, "out of memory for a map");
	code = put_list(list, options->file, maps, out, error);
	if (!maps)
		return code;
	document = json_pack("{s:s, s:o}", "schema", MAP_SCHEMA, "maps", maps);
	if (!code &&
		(!document ||
			json_dumpf(document, out,
				JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) ||
			fputc('\n', out) == EOF))
		code = error_set(
			error, ERR_FAILED, "cannot write: %s", strerror(errno));
	json_decref(document);
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
	struct options options = {0};
	struct series_list list = {0};
	int code;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(
			error, ERR_USAGE, "the options of map cannot be read");
	code = series_read(options.file, &list, error);
	if (code)
		return code;
	code = put_maps(&list, &options, out, error);
	series_list_free(&list);
	return code;
}
