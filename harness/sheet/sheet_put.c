#include <ctype.h>
#include <math.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/sheet/sheet.h"

#define VEGA_SCHEMA "https://vega.github.io/schema/vega-lite/v5.json"

static size_t rows_of(const struct sheet *s)
{
	return s->column_count ? s->count / s->column_count : 0;
}

static const struct sheet_cell *cell_of(
	const struct sheet *s, size_t row, size_t column)
{
	return &s->cells[row * s->column_count + column];
}

/* ---- csv and tidy ---- */

static bool same_columns(const struct sheet *a, const struct sheet *b)
{
	size_t i;

	for (i = 0; i < a->column_count && i < b->column_count; i++)
		if (strcmp(a->columns[i].name, b->columns[i].name) != 0)
			return false;
	return a->column_count == b->column_count;
}

static void put_csv(const struct sheet *s, bool heads, FILE *out)
{
	size_t i, k;

	for (k = 0; heads && k < s->column_count; k++) {
		fputs(k ? "," : "", out);
		emit_csv_string(out, s->columns[k].name);
	}
	fputs(heads ? "\n" : "", out);
	for (i = 0; i < rows_of(s); i++) {
		for (k = 0; k < s->column_count; k++) {
			const struct sheet_cell *cell = cell_of(s, i, k);

			fputs(k ? "," : "", out);
			if (cell->text)
				emit_csv_string(out, cell->text);
			else
				emit_csv_number(out, cell->number);
		}
		fputc('\n', out);
	}
}

/* ---- for people ---- */

static void put_people(const struct sheet *s, enum text_style style, FILE *out)
{
	struct text_table table = {.left = true};
	size_t i, k;

	for (k = 0; k < s->column_count; k++)
		text_table_add(&table, "%s", s->columns[k].name);
	for (i = 0; i < rows_of(s); i++) {
		text_table_row(&table);
		for (k = 0; k < s->column_count; k++) {
			const struct sheet_cell *cell = cell_of(s, i, k);

			if (cell->text)
				text_table_add(&table, "%s", cell->text);
			else
				text_table_number(&table, cell->number);
		}
	}
	text_table_put_as(&table, style, out);
	text_table_free(&table);
}

/* ---- json, jsonl, and the data of a chart ---- */

static void put_object(const struct sheet *s, size_t row, FILE *out)
{
	size_t k;

	for (k = 0; k < s->column_count; k++) {
		const struct sheet_cell *cell = cell_of(s, row, k);

		fputs(k ? ", " : "{", out);
		emit_json_string(out, s->columns[k].name);
		fputs(": ", out);
		if (cell->text)
			emit_json_string(out, cell->text);
		else
			emit_json_number(out, cell->number);
	}
	fputc('}', out);
}

static void put_objects(
	const struct sheet *sheets, size_t count, const char *gap, FILE *out)
{
	const char *before = "";
	size_t i, row;

	for (i = 0; i < count; i++)
		for (row = 0; row < rows_of(&sheets[i]); row++) {
			fputs(before, out);
			put_object(&sheets[i], row, out);
			before = gap;
		}
}

static void put_json(const struct sheet *sheets, size_t count, FILE *out)
{
	fprintf(out, "{\"schema\": \"nearfar-%s/1\", \"rows\": [\n  ",
		sheets->name);
	put_objects(sheets, count, ",\n  ", out);
	fputs("\n]}\n", out);
}

/* ---- openmetrics ---- */

/* Letters, digits and _ alone make a name. */
static void put_name(const char *name, FILE *out)
{
	for (; *name; name++)
		fputc(isalnum((unsigned char)*name) ? *name : '_', out);
}

static void put_labels(const struct sheet *s, size_t row, FILE *out)
{
	const char *gap = "{";
	char number[EMIT_NUMBER_BYTES];
	size_t k;

	for (k = 0; k < s->column_count; k++) {
		const struct sheet_cell *cell = cell_of(s, row, k);

		if (!s->columns[k].label ||
			(!cell->text && !isfinite(cell->number)))
			continue;
		fputs(gap, out);
		put_name(s->columns[k].name, out);
		fputs("=\"", out);
		if (!cell->text)
			emit_format(cell->number, number);
		emit_openmetrics_string(out, cell->text ? cell->text : number);
		fputc('"', out);
		gap = ",";
	}
	fputs(*gap == ',' ? "} " : " ", out);
}

/* A family is whole: of all sheets that have the column. */
static void put_family(
	const struct sheet *sheets, size_t count, const char *name, FILE *out)
{
	size_t i, k, row;

	fputs("# TYPE nearfar_", out);
	put_name(sheets->name, out);
	fputc('_', out);
	put_name(name, out);
	fputs(" gauge\n", out);
	for (i = 0; i < count; i++)
		for (k = 0; k < sheets[i].column_count; k++) {
			if (strcmp(sheets[i].columns[k].name, name) != 0)
				continue;
			for (row = 0; row < rows_of(&sheets[i]); row++) {
				const struct sheet_cell *cell =
					cell_of(&sheets[i], row, k);

				if (cell->text || !isfinite(cell->number))
					continue;
				fputs("nearfar_", out);
				put_name(sheets->name, out);
				fputc('_', out);
				put_name(name, out);
				put_labels(&sheets[i], row, out);
				emit_json_number(out, cell->number);
				fputc('\n', out);
			}
		}
}

