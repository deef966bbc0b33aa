#include <errno.h>
#include <math.h>
#include <string.h>

#include "harness/visible/visible.h"
#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/command/command.h"
#include "harness/figure/draw.h"
#include "harness/frame/frame.h"
#include "harness/plot/plot_cells.h"
#include "harness/series/sample_sets.h"
#include "harness/sheet/sheet.h"
#include "harness/stats/modes.h"

#define MODES_SCHEMA "nearfar-modes/1"
#define SEED         1

/* Fewer samples have no histogram that says more than their modes. */
#define HISTOGRAM_LEAST 200

struct options {
	struct frame frame;
	const char *region; /* NULL: the default */
};

static const struct options_row rows[] = {
	{"region", 0, TAKES_TEXT, "NAME",
		"take the samples of this region as they are (default: the "
		"values of latency_cycles, or else the samples of each "
		"iteration of " REGION_DEFAULT ")",
		OPTIONS_AT(struct options, region), .example = REGION_DEFAULT},
	FRAME_FORMAT,
	FRAME_OUTPUT(FRAME_FIGURES),
	FRAME_NO_PLOT("the table alone"),
	FRAME_WINDOW,
	{0},
};

static const char *const examples[] = {
	"nearfar modes chase.json",
	"nearfar modes samples.csv --no-plot",
	"nearfar modes chase.json -o modes.svg",
	NULL,
};

const struct options_table modes_options = {
	.name = "modes",
	.summary = "the modes of a series' samples",
	.operands = "FILE",
	.about = "Find the modes of latencies: of each point of a series, of a "
		 "file that 'run --raw' wrote, or of plain numbers, one a "
		 "line; '-' is standard input.",
	.rows = rows,
	FRAME_FILES(1, 1, "one file is needed"),
	.examples = examples,
};

/* "pointer-chase footprint_bytes 8MiB: " or nothing. */
static void put_name(const struct sample_set *set, FILE *out)
{
	char x[EMIT_NUMBER_BYTES];

	if (!isfinite(set->x))
		return;
	text_table_x(set->axis ? set->axis : "x", set->x, x);
	if (set->bench)
		visible_put(out, set->bench);
	else
		fprintf(out, "series %zu", set->series);
	fputc(' ', out);
	visible_put(out, set->axis ? set->axis : "x");
	fprintf(out, " %s: ", x);
}

static void put_table_mode(const struct mode *mode, FILE *out)
{
	char interval[64], weights[64], range[64];

	snprintf(interval, sizeof(interval), "%.1f .. %.1f", mode->low,
		mode->high);
	snprintf(weights, sizeof(weights), "%.3f .. %.3f", mode->weight_low,
		mode->weight_high);
	snprintf(range, sizeof(range), "%.1f .. %.1f", mode->first, mode->last);
	fprintf(out, "%17.1f  %16s  %6.3f  %14s  %13.1f  %16s  %8zu\n",
		mode->position, interval, mode->weight, weights, mode->spread,
		range, mode->count);
}

static void put_table(
	const struct sample_set *set, const struct modes *modes, FILE *out)
{
	size_t i;

	put_name(set, out);
	if (modes->count == 0) {
		fputs(set->skipped ? "no samples: " : "no samples", out);
		visible_put(out, set->skipped ? set->skipped : "");
		fputc('\n', out);
		return;
	}
	if (modes->count == 1)
		fputs("one mode", out);
	else
		fprintf(out, "%zu modes", modes->count);
	fprintf(out,
		" in %zu samples\n%17s  %16s  %6s  %14s  %13s  %16s  %8s\n",
		set->count, "position_cycles", "95 % interval", "weight",
		"95 % interval", "spread_cycles", "range_cycles", "count");
	for (i = 0; i < modes->count; i++)
		put_table_mode(modes->items + i, out);
}

static void put_json_mode(const struct mode *mode, FILE *out)
{
	const struct {
		const char *key;
		double value;
	} fields[] = {
		{"position_cycles", mode->position},
		{"position_cycles_low", mode->low},
		{"position_cycles_high", mode->high},
		{"weight", mode->weight},
		{"weight_low", mode->weight_low},
		{"weight_high", mode->weight_high},
		{"spread_cycles", mode->spread},
		{"first_cycles", mode->first},
		{"last_cycles", mode->last},
		{"count", (double)mode->count},
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		fprintf(out, "%s\"%s\": ", i ? ", " : "{", fields[i].key);
		emit_json_number(out, fields[i].value);
	}
	fputc('}', out);
}

