#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "harness/base/stream.h"
#include "harness/visible/visible.h"
#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/base/units.h"

#define COLUMNS_MAX 64
#define SHORT_SIZE  7 /* "1536KiB" */
#define GAP         "  "

void text_table_row(struct text_table *table)
{
	table->row_begins = true;
	table->column = 0;
}

static struct text_cell *new_cell(struct text_table *table)
{
	struct text_cell *cell;

	if (table->count == table->capacity) {
		const size_t capacity = 2 * table->capacity + 64;
		struct text_cell *cells =
			reallocarray(table->cells, capacity, sizeof(*cells));

		if (!cells)
			return NULL;
		table->cells = cells;
		table->capacity = capacity;
	}
	cell = &table->cells[table->count++];
	*cell = (struct text_cell){
		.column = table->column++, .row_begins = table->row_begins};
	table->row_begins = false;
	return cell;
}

/* Cells hold names from files: they are made visible. */
static void show(struct text_table *table, struct text_cell *cell)
{
	const size_t size = visible_length(cell->text) + 1;
	char *shown;

	if (size == strlen(cell->text) + 1)
		return;
	shown = malloc(size);
	if (shown)
		visible_copy(cell->text, shown, size);
	else
		table->failed = true;
	free(cell->text);
	cell->text = shown;
}

static void add(struct text_table *table, bool rest, const char *format,
	va_list arguments)
{
	struct text_cell *cell = new_cell(table);

	if (!cell) {
		table->failed = true;
		return;
	}
	cell->rest = rest;
	if (vasprintf(&cell->text, format, arguments) < 0) {
		cell->text = NULL;
		table->failed = true;
		return;
	}
	show(table, cell);
}

void text_table_add(struct text_table *table, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(table, false, format, arguments);
	va_end(arguments);
}

void text_table_rest(struct text_table *table, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(table, true, format, arguments);
	va_end(arguments);
}

void text_table_format(double value, char *text)
{
	const double size = fabs(value);
	int decimals = 4;

	if (!isfinite(value)) {
		strcpy(text, isnan(value) ? "-" : "inf");
		return;
	}
	if (size != 0 && (size < 1e-3 || size >= 1e9)) {
		snprintf(text, EMIT_NUMBER_BYTES, "%.3e", value);
		return;
	}
	if (size >= 1)
		decimals = size >= 100 ? 1 : size >= 10 ? 2 : 3;
	if (value == floor(value))
		decimals = 0;
	snprintf(text, EMIT_NUMBER_BYTES, "%.*f", decimals, value);
}

void text_table_number(struct text_table *table, double value)
{
	char text[EMIT_NUMBER_BYTES];

	text_table_format(value, text);
	text_table_add(table, "%s", text);
}

/* "5.625KiB": for people, four digits; files have every byte. */
static void format_size(double bytes, char *text)
{
	static const char units[][4] = {"", "KiB", "MiB", "GiB", "TiB"};
	size_t unit = 0;

	while (bytes >= 1024 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, EMIT_NUMBER_BYTES, bytes >= 1000 ? "%.0f%s" : "%.4g%s",
		bytes, units[unit]);
}

void text_table_x(const char *axis, double x, char *text)
{
	if (!axis_is_bytes(axis) || x < 0) {
		snprintf(text, EMIT_NUMBER_BYTES, "%.7g", x);
		return;
	}
	if (x < 0x1p63 && fmod(x, 1024) == 0) {
		units_format_bytes((uint64_t)x, text, EMIT_NUMBER_BYTES);
		if (strlen(text) <= SHORT_SIZE)
			return;
	}
	format_size(x, text);
}

static void find_widths(const struct text_table *table, int *widths)
{
	size_t i;

	for (i = 0; i < table->count; i++) {
		const struct text_cell *cell = &table->cells[i];
		const int width = (int)strlen(cell->text);

		if (!cell->rest && cell->column < COLUMNS_MAX &&
			width > widths[cell->column])
			widths[cell->column] = width;
	}
}

static bool is_complete(const struct text_table *table, FILE *out)
{
	if (table->failed)
		stream_fail(out);
	return !table->failed;
}

/* Whether no cell of the row is behind this one, of the columns before
   `last`. */
