#include <math.h>
#include <string.h>

#include "harness/visible/visible.h"
#include "harness/base/emit.h"
#include "harness/series/formats.h"
#include "harness/marks/marks.h"
#include "harness/report/table_parts.h"
#include "harness/base/text_table.h"

#define SCHEMA "nearfar-table/1"

static const char *measure_name(const struct table *table)
{
	return table->measure == TABLE_LEVELS ? "levels"
					      : metric_columns[table->measure];
}

static bool is_option(const struct table *table, const struct table_key *key,
	const char *name)
{
	return key->name && !strcmp(key->name, name) &&
	       (key->trait == table->identity.key_count ||
		       table->identity.keys[key->trait].kind == TRAIT_OPTION);
}

/* Whether the option has rows or columns. */
static bool is_key(const struct table *table, const char *option)
{
	size_t i;

	for (i = 0; i < table->key_count; i++)
		if (!table_key_is_axis(table, i) &&
			is_option(table, &table->keys[i], option))
			return true;
	return is_option(table, &table->across, option);
}

/* ---- table and md ---- */

static void put_fixed_options(const struct table *table, const char *quote,
	const char *end, FILE *out)
{
	const struct facts *options = &table->base->options;
	const char *gap = quote;
	size_t i;

	for (i = 0; i < options->count; i++) {
		const struct fact *option = &options->items[i];

		if (is_key(table, option->key))
			continue;
		fputs(gap, out);
		visible_put_code(out, option->key);
		fputc('=', out);
		visible_put_code(out, option->value);
		gap = " ";
	}
	if (gap != quote)
		fprintf(out, "%s%s", quote, end);
}

static void put_head(const struct table *table, bool md, FILE *out)
{
	const char *end = md ? "  \n" : "\n";

	fputs(md ? "### " : "", out);
	visible_put_md(out, table->base->bench);
	fprintf(out, ": %s over ", measure_name(table));
	visible_put_md(out, table_across(table));
	fputs(md ? "\n\n" : "\n", out);
	put_fixed_options(table, md ? "`" : "", end, out);
	fputs(table->new ? "base: " : "", out);
	series_put_common_facts(table->bases, table->series_count, out);
	fputs(end, out);
	if (table->new) {
		fputs("new: ", out);
		series_put_common_facts(table->news, table->series_count, out);
		fputs(end, out);
	}
	if (table->measure == TABLE_LEVELS)
		fprintf(out,
			"a cell: where more than %g %% of the lines were%s",
			100 * TABLE_LEVEL_SHARE, end);
	if (table->new)
		fprintf(out, "where the two differ: base | new%s", end);
	fputc('\n', out);
}

static uint32_t marks_of_table(const struct table *table)
{
	uint32_t marks = 0;
	size_t i, k;

	for (i = 0; i < table->row_count; i++)
		for (k = 0; k < table->column_count; k++)
			marks |= table_cell_marks(&table->rows[i].cells[k]);
	return marks;
}

static void add_cell(const struct table *table, const struct table_cell *cell,
	struct text_table *text)
{
	char words[TABLE_CELL_BYTES], letters[MARKS_LETTERS_BYTES];

	table_cell_text(table, cell, words);
	marks_letters(table_cell_marks(cell), letters);
	text_table_add(text, "%s%s", words, letters);
}

static void fill(const struct table *table, struct text_table *text)
{
	char cell[TABLE_CELL_BYTES];
	size_t i, k;

	for (k = 0; k < table->key_count; k++)
		text_table_add(text, "%s", table->keys[k].name);
	for (k = 0; k < table->column_count; k++) {
		table_column_text(table, k, cell);
		text_table_add(text, "%s", cell);
	}
	for (i = 0; i < table->row_count; i++) {
		const struct table_row *row = &table->rows[i];

		text_table_row(text);
		for (k = 0; k < table->key_count; k++)
			text_table_add(text, "%s", row->words[k]);
		for (k = 0; k < table->column_count; k++)
			add_cell(table, &row->cells[k], text);
	}
}

