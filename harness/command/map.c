#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/visible/visible.h"
#include "harness/base/emit.h"
#include "harness/command/command.h"
#include "harness/figure/draw.h"
#include "harness/frame/frame.h"
#include "harness/map/order.h"
#include "harness/map/text.h"
#include "harness/plot/plot_cells.h"
#include "harness/sheet/sheet.h"

#define DIGITS 9 /* of the numbers in JSON */
/* Where maps go; one of them. */
struct target {
	const struct destination *to;
	const struct frame *frame;
	json_t *maps;
	struct sheet sheet; /* of the other formats for programs */
	struct charts figure;
	size_t count;
};

static const struct options_row rows[] = {
	FRAME_FORMAT,
	FRAME_OUTPUT(FRAME_FIGURES),
	FRAME_NO_PLOT("without the map of cells"),
	FRAME_WINDOW,
	{0},
};

static const char *const examples[] = {
	"nearfar map near-far.json",
	"nearfar map near-far.json --no-plot -f json",
	"nearfar map near-far.json -o map.svg",
	NULL,
};

const struct options_table map_options = {
	.name = "map",
	.summary = "sides, homes, slices and floor plan from near-far",
	.operands = "FILE",
	.about = "What the samples of the benchmark near-far say: the side of "
		 "each SM, homes of lines and the address bits behind them, "
		 "slices, the floor plan, and what a touch leaves near. FILE "
		 "is JSON, gzipped or not; '-' is standard input.",
	.rows = rows,
	FRAME_FILES(1, 1, "one file is needed"),
	.examples = examples,
};

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

/* A row for each SM and each line: its side, its home. */
static void add_rows(
	const struct series *series, const struct map *map, struct sheet *sheet)
{
	const struct map_cells *cells = &map->cells;
	const size_t count = cells->sms + cells->lines;
	size_t i;

	for (i = 0; i < count; i++) {
		const bool is_sm = i < cells->sms;
		const size_t index = is_sm ? i : i - cells->sms;

		sheet_text(sheet, series->bench);
		sheet_number(sheet, (double)cells->stride_bytes);
		sheet_text(sheet, is_sm ? "sm" : "line");
		sheet_number(sheet, (double)index);
		sheet_number(
			sheet, is_sm ? NAN : (double)map_offset(cells, index));
		sheet_number(sheet,
			is_sm ? map->sides.sm[index] : map->sides.line[index]);
	}
}

static void begin_sheet(struct sheet *sheet)
{
	static const char *const labels[] = {
		"bench", "line_stride_bytes", "what", "index", "offset_bytes"};
	size_t i;

	sheet->name = "map";
	for (i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		sheet_column(sheet, labels[i], true);
	sheet_column(sheet, "side", false);
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
	return target->frame->no_plot ? 0 : put_cells(map, out, error);
}

static int put_point(const struct series *series, const struct point *point,
	struct target *target, struct error *error)
{
	struct map map;
	char title[120];
	int code = map_of_series(series, point, &map, error);

	if (code)
		return code;
	snprintf(title, sizeof(title),
		"%.60s: latency_cycles of %zu SMs to "
		"%zu lines",
		series->bench, map.cells.sms, map.cells.lines);
	if (target->to->figure)
		code = draw_map(&map, title, &target->figure, error);
	else if (target->sheet.name)
		add_rows(series, &map, &target->sheet);
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

/* The context of put(). */
struct found {
	const struct frame *frame;
	struct series_list list;
};

static int put(void *context, const struct destination *to, struct error *error)
{
	const struct found *found = context;
	const bool json = !to->figure && to->format == FORMAT_JSON;
	struct target target = {.to = to,
		.frame = found->frame,
		.maps = json ? json_array() : NULL};
	int code = 0;

	if (!to->figure && !json && to->format != FORMAT_TABLE &&
		series_style(to->format) == TEXT_PLAIN)
		begin_sheet(&target.sheet);
	if (json && !target.maps)
		code = error_set(error, ERR_FAILED, "out of memory for a map");
	if (!code)
		code = put_list(&found->list, found->frame->files.items[0],
			&target, error);
	if (!code && json)
		code = put_json(target.maps, to->stream, error);
	if (!code && to->figure)
		code = figure_write(
			&target.figure, to->figure, to->stream, error);
	if (!code && target.sheet.name)
		code = sheet_put(
			&target.sheet, 1, to->format, to->stream, error);
	sheet_free(&target.sheet);
	json_decref(target.maps);
	charts_free(&target.figure);
	return code;
}

int command_map(int argc, char **argv, FILE *out, struct error *error)
{
	struct frame frame = FRAME_INITIAL;
	struct found found = {.frame = &frame};
	int code = options_parse(&map_options, argc, argv, NULL, &frame, error);

	if (!code)
		code = frame_begin(&frame, NULL, error);
	if (!code)
		code = frame_read(&frame, 0, &found.list, error);
	if (!code)
		code = frame_put(&frame,
			(struct destination_forms){FRAME_FORMATS, true}, put,
			&found, out, error);
	series_list_free(&found.list);
	return code;
}
