/* Comparisons as a sheet: a row a point. */
#include "harness/report/compare_parts.h"
#include "harness/sheet/sheet.h"

static const char *const labels[] = {"bench", "series", "metric", "axis", "x"};
static const char *const values[] = {"base", "new", "ratio", "error_percent",
	"error_low_percent", "error_high_percent", "distance_percent"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void add_point(const struct comparison *c, const char *label,
	const struct compare_row *row, struct sheet *sheet)
{
	const double numbers[COUNT(values)] = {row->base, row->new, row->ratio,
		row->error_percent, row->error_low_percent,
		row->error_high_percent, row->distance_percent};
	size_t i;

	sheet_text(sheet, c->pair.base->bench);
	sheet_text(sheet, label);
	sheet_text(sheet, metric_columns[c->metric]);
	sheet_text(sheet, c->pair.base->axis);
	sheet_number(sheet, row->x);
	for (i = 0; i < COUNT(values); i++)
		sheet_number(sheet, numbers[i]);
}

int compare_put_sheet(const struct comparison_list *list,
	enum series_format format, FILE *out, struct error *error)
{
	struct sheet sheet = {.name = "comparison"};
	size_t i, k;
	int code;

	for (i = 0; i < COUNT(labels); i++)
		sheet_column(&sheet, labels[i], true);
	for (i = 0; i < COUNT(values); i++)
		sheet_column(&sheet, values[i], false);
	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].row_count; k++)
			add_point(&list->items[i], list->identity.labels[i],
				&list->items[i].rows[k], &sheet);
	code = sheet_put(&sheet, 1, format, out, error);
	sheet_free(&sheet);
	return code;
}