static bool ends_row(const struct text_table *table, size_t index, size_t last)
{
	return index + 1 == table->count ||
	       table->cells[index + 1].row_begins ||
	       table->cells[index + 1].column >= last;
}

/* The first column, which says what a row is, and those from `first` on. */
static void put_columns(const struct text_table *table, const int *widths,
	size_t first, size_t last, FILE *out)
{
	size_t i;

	for (i = 0; i < table->count; i++) {
		const struct text_cell *cell = &table->cells[i];
		const bool ends = ends_row(table, i, last);
		int width = 0;

		if (cell->column &&
			(cell->column < first || cell->column >= last))
			continue;
		if (!*cell->text && ends && cell->column)
			continue;
		if (!cell->rest && cell->column < COLUMNS_MAX)
			width = widths[cell->column];
		if (table->left)
			width = ends ? 0 : -width;
		fprintf(out, "%s%*s",
			cell->row_begins ? "\n"
			: cell->column   ? GAP
					 : "",
			width, cell->text);
	}
	fputs(table->count ? "\n" : "", out);
}

size_t text_table_columns(const struct text_table *table)
{
	size_t columns = 0;

	while (columns < table->count &&
		(!columns || !table->cells[columns].row_begins))
		columns++;
	return columns;
}

/* The column behind the last of those from `first` on that fit beside the
   first one; at least one does. */
static size_t fit(const int *widths, size_t first, size_t columns, size_t room)
{
	size_t used = first ? (size_t)widths[0] : 0, last = first;

	while (last < columns && last < COLUMNS_MAX) {
		used += (size_t)widths[last] + (used ? strlen(GAP) : 0);
		if (used > room && last > first)
			return last;
		last++;
	}
	return columns;
}

/* Where the window is too narrow, the columns follow below each other in
   parts, each with the first column. */
void text_table_put(const struct text_table *table, FILE *out)
{
	const size_t columns = text_table_columns(table);
	const unsigned window = text_window(out);
	int widths[COLUMNS_MAX] = {0};
	size_t first = 0, last;

	if (!is_complete(table, out))
		return;
	find_widths(table, widths);
	do {
		last = window ? fit(widths, first, columns, window) : SIZE_MAX;
		fputs(first ? "\n" : "", out);
		put_columns(table, widths, first,
			last >= columns ? SIZE_MAX : last, out);
		first = last;
	} while (last < columns);
}

static void put_md_cell(const char *text, FILE *out)
{
	fputs("| ", out);
	visible_put_md(out, text);
	fputc(' ', out);
}

void text_table_put_md(const struct text_table *table, FILE *out)
{
	size_t columns = 0, i, k;

	if (!is_complete(table, out))
		return;
	while (columns < table->count && !table->cells[columns].row_begins)
		put_md_cell(table->cells[columns++].text, out);
	for (k = 0; k < columns; k++)
		fprintf(out, "%s%s", k ? "" : "|\n",
			table->left ? "|---" : "|---:");
	for (i = columns; i < table->count; i++) {
		const struct text_cell *cell = &table->cells[i];

		if (cell->row_begins)
			fputs("|\n", out);
		put_md_cell(cell->text, out);
		for (k = cell->column + 1; cell->rest && k < columns; k++)
			fputs("| ", out);
	}
	fputs(columns ? "|\n" : "", out);
}

void text_table_put_as(
	const struct text_table *table, enum text_style style, FILE *out)
{
	static void (*const writers[])(
		const struct text_table *table, FILE *out) = {
		[TEXT_PLAIN] = text_table_put,
		[TEXT_MD] = text_table_put_md,
		[TEXT_TEX] = text_table_put_tex,
	};

	writers[style](table, out);
}

unsigned text_window(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	const long width = columns ? strtol(columns, NULL, 10) : 0;
	struct winsize size;

	if (width > 0 && width <= INT_MAX)
		return (unsigned)width;
	if (fileno(out) >= 0 && !ioctl(fileno(out), TIOCGWINSZ, &size))
		return size.ws_col;
	return 0;
}

void text_table_free(struct text_table *table)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		free(table->cells[i].text);
	free(table->cells);
	*table = (struct text_table){0};
}