static void put_json_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, ", \"%s\": ", key);
	if (text)
		emit_json_string(out, text);
	else
		fputs("null", out);
}

static void put_json(
	const struct sample_set *set, const struct modes *modes, FILE *out)
{
	size_t i;

	fprintf(out, "    {\"series\": %zu", set->series);
	put_json_text(out, "bench", set->bench);
	put_json_text(out, "axis", set->axis);
	fputs(", \"x\": ", out);
	emit_json_number(out, set->x);
	put_json_text(out, "skipped", set->skipped);
	fprintf(out, ", \"samples\": %zu, \"components\": %zu, \"bic\": [",
		set->count, modes->components);
	for (i = 0; i < MODES_MAX; i++) {
		fputs(i ? ", " : "", out);
		emit_json_number(out, modes->bic[i]);
	}
	fputs("],\n     \"modes\": [", out);
	for (i = 0; i < modes->count; i++) {
		fputs(i ? ",\n               " : "", out);
		put_json_mode(modes->items + i, out);
	}
	fputs("]}", out);
}

/* ---- md, tex, and what programs read ---- */

static void add_mode(const struct sample_set *set, size_t number,
	const struct mode *mode, struct text_table *table)
{
	char x[EMIT_NUMBER_BYTES] = "-";

	if (isfinite(set->x))
		text_table_x(set->axis ? set->axis : "x", set->x, x);
	text_table_row(table);
	text_table_add(table, "%s", set->bench ? set->bench : "samples");
	text_table_add(table, "%s", x);
	text_table_add(table, "%zu", number);
	text_table_add(table, "%.1f", mode->position);
	text_table_add(table, "%.1f to %.1f", mode->low, mode->high);
	text_table_add(table, "%.3f", mode->weight);
	text_table_add(
		table, "%.3f to %.3f", mode->weight_low, mode->weight_high);
	text_table_add(table, "%.1f", mode->spread);
	text_table_add(table, "%zu", mode->count);
}

static void add_heads(struct text_table *table)
{
	static const char *const heads[] = {"bench", "x", "mode",
		"position_cycles", "95 % interval", "weight", "95 % interval",
		"spread_cycles", "count"};
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		text_table_add(table, "%s", heads[i]);
}

static void add_numbers(const struct mode *mode, struct sheet *sheet)
{
	const double numbers[] = {mode->position, mode->low, mode->high,
		mode->weight, mode->weight_low, mode->weight_high, mode->spread,
		mode->first, mode->last, (double)mode->count};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sheet_number(sheet, numbers[i]);
}

/* A row a mode. */
static int put_sheet(const struct sample_sets *sets, enum series_format format,
	FILE *out, struct error *error)
{
	static const char *const columns[] = {"bench", "axis", "x", "mode",
		"position_cycles", "position_low_cycles",
		"position_high_cycles", "weight", "weight_low", "weight_high",
		"spread_cycles", "first_cycles", "last_cycles", "count"};
	struct sheet sheet = {.name = "modes"};
	struct modes modes;
	size_t i, k;
	int code = 0;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		sheet_column(&sheet, columns[i], i < 4);
	for (i = 0; !code && i < sets->count; i++) {
		const struct sample_set *set = &sets->items[i];

		code = modes_find(set->cycles, set->count, SEED, &modes, error);
		for (k = 0; !code && k < modes.count; k++) {
			sheet_text(&sheet, set->bench ? set->bench : "");
			sheet_text(&sheet, set->axis ? set->axis : "");
			sheet_number(&sheet, set->x);
			sheet_number(&sheet, (double)k + 1);
			add_numbers(&modes.items[k], &sheet);
		}
	}
	if (!code)
		code = sheet_put(&sheet, 1, format, out, error);
	sheet_free(&sheet);
	return code;
}

