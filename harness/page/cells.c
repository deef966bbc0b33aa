/* Tables of where lines were found: pairs, and what only one side has. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/page/parts.h"

#define SHARES                                                                 \
	(1u << METRIC_SHARE_L1 | 1u << METRIC_SHARE_NEAR |                     \
		1u << METRIC_SHARE_FAR | 1u << METRIC_SHARE_DRAM)

enum { PAIRS_BASE, PAIRS_NEW, ONLY_BASE, ONLY_NEW };

static int keep(struct series_list *list, const struct series *series)
{
	struct series *items =
		reallocarray(list->items, list->count + 1, sizeof(*items));

	if (!items)
		return ERR_FAILED;
	list->items = items;
	items[list->count++] = *series;
	return 0;
}

static int divide(const struct page_input *input, struct page_cells *cells)
{
	size_t i;

	for (i = 0; i < input->count; i++) {
		const struct series *series = input->series[i].series;
		const struct comparison *judged = page_judged(input, series);
		const struct comparison *judging = page_judging(input, series);
		const bool model = input->series[i].role == ROLE_MODEL;
		const int to = judged    ? PAIRS_NEW
			       : judging ? PAIRS_BASE
			       : model   ? ONLY_NEW
					 : ONLY_BASE;

		if (series->metrics & SHARES && series->point_count &&
			keep(&cells->series[to], series))
			return ERR_FAILED;
	}
	return 0;
}

int page_cells_make(const struct page_input *input, struct page_cells *cells,
	struct error *error)
{
	const struct table_layout layout = {.metric = -1};
	struct page_cells made = {0};
	int code = 0, from;

	if (divide(input, &made))
		code = error_set(error, ERR_FAILED, "out of memory");
	if (!code && made.series[PAIRS_BASE].count)
		code = table_list_make(&made.series[PAIRS_BASE],
			&made.series[PAIRS_NEW], &layout, &made.lists[0],
			error);
	for (from = ONLY_BASE; !code && from <= ONLY_NEW; from++)
		if (made.series[from].count)
			code = table_list_make(&made.series[from], NULL,
				&layout, &made.lists[from - 1], error);
	if (code)
		page_cells_free(&made);
	*cells = made;
	return code;
}

void page_cells_free(struct page_cells *cells)
{
	size_t i;

	for (i = 0; i < PAGE_CELL_LISTS; i++)
		table_list_free(&cells->lists[i]);
	for (i = 0; i <= PAGE_CELL_LISTS; i++)
		free(cells->series[i].items);
	*cells = (struct page_cells){0};
}

/* ---- as data ---- */

static void put_word(const char *text, size_t index, FILE *out)
{
	fputs(index ? "," : "", out);
	emit_json_string(out, text);
}

static void put_row(
	const struct table *table, const struct table_row *row, FILE *out)
{
	char text[TABLE_CELL_BYTES];
	size_t i;

	fputc('[', out);
	for (i = 0; i < table->key_count; i++)
		put_word(row->words[i], i, out);
	for (i = 0; i < table->column_count; i++) {
		table_cell_text(table, &row->cells[i], text);
		put_word(text, table->key_count + i, out);
	}
	fputc(']', out);
}

static void put_table(const struct table *table, FILE *out)
{
	char text[TABLE_CELL_BYTES];
	size_t i;

	fputs("{\"bench\":", out);
	emit_json_string(out, table->base->bench);
	data_put_text("axis", table->base->axis, out);
	data_put_text("who", page_who(table->base), out);
	data_put_text("other", table->new ? page_who(table->new) : "", out);
	fprintf(out, ",\"compared\":%zu,\"differing\":%zu,\"keys\":[",
		table->errors.cell_count, table->errors.differing_count);
	for (i = 0; i < table->key_count; i++)
		put_word(table->keys[i].name, i, out);
	fputs("],\"columns\":[", out);
	for (i = 0; i < table->column_count; i++) {
		table_column_text(table, i, text);
		put_word(text, i, out);
	}
	fputs("],\"rows\":[", out);
	for (i = 0; i < table->row_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_row(table, &table->rows[i], out);
	}
	fputs("]}", out);
}

void page_put_cells_data(const struct page *page, FILE *out)
{
	const char *comma = "";
	size_t i, k;

	fputc('[', out);
	for (i = 0; i < PAGE_CELL_LISTS; i++)
		for (k = 0; k < page->cells.lists[i].count; k++) {
			fputs(comma, out);
			put_table(&page->cells.lists[i].items[k], out);
			comma = ",\n";
		}
	fputc(']', out);
}