/* Whether a sheet before has the column. */
static bool had(const struct sheet *sheets, size_t before, const char *name)
{
	size_t i, k;

	for (i = 0; i < before; i++)
		for (k = 0; k < sheets[i].column_count; k++)
			if (!strcmp(sheets[i].columns[k].name, name))
				return true;
	return false;
}

static void put_openmetrics(const struct sheet *sheets, size_t count, FILE *out)
{
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < sheets[i].column_count; k++)
			if (!sheets[i].columns[k].label &&
				!had(sheets, i, sheets[i].columns[k].name))
				put_family(sheets, count,
					sheets[i].columns[k].name, out);
	fputs("# EOF\n", out);
}

/* ---- vega-lite ---- */

static bool has_numbers(const struct sheet *s, size_t column)
{
	size_t row;

	for (row = 0; row < rows_of(s); row++)
		if (!cell_of(s, row, column)->text &&
			isfinite(cell_of(s, row, column)->number))
			return true;
	return false;
}

/* The first column of numbers that is a label, or a value; or none. */
static size_t find_column(const struct sheet *s, bool label)
{
	size_t k = 0;

	while (k < s->column_count &&
		(s->columns[k].label != label || !has_numbers(s, k)))
		k++;
	return k;
}

static void put_channel(
	const char *channel, const char *field, const char *type, FILE *out)
{
	fprintf(out,
		"%s\"%s\": {\"field\": ", strcmp(channel, "y") ? ",\n    " : "",
		channel);
	emit_json_string(out, field);
	fprintf(out, ", \"type\": \"%s\"}", type);
}

/* Values over the first label that is a number; others are the color. */
static void put_vega(const struct sheet *sheets, size_t count, FILE *out)
{
	const size_t x = find_column(sheets, true);
	const size_t y = find_column(sheets, false);
	size_t color = 0;

	while (color < sheets->column_count && !sheets->columns[color].label)
		color++;
	fprintf(out,
		"{\"$schema\": \"%s\",\n  \"mark\": \"point\",\n"
		"  \"encoding\": {\n    ",
		VEGA_SCHEMA);
	put_channel("y", sheets->columns[y].name, "quantitative", out);
	if (x < sheets->column_count)
		put_channel("x", sheets->columns[x].name, "quantitative", out);
	if (color < sheets->column_count && color != x)
		put_channel(
			"color", sheets->columns[color].name, "nominal", out);
	fputs("},\n  \"data\": {\"values\": [\n    ", out);
	put_objects(sheets, count, ",\n    ", out);
	fputs("]}}\n", out);
}

/* ---- all ---- */

static bool any_numbers(const struct sheet *sheets, size_t count)
{
	return count && find_column(sheets, false) < sheets->column_count;
}

static int check(const struct sheet *sheets, size_t count,
	enum series_format format, struct error *error)
{
	const char *name = series_format_names[format];
	size_t i;

	for (i = 0; i < count; i++)
		if (sheets[i].failed)
			return error_set(error, ERR_FAILED, "out of memory");
	if (format == FORMAT_GBENCH)
		return error_set(error, ERR_USAGE,
			"gbench has times alone: 'nearfar show FILE -f gbench' "
			"writes those of series");
	if ((format == FORMAT_OPENMETRICS || format == FORMAT_VEGA) &&
		!any_numbers(sheets, count))
		return error_set(error, ERR_USAGE,
			"%s needs numbers, and there are none: table, csv, "
			"tidy, json, jsonl, md and tex have words",
			name);
	return 0;
}

int sheet_put(const struct sheet *sheets, size_t count,
	enum series_format format, FILE *out, struct error *error)
{
	size_t i;
	int code = check(sheets, count, format, error);

	if (code)
		return code;
	switch (format) {
	case FORMAT_JSON:
		put_json(sheets, count, out);
		return 0;
	case FORMAT_JSONL:
		put_objects(sheets, count, "\n", out);
		fputc('\n', out);
		return 0;
	case FORMAT_OPENMETRICS:
		put_openmetrics(sheets, count, out);
		return 0;
	case FORMAT_VEGA:
		put_vega(sheets, count, out);
		return 0;
	default:
		break;
	}
	for (i = 0; i < count; i++)
		if (format != FORMAT_CSV && format != FORMAT_TIDY)
			put_people(&sheets[i], series_style(format), out);
		else
			put_csv(&sheets[i],
				!i || !same_columns(&sheets[i], &sheets[i - 1]),
				out);
	return 0;
}

int sheet_put_named(const struct sheet *sheet, const char *format, FILE *out,
	struct error *error)
{
	char list[SERIES_FORMAT_LIST_BYTES];
	const int found = series_format_find(format);

	if (found >= 0)
		return sheet_put(
			sheet, 1, (enum series_format)found, out, error);
	series_format_list(list);
	return error_set(error, ERR_USAGE, "the format '%s' is none of %s",
		format, list);
}
