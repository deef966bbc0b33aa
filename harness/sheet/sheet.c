#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sheet/sheet.h"

void sheet_column(struct sheet *sheet, const char *name, bool label)
{
	if (sheet->column_count == SHEET_COLUMNS_MAX) {
		sheet->failed = true;
		return;
	}
	sheet->columns[sheet->column_count].name = name;
	sheet->columns[sheet->column_count++].label = label;
}

static void add(struct sheet *sheet, struct sheet_cell cell)
{
	const size_t capacity = sheet->capacity ? 2 * sheet->capacity : 256;
	struct sheet_cell *cells = sheet->cells;

	if (sheet->count == sheet->capacity) {
		cells = reallocarray(cells, capacity, sizeof(*cells));
		if (!cells) {
			free(cell.text);
			sheet->failed = true;
			return;
		}
		sheet->cells = cells;
		sheet->capacity = capacity;
	}
	cells[sheet->count++] = cell;
}

void sheet_text(struct sheet *sheet, const char *text)
{
	struct sheet_cell cell = {strdup(text), NAN};

	if (cell.text)
		add(sheet, cell);
	else
		sheet->failed = true;
}

void sheet_number(struct sheet *sheet, double number)
{
	add(sheet, (struct sheet_cell){NULL, number});
}

void sheet_free(struct sheet *sheet)
{
	size_t i;

	for (i = 0; i < sheet->count; i++)
		free(sheet->cells[i].text);
	free(sheet->cells);
	*sheet = (struct sheet){0};
}