static int put_styled(const struct sample_sets *sets, enum text_style style,
	FILE *out, struct error *error)
{
	struct text_table table = {0};
	struct modes modes;
	size_t i, k;
	int result = 0;

	add_heads(&table);
	for (i = 0; !result && i < sets->count; i++) {
		const struct sample_set *set = &sets->items[i];

		result = modes_find(
			set->cycles, set->count, SEED, &modes, error);
		for (k = 0; !result && k < modes.count; k++)
			add_mode(set, k + 1, &modes.items[k], &table);
	}
	if (!result)
		text_table_put_as(&table, style, out);
	text_table_free(&table);
	return result;
}

/* ---- all sets ---- */

static int put_histogram(const struct sample_set *set,
	const struct modes *modes, FILE *out, struct error *error)
{
	struct plot_mark marks[MODES_MAX];
	char texts[MODES_MAX][32];
	struct plot window = {0};
	size_t i;

	plot_fit(&window, out);
	for (i = 0; i < modes->count; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%.1f",
			modes->items[i].position);
		marks[i] =
			(struct plot_mark){modes->items[i].position, texts[i]};
	}
	return plot_put_histogram(&window, "latency_cycles", set->cycles,
		set->count, marks, modes->count, out, error);
}

static int put_set(const struct frame *frame, const struct sample_set *set,
	const struct destination *to, struct charts *figure,
	struct error *error)
{
	struct modes modes;
	int result = modes_find(set->cycles, set->count, SEED, &modes, error);

	if (result)
		return result;
	if (to->figure)
		return draw_modes(set, &modes, figure, error);
	if (to->format == FORMAT_JSON) {
		put_json(set, &modes, to->stream);
		return 0;
	}
	put_table(set, &modes, to->stream);
	if (!frame->no_plot && set->count >= HISTOGRAM_LEAST)
		result = put_histogram(set, &modes, to->stream, error);
	return result;
}

static int put_each(const struct frame *frame, const struct sample_sets *sets,
	const struct destination *to, struct charts *figure,
	struct error *error)
{
	const bool json = !to->figure && to->format == FORMAT_JSON;
	size_t i;
	int result = 0;

	if (json)
		fputs("{\"schema\": \"" MODES_SCHEMA "\",\n  \"sets\": [\n",
			to->stream);
	for (i = 0; !result && i < sets->count; i++) {
		result = put_set(frame, &sets->items[i], to, figure, error);
		if (!to->figure)
			fputs(json && i + 1 < sets->count ? ",\n" : "\n",
				to->stream);
	}
	if (json)
		fputs("  ]}\n", to->stream);
	return result;
}

/* The context of put(). */
struct found {
	const struct frame *frame;
	struct sample_sets sets;
};

static int put(void *context, const struct destination *to, struct error *error)
{
	const struct found *found = context;
	const struct sample_sets *sets = &found->sets;
	struct charts figure = {0};
	int result;

	if (!to->figure && series_style(to->format) != TEXT_PLAIN)
		result = put_styled(
			sets, series_style(to->format), to->stream, error);
	else if (!to->figure && to->format != FORMAT_TABLE &&
		 to->format != FORMAT_JSON)
		result = put_sheet(sets, to->format, to->stream, error);
	else
		result = put_each(found->frame, sets, to, &figure, error);
	if (!result && to->figure)
		result = figure_write(&figure, to->figure, to->stream, error);
	charts_free(&figure);
	if (!result && (fflush(to->stream) || ferror(to->stream)))
		result = error_set(
			error, ERR_FAILED, "cannot write: %s", strerror(errno));
	return result;
}

int command_modes(int argc, char **argv, FILE *out, struct error *error)
{
	struct options options = {.frame = FRAME_INITIAL};
	struct found found = {.frame = &options.frame};
	int code = options_parse(
		&modes_options, argc, argv, NULL, &options, error);

	if (!code)
		code = frame_begin(&options.frame, NULL, error);
	if (!code)
		code = sample_sets_read(options.frame.files.items[0],
			options.region, &found.sets, error);
	if (code)
		return code;
	code = frame_put(&options.frame,
		(struct destination_forms){FRAME_FORMATS, true}, put, &found,
		out, error);
	sample_sets_free(&found.sets);
	return code;
}