static void put_errors(const struct table *table, FILE *out)
{
	const struct table_errors *e = &table->errors;
	const bool levels = table->measure == TABLE_LEVELS;

	fprintf(out, "%zu cell%s compared", e->cell_count,
		e->cell_count == 1 ? "" : "s");
	if (!e->cell_count) {
		fputc('\n', out);
		return;
	}
	fprintf(out, ", %zu differ%s%s; ", e->differing_count,
		e->differing_count == 1 ? "s" : "", levels ? " in level" : "");
	if (levels || table_is_share(table->measure))
		fprintf(out,
			"shares differ by %.2f points on average, by %.2f at "
			"worst (%s, %s)\n",
			100 * e->mean, 100 * e->worst,
			metric_columns[e->worst_metric], e->worst_place);
	else
		fprintf(out, "error: median %.2f %%, worst %.2f %% (%s)\n",
			e->median, e->worst, e->worst_place);
}

/* In LaTeX all but the table is comments. */
static void put_one(const struct table *table, enum text_style style,
	FILE *words, FILE *out)
{
	struct text_table text = {.left = table->measure == TABLE_LEVELS};

	put_head(table, style == TEXT_MD, words);
	if (words != out)
		fflush(words);
	fill(table, &text);
	text_table_put_as(&text, style, out);
	text_table_free(&text);
	marks_put_footnotes(
		marks_of_table(table), style == TEXT_MD ? "- " : "", words);
	if (table->repeated_count)
		fprintf(words,
			"\n%zu point%s left out: the series has one at that "
			"place already\n",
			table->repeated_count,
			table->repeated_count == 1 ? " is" : "s are");
	if (!table->new)
		return;
	fputc('\n', words);
	put_errors(table, words);
}

static int put_people(const struct table_list *list, enum text_style style,
	FILE *out, struct error *error)
{
	FILE *words = style == TEXT_TEX ? tex_comments(out) : out;
	size_t i;
	int result;

	if (!words)
		return error_set(error, ERR_FAILED, "out of memory");
	result = series_pairs_put_alone(
		&list->pairs, style == TEXT_MD ? "- " : "", words, error);
	if (list->pairs.only_base || list->pairs.only_new)
		fputc('\n', words);
	for (i = 0; !result && i < list->count; i++) {
		fputs(i ? "\n" : "", words);
		put_one(&list->items[i], style, words, out);
	}
	if (words != out)
		fclose(words);
	return result;
}

/* ---- csv ---- */

static void put_csv_number(const char *key, double value, FILE *out)
{
	fprintf(out, "# %s: ", key);
	emit_csv_number(out, value);
	fputc('\n', out);
}

static void put_csv_errors(const struct table *table, FILE *out)
{
	const struct table_errors *e = &table->errors;
	const bool share = table->measure == TABLE_LEVELS ||
			   table_is_share(table->measure);

	put_csv_number("cells_compared", (double)e->cell_count, out);
	put_csv_number("cells_differing", (double)e->differing_count, out);
	put_csv_number(share ? "share_difference_mean" : "error_percent_median",
		share ? e->mean : e->median, out);
	put_csv_number(share ? "share_difference_worst" : "error_percent_worst",
		e->worst, out);
}

/* A line for each mark of a cell. */
static void put_csv_mark(
	const struct table *table, size_t row, size_t column, FILE *out)
{
	uint32_t marks = table_cell_marks(&table->rows[row].cells[column]);
	int mark;

	for (mark = 0; mark < MARK_COUNT; mark++) {
		if (!(marks >> mark & 1))
			continue;
		fprintf(out, "# marked.%s: ", mark_names[mark]);
		table_put_place(table, row, column, out);
		fputc('\n', out);
	}
}

