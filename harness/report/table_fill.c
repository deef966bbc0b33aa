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

static struct table_column column_of(const struct table *table,
	const struct series *series, const struct point *point)
{
	const char *option = table->column_option;

	return option ? (struct table_column){.word = table_option(
						      series, option)}
		      : (struct table_column){.x = point->x};
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
int table_add_columns(const struct table_group *group, struct table *table)
{
	size_t i, k;

	for (i = 0; i < group->count; i++)
		for (k = 0; k < group->base[i]->point_count; k++) {
			const struct table_column column = column_of(table,
				group->base[i], &group->base[i]->points[k]);

			if (add_column(table, &column))
				return ERR_FAILED;
		}
	if (!table->column_option && table->column_count)
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
	const struct series *series, double x)
{
	size_t i;

	if (row->x != x)
		return false;
	for (i = 0; i + table->axis_is_key < table->key_count; i++)
		if (strcmp(row->words[i], table_option(series, table->keys[i])))
			return false;
	return true;
}

static int fill_row(const struct table *table, const struct series *series,
	struct table_row *row)
{
	char x[32];
	size_t i;

	row->words = calloc(table->key_count + 1, sizeof(*row->words));
	row->cells = calloc(table->column_count + 1, sizeof(*row->cells));
	if (!row->words || !row->cells)
		return ERR_FAILED;
	text_table_x(series->axis, row->x, x);
	for (i = 0; i < table->key_count; i++) {
		row->words[i] =
			strdup(table_key_is_axis(table, i)
					? x
					: table_option(series, table->keys[i]));
		if (!row->words[i])
			return ERR_FAILED;
	}
	return 0;
}

/* NULL without memory. The search begins where the last row was found: the
   points of a series come one after the other. */
static struct table_row *find_row(struct table *table,
	const struct series *series, double x, size_t *last)
{
	struct table_row *rows;
	size_t i, at;

	for (i = 0; i < table->row_count; i++) {
		at = (*last + i) % table->row_count;
		if (is_row(table, &table->rows[at], series, x)) {
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
	return fill_row(table, series, &rows[*last]) ? NULL : &rows[*last];
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
int table_add_rows(const struct table_group *group, struct table *table)
{
	size_t last = 0, i, k;

	for (i = 0; i < group->count; i++) {
		const struct series *series = group->base[i];

		for (k = 0; k < series->point_count; k++) {
			const struct point *point = &series->points[k];
			const struct table_column column =
				column_of(table, series, point);
			struct table_row *row = find_row(table, series,
				table->axis_is_key ? point->x : 0, &last);
			struct table_cell *cell;

			if (!row)
				return ERR_FAILED;
			cell = &row->cells[find_column(table, &column)];
			if (!cell->base)
				*cell = (struct table_cell){point,
					find_point(group->new[i], point->x)};
		}
	}
	return 0;
}
