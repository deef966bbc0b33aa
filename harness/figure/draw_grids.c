/* Histograms of samples, maps of chips, tables in words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/figure/draw.h"
#include "harness/map/order.h"
#include "harness/stats/histogram.h"

#define BINS_MOST 160
#define NAME_MOST 60

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory for a figure");
}

/* ---- modes ---- */

static int add_bars(const struct sample_set *set, struct chart *panel)
{
	struct histogram bins;
	struct chart_line *line;
	size_t i;

	if (histogram_make(set->cycles, set->count,
		    histogram_range_of(set->cycles, set->count), BINS_MOST,
		    &bins))
		return ERR_FAILED;
	line = chart_add_line(panel, "samples", bins.bin_count + 1, false);
	for (i = 0; line && i <= bins.bin_count; i++) {
		line->x[i] = bins.first + (double)i * bins.width;
		line->y[i] = i < bins.bin_count
				     ? 100.0 * (double)bins.counts[i] /
					       (double)bins.total
				     : 0;
	}
	histogram_free(&bins);
	return line ? 0 : ERR_FAILED;
}

int draw_modes(const struct sample_set *set, const struct modes *modes,
	struct charts *figure, struct error *error)
{
	char title[200], x[EMIT_NUMBER_BYTES] = "";
	struct chart *panel;
	size_t i;

	if (!set->count)
		return 0;
	if (isfinite(set->x))
		text_table_x(set->axis ? set->axis : "x", set->x, x);
	snprintf(title, sizeof(title), "%.60s %.60s %s, %zu samples",
		set->bench ? set->bench : "", set->axis ? set->axis : "", x,
		set->count);
	panel = charts_add(
		figure, CHART_BARS, title, "latency_cycles", "samples_percent");
	if (!panel || add_bars(set, panel))
		return no_memory(error);
	for (i = 0; i < modes->count; i++)
		if (chart_add_mark(panel, modes->items[i].position,
			    (unsigned)i + 1, "%.1f cycles, %.1f %%",
			    modes->items[i].position,
			    100 * modes->items[i].weight))
			return no_memory(error);
	return 0;
}

/* ---- maps ---- */

int draw_map(const struct map *map, const char *title, struct charts *figure,
	struct error *error)
{
	const size_t sms = map->cells.sms, lines = map->cells.lines;
	size_t *sm_order = map_order(map, true);
	size_t *line_order = map_order(map, false), i, k;
	struct chart *panel = charts_add(figure, CHART_GRID, title,
		"lines, of home A, then of B", "SMs, of side A, then of B");
	int code = 0;

	if (!sm_order || !line_order || !panel ||
		chart_set_grid(panel, sms, lines, false))
		code = no_memory(error);
	for (i = 0; !code && i < sms; i++)
		for (k = 0; k < lines; k++)
			panel->cells[i * lines + k] =
				map->cells.cycles[sm_order[i] * lines +
						  line_order[k]];
	free(sm_order);
	free(line_order);
	return code;
}

/* ---- tables ---- */

static char *row_name(const struct table *table, const struct table_row *row)
{
	char *name = NULL;
	size_t bytes, i;
	FILE *out = stream_open_text(&name, &bytes);

	if (!out)
		return NULL;
	for (i = 0; i < table->key_count; i++)
		fprintf(out, "%s%.*s", i ? " " : "", NAME_MOST, row->words[i]);
	if (!fclose(out))
		return name;
	free(name);
	return NULL;
}

/* What colours a cell: its number, or how much comes from DRAM. */
static double shade(const struct table *table, const struct table_cell *cell)
{
	const struct point *point = cell->base ? cell->base : cell->new;
	const int metric = table->measure == TABLE_LEVELS ? METRIC_SHARE_DRAM
							  : table->measure;

	return point && !point->skipped ? point_summary(point, metric)->median
					: NAN;
}

static int fill_table(const struct table *table, struct chart *panel)
{
	char text[TABLE_CELL_BYTES];
	size_t i, k, at = 0;

	for (k = 0; k < table->column_count; k++) {
		table_column_text(table, k, text);
		panel->column_names[k] = strdup(text);
		if (!panel->column_names[k])
			return ERR_FAILED;
	}
	for (i = 0; i < table->row_count; i++) {
		panel->row_names[i] = row_name(table, &table->rows[i]);
		if (!panel->row_names[i])
			return ERR_FAILED;
		for (k = 0; k < table->column_count; k++, at++) {
			const struct table_cell *cell =
				&table->rows[i].cells[k];

			table_cell_text(table, cell, text);
			panel->texts[at] = strdup(text);
			panel->cells[at] = shade(table, cell);
			if (!panel->texts[at])
				return ERR_FAILED;
		}
	}
	return 0;
}

int draw_table(
	const struct table *table, struct charts *figure, struct error *error)
{
	const char *across =
		table->across.name ? table->across.name : table->base->axis;
	const char *measure = table->measure == TABLE_LEVELS
				      ? "levels"
				      : metric_columns[table->measure];
	char title[200];
	struct chart *panel;

	snprintf(title, sizeof(title), "%.80s: %s%s", table->base->bench,
		measure, table->new ? ", base | new where they differ" : "");
	panel = charts_add(figure, CHART_GRID, title, across, "");
	if (!panel ||
		chart_set_grid(
			panel, table->row_count, table->column_count, true) ||
		fill_table(table, panel))
		return no_memory(error);
	return 0;
}
