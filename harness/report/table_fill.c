/* The columns and rows of a table, from its series. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/table_parts.h"
#include "harness/base/text_table.h"

/* ---- columns ---- */

static int by_place(const void *a, const void *b)
{
	const struct table_column *one = a, *two = b;

	return (one->x > two->x) - (one->x < two->x);
}

static struct table_column column_of(
	const struct table *table, size_t index, const struct point *point)
{
	if (!table->across.name)
		return (struct table_column){.x = point->x};
	return (struct table_column){
		.word = table_word(table, index, &table->across)};
}

static bool same_column(
	const struct table_column *a, const struct table_column *b)
{
	return a->word ? !strcmp(a->word, b->word) : a->x == b->x;
}

/* The column's index; column_count if it is new. */
static size_t find_column(
	const struct table *table, const struct table_column *column)
{
	size_t i = 0;

	while (i < table->column_count &&
		!same_column(column, &table->columns[i]))
		i++;
	return i;
}

static int add_column(struct table *table, const struct table_column *column)
{
	const size_t count = table->column_count;
	struct table_column *columns;

	if (find_column(table, column) < count)
		return 0;
	columns = reallocarray(table->columns, count + 1, sizeof(*columns));
	if (!columns)
		return ERR_FAILED;
	columns[table->column_count++] = *column;
	table->columns = columns;
	return 0;
}

/* Places ascend; words stand as the series have them. */
int table_add_columns(struct table *table)
{
	size_t i, k;

	for (i = 0; i < table->series_count; i++)
		for (k = 0; k < table->bases[i]->point_count; k++) {
			const struct table_column column = column_of(
				table, i, &table->bases[i]->points[k]);

			if (add_column(table, &column))
				return ERR_FAILED;
		}
	if (!table->across.name && table->column_count)
		qsort(table->columns, table->column_count,
			sizeof(*table->columns), by_place);
	return 0;
}

/* ---- rows ---- */

bool table_key_is_axis(const struct table *table, size_t key)
{
	return table->axis_is_key && key + 1 == table->key_count;
}

static bool is_row(const struct table *table, const struct table_row *row,
	size_t index, double x)
{
	size_t i;

	if (row->x != x)
		return false;
	for (i = 0; i + table->axis_is_key < table->key_count; i++)
		if (strcmp(row->words[i],
			    table_word(table, index, &table->keys[i])))
			return false;
	return true;
}

static int fill_row(
	const struct table *table, size_t index, struct table_row *row)
{
	char x[32];
	size_t i;

	row->words = calloc(table->key_count + 1, sizeof(*row->words));
	row->cells = calloc(table->column_count + 1, sizeof(*row->cells));
	if (!row->words || !row->cells)
		return ERR_FAILED;
	text_table_x(table->base->axis, row->x, x);
	for (i = 0; i < table->key_count; i++) {
		row->words[i] = strdup(
			table_key_is_axis(table, i)
				? x
				: table_word(table, index, &table->keys[i]));
		if (!row->words[i])
			return ERR_FAILED;
	}
	return 0;
}

/* NULL without memory. The search begins where the last row was found: the
   points of a series come one after the other. */
static struct table_row *find_row(
	struct table *table, size_t index, double x, size_t *last)
{
	struct table_row *rows;
	size_t i, at;

	for (i = 0; i < table->row_count; i++) {
		at = (*last + i) % table->row_count;
		if (is_row(table, &table->rows[at], index, x)) {
			*last = at;
			return &table->rows[at];
		}
	}
	rows = reallocarray(table->rows, table->row_count + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	table->rows = rows;
	*last = table->row_count++;
	rows[*last] = (struct table_row){.x = x};
	return fill_row(table, index, &rows[*last]) ? NULL : &rows[*last];
}

static const struct point *find_point(const struct series *series, double x)
{
	size_t i;

	for (i = 0; series && i < series->point_count; i++)
		if (series->points[i].x == x)
			return &series->points[i];
	return NULL;
}

/* Of points at one place the first stays. */
static int add_points(struct table *table, size_t index, size_t *last)
{
	const struct series *series = table->bases[index];
	size_t i;

	for (i = 0; i < series->point_count; i++) {
		const struct point *point = &series->points[i];
		const struct table_column column =
			column_of(table, index, point);
		struct table_row *row = find_row(
			table, index, table->axis_is_key ? point->x : 0, last);
		struct table_cell *cell;

		if (!row)
			return ERR_FAILED;
		cell = &row->cells[find_column(table, &column)];
		table->repeated_count += cell->base != NULL;
		if (!cell->base)
			*cell = (struct table_cell){point,
				find_point(table->news[index], point->x)};
	}
	return 0;
}

int table_add_rows(struct table *table)
{
	size_t last = 0, i;

	for (i = 0; i < table->series_count; i++)
		if (add_points(table, i, &last))
			return ERR_FAILED;
	return 0;
}
