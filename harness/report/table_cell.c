/* What a cell of a table reads, and how far its two points are apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/visible/visible.h"
#include "harness/report/table_parts.h"
#include "harness/series/formats.h"
#include "harness/base/text_table.h"

#define SHARES (METRIC_SHARE_DRAM - METRIC_SHARE_L1 + 1)

static const char *const level_names[SHARES] = {"L1", "near", "far", "DRAM"};

/* ---- as text ---- */

static void level_text(
	const struct point *point, char text[TABLE_CELL_BYTES / 2])
{
	const char *gap = "";
	bool known = false;
	size_t length = 0;
	int i;

	*text = '\0';
	for (i = 0; i < SHARES; i++) {
		const double share =
			point_summary(point, METRIC_SHARE_L1 + i)->median;

		known |= isfinite(share) != 0;
		if (!(share > TABLE_LEVEL_SHARE))
			continue;
		length += (size_t)snprintf(text + length,
			TABLE_CELL_BYTES / 2 - length, "%s%s", gap,
			level_names[i]);
		gap = "+";
	}
	if (!length)
		strcpy(text, known ? "mixed" : "-");
}

double table_point_value(const struct table *table, const struct point *point)
{
	return point && !point->skipped
		       ? point_summary(point, table->measure)->median
		       : NAN;
}

void table_point_text(const struct table *table, const struct point *point,
	char text[TABLE_CELL_BYTES / 2])
{
	if (!point)
		strcpy(text, "-");
	else if (point->skipped)
		strcpy(text, "skipped");
	else if (table->measure == TABLE_LEVELS)
		level_text(point, text);
	else
		text_table_format(table_point_value(table, point), text);
}

void table_cell_text(const struct table *table, const struct table_cell *cell,
	char text[TABLE_CELL_BYTES])
{
	char base[TABLE_CELL_BYTES / 2], new[TABLE_CELL_BYTES / 2];

	table_point_text(table, cell->base, base);
	table_point_text(table, cell->new, new);
	if (!table->new || !strcmp(base, new))
		strcpy(text, base);
	else
		snprintf(text, TABLE_CELL_BYTES, "%.40s | %.40s", base, new);
}

uint32_t table_cell_marks(const struct table_cell *cell)
{
	return (cell->base ? cell->base->marks : 0) |
	       (cell->new ? cell->new->marks : 0);
}

const char *table_across(const struct table *table)
{
	return table->across.name ? table->across.name : table->base->axis;
}

void table_column_text(
	const struct table *table, size_t column, char text[TABLE_CELL_BYTES])
{
	const struct table_column *c = &table->columns[column];

	if (c->word)
		snprintf(text, TABLE_CELL_BYTES, "%s", c->word);
	else
		text_table_x(table->base->axis, c->x, text);
}

/* ---- differences ---- */

static double relative_percent(double base, double new)
{
	if (base == new)
		return 0;
	return base == 0 ? INFINITY : 100 * fabs((new - base) / base);
}

struct differences {
	struct table_errors errors;
	size_t worst_row, worst_column;
	double *items;
	size_t count;
};

/* NaN where either has no such number. */
static void add_difference(struct differences *d, const struct table_cell *cell,
	int metric, size_t row, size_t column)
{
	const double base = point_summary(cell->base, metric)->median;
	const double new = point_summary(cell->new, metric)->median;
	const double size = table_is_share(metric)
				    ? fabs(new - base)
				    : relative_percent(base, new);

	if (!isfinite(base) || !isfinite(new))
		return;
	if (!d->count || size > d->errors.worst) {
		d->errors.worst = size;
		d->worst_row = row;
		d->worst_column = column;
		d->errors.worst_metric = metric;
	}
	d->items[d->count++] = size;
}

static void add_cell(const struct table *table, struct differences *d,
	size_t row, size_t column)
{
	const struct table_cell *cell = &table->rows[row].cells[column];
	char base[TABLE_CELL_BYTES / 2], new[TABLE_CELL_BYTES / 2];
	const size_t count = d->count;
	int metric;

	if (!cell->base || !cell->new || cell->base->skipped ||
		cell->new->skipped)
		return;
	if (table->measure != TABLE_LEVELS)
		add_difference(d, cell, table->measure, row, column);
	else
		for (metric = METRIC_SHARE_L1; metric <= METRIC_SHARE_DRAM;
			metric++)
			if (table->base->metrics &
				table->new->metrics &METRIC_BIT(metric))
				add_difference(d, cell, metric, row, column);
	if (d->count == count)
		return;
	table_point_text(table, cell->base, base);
	table_point_text(table, cell->new, new);
	d->errors.cell_count++;
	d->errors.differing_count += strcmp(base, new) != 0;
}

void table_put_place(
	const struct table *table, size_t row, size_t column, FILE *out)
{
	char word[TABLE_CELL_BYTES];
	size_t i;

	for (i = 0; i < table->key_count; i++) {
		visible_put_md(out, table->keys[i].name);
		fputc('=', out);
		visible_put_md(out, table->rows[row].words[i]);
		fputc(' ', out);
	}
	table_column_text(table, column, word);
	visible_put_md(out, table_across(table));
	fputc('=', out);
	visible_put_md(out, word);
}

/* NULL without memory. */
static char *place_text(const struct table *table, size_t row, size_t column)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&text, &bytes);

	if (!out)
		return NULL;
	table_put_place(table, row, column, out);
	return fclose(out) ? NULL : text;
}

static int summarise(const struct table *table, struct differences *d,
	struct table_errors *errors)
{
	d->errors.mean = d->errors.median = NAN;
	if (d->count) {
		d->errors.worst_place =
			place_text(table, d->worst_row, d->worst_column);
		if (!d->errors.worst_place)
			return ERR_FAILED;
		d->errors.mean = stats_mean(d->items, d->count);
		d->errors.median = stats_median(d->items, d->count);
	}
	*errors = d->errors;
	return 0;
}

int table_find_errors(struct table *table, struct error *error)
{
	struct differences d = {.errors = {.worst = NAN}};
	size_t i, k;
	int result;

	d.items = calloc(table->row_count * table->column_count * SHARES + 1,
		sizeof(*d.items));
	if (!d.items)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < table->row_count; i++)
		for (k = 0; k < table->column_count; k++)
			add_cell(table, &d, i, k);
	result = summarise(table, &d, &table->errors);
	free(d.items);
	return result ? error_set(error, ERR_FAILED, "out of memory") : 0;
}
