/* Tables as sheets: a row a cell, with the table's keys as labels. */
#include <math.h>
#include <stdlib.h>

#include "harness/report/table_parts.h"
#include "harness/sheet/sheet.h"

/* A level is a word; what is neither is an empty cell. */
static void add_value(const struct table *table, const struct point *point,
	struct sheet *sheet)
{
	char text[TABLE_CELL_BYTES / 2];

	if (!point || point->skipped) {
		sheet_number(sheet, NAN);
	} else if (table->measure == TABLE_LEVELS) {
		table_point_text(table, point, text);
		sheet_text(sheet, text);
	} else {
		sheet_number(sheet, table_point_value(table, point));
	}
}

static void add_cell(const struct table *table, const struct table_row *row,
	size_t column, struct sheet *sheet)
{
	const struct table_column *c = &table->columns[column];
	size_t i;

	sheet_text(sheet, table->base->bench);
	for (i = 0; i < table->key_count; i++)
		if (table_key_is_axis(table, i))
			sheet_number(sheet, row->x);
		else
			sheet_text(sheet, row->words[i]);
	if (c->word)
		sheet_text(sheet, c->word);
	else
		sheet_number(sheet, c->x);
	add_value(table, row->cells[column].base, sheet);
	if (table->new)
		add_value(table, row->cells[column].new, sheet);
}

static void fill(const struct table *table, struct sheet *sheet)
{
	const char *measure = table->measure == TABLE_LEVELS
				      ? "levels"
				      : metric_columns[table->measure];
	size_t i, k;

	sheet->name = "table";
	sheet_column(sheet, "bench", true);
	for (i = 0; i < table->key_count; i++)
		sheet_column(sheet, table->keys[i].name, true);
	sheet_column(sheet, table_across(table), true);
	sheet_column(sheet, measure, false);
	if (table->new)
		sheet_column(sheet, "new", false);
	for (i = 0; i < table->row_count; i++)
		for (k = 0; k < table->column_count; k++)
			add_cell(table, &table->rows[i], k, sheet);
}

int table_put_sheets(const struct table_list *list, enum series_format format,
	FILE *out, struct error *error)
{
	struct sheet *sheets = calloc(list->count + 1, sizeof(*sheets));
	size_t i;
	int code;

	if (!sheets)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < list->count; i++)
		fill(&list->items[i], &sheets[i]);
	code = sheet_put(sheets, list->count, format, out, error);
	for (i = 0; i < list->count; i++)
		sheet_free(&sheets[i]);
	free(sheets);
	return code;
}