/* Which cells are marked. */
static void put_csv_marks(const struct table *table, FILE *out)
{
	size_t i, k;

	for (i = 0; i < table->row_count; i++)
		for (k = 0; k < table->column_count; k++)
			if (table_cell_marks(&table->rows[i].cells[k]))
				put_csv_mark(table, i, k, out);
}

static void put_csv_head(const struct table *table, FILE *out)
{
	const struct facts *options = &table->base->options;
	size_t i;

	series_put_comment(out, "", "schema", SCHEMA);
	series_put_comment(out, "", "bench", table->base->bench);
	series_put_comment(out, "", "axis", table->base->axis);
	series_put_comment(out, "", "measure", measure_name(table));
	series_put_comment(out, "", "columns", table_across(table));
	for (i = 0; i < options->count; i++)
		if (!is_key(table, options->items[i].key))
			series_put_comment(out, "option.",
				options->items[i].key, options->items[i].value);
	if (table->new)
		put_csv_errors(table, out);
	put_csv_marks(table, out);
}

/* With a second file each column is two: "4096_base" and "4096_new". */
static void put_csv_columns(const struct table *table, FILE *out)
{
	static const char *const endings[] = {"_base", "_new"};
	const size_t sides = table->new ? 1 : 0;
	size_t i, side;
	char name[TABLE_CELL_BYTES + 8];

	for (i = 0; i < table->key_count; i++) {
		fputs(i ? "," : "", out);
		emit_csv_string(out, table->keys[i].name);
	}
	for (i = 0; i < table->column_count; i++)
		for (side = 0; side <= sides; side++) {
			const struct table_column *c = &table->columns[i];
			char x[EMIT_NUMBER_BYTES];

			emit_format(c->x, x);
			snprintf(name, sizeof(name), "%.*s%s", TABLE_CELL_BYTES,
				c->word ? c->word : x,
				table->new ? endings[side] : "");
			fputs(i || side || table->key_count ? "," : "", out);
			emit_csv_string(out, name);
		}
	fputc('\n', out);
}

/* What is no number and no level is an empty field. */
static void put_csv_point(
	const struct table *table, const struct point *point, FILE *out)
{
	char text[TABLE_CELL_BYTES / 2];

	if (!point || point->skipped)
		return;
	if (table->measure != TABLE_LEVELS) {
		emit_csv_number(out, table_point_value(table, point));
		return;
	}
	table_point_text(table, point, text);
	fputs(strcmp(text, "-") ? text : "", out);
}

static void put_csv_row(
	const struct table *table, const struct table_row *row, FILE *out)
{
	size_t i;

	for (i = 0; i < table->key_count; i++) {
		fputs(i ? "," : "", out);
		if (table_key_is_axis(table, i))
			emit_csv_number(out, row->x);
		else
			emit_csv_string(out, row->words[i]);
	}
	for (i = 0; i < table->column_count; i++) {
		fputs(i || table->key_count ? "," : "", out);
		put_csv_point(table, row->cells[i].base, out);
		if (!table->new)
			continue;
		fputc(',', out);
		put_csv_point(table, row->cells[i].new, out);
	}
	fputc('\n', out);
}

static void put_csv(const struct table_list *list, FILE *out)
{
	size_t i, k;

	for (i = 0; i < list->count; i++) {
		const struct table *table = &list->items[i];

		fputs(i ? "\n" : "", out);
		put_csv_head(table, out);
		put_csv_columns(table, out);
		for (k = 0; k < table->row_count; k++)
			put_csv_row(table, &table->rows[k], out);
	}
}

int table_list_put(const struct table_list *list, enum series_format format,
	FILE *out, struct error *error)
{
	if (format != FORMAT_CSV && format != FORMAT_TABLE &&
		series_style(format) == TEXT_PLAIN)
		return table_put_sheets(list, format, out, error);
	if (format != FORMAT_CSV)
		return put_people(list, series_style(format), out, error);
	put_csv(list, out);
	return 0;
}
