#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/csv.h"
#include "harness/visible/visible.h"
#include "harness/series/formats.h"
#include "harness/marks/marks.h"
#include "harness/base/units.h"

enum column_kind {
	COLUMN_AXIS,
	COLUMN_METRIC,
	COLUMN_SAMPLES,
	COLUMN_OUTLIERS,
	COLUMN_CLOCK,
	COLUMN_SKIPPED,
	COLUMN_MARKS,
};

struct column {
	enum column_kind kind;
	int metric;   /* COLUMN_METRIC */
	size_t field; /* of its summary */
};

struct reader {
	struct csv csv;
	struct series_list *list;
	struct series *series;  /* the current one; NULL between series */
	struct column *columns; /* of its header; NULL before that */
	size_t column_count;
	size_t point_count; /* of the file */
	struct error *error;
};

static int fail(struct reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int fail(struct reader *r, const char *format, ...)
{
	char rest[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(rest, sizeof(rest), format, arguments);
	va_end(arguments);
	return error_set(r->error, ERR_USAGE, "%s:%zu: %s", r->csv.source,
		r->csv.line, rest);
}

static int no_memory(struct reader *r)
{
	return error_set(r->error, ERR_FAILED,
		"out of memory while reading '%s'", r->csv.source);
}

/* ---- comments ---- */

static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		char code[3] = "";

		if (*text != '\\' || !text[1]) {
			*to++ = *text;
			continue;
		}
		text++;
		if (*text == 'x' && isxdigit((unsigned char)text[1]) &&
			isxdigit((unsigned char)text[2])) {
			memcpy(code, text + 1, 2);
			*to++ = (char)strtoul(code, NULL, 16);
			text += 2;
			continue;
		}
		*to++ = *text == 'n'   ? '\n'
			: *text == 'r' ? '\r'
			: *text == 'c' ? ':'
				       : *text;
	}
	*to = '\0';
}

static int set_once(
	struct reader *r, char **text, const char *key, const char *value)
{
	if (*text)
		return fail(r, "'%s' is given twice", key);
	*text = strdup(value);
	return *text ? 0 : no_memory(r);
}

static int read_fact(struct reader *r, const char *key, const char *value)
{
	static const char option[] = "option.";
	struct series *series = r->series;
	int result;

	if (!strcmp(key, "bench"))
		return set_once(r, &series->bench, key, value);
	if (!strcmp(key, "axis"))
		return set_once(r, &series->axis, key, value);
	if (!strcmp(key, "schema"))
		return strcmp(value, SERIES_SCHEMA)
			       ? fail(r,
					 "the schema is '%s', but only '%s' is "
					 "known",
					 value, SERIES_SCHEMA)
			       : 0;
	if (series->options.count + series->provenance.count ==
		SERIES_FACTS_MAX)
		return fail(r, "a series has at most %d options and facts",
			SERIES_FACTS_MAX);
	if (!strncmp(key, option, sizeof(option) - 1))
		result = facts_add(&series->options, key + sizeof(option) - 1,
			"%s", value);
	else
		result = facts_add(&series->provenance, key, "%s", value);
	return result ? no_memory(r) : 0;
}

static void end_series(struct reader *r)
{
	free(r->columns);
	r->columns = NULL;
	r->column_count = 0;
	r->series = NULL;
}

static int begin_series(struct reader *r)
{
	r->series = series_list_add(r->list);
	return r->series ? 0 : no_memory(r);
}

/* A comment without ": " is a remark. */
static int read_comment(struct reader *r)
{
	char *colon = strstr(r->csv.comment, ": ");
	int result;

	if (!colon)
		return 0;
	*colon = '\0';
	if (r->columns)
		end_series(r);
	if (!r->series && (result = begin_series(r)))
		return result;
	unescape(r->csv.comment);
	/* Two keys that differ in such bytes would be one in JSON. */
	if (!visible_is_utf8(r->csv.comment))
		return fail(r, "the key '%s' is not UTF-8", r->csv.comment);
	unescape(colon + 2);
	return read_fact(r, r->csv.comment, colon + 2);
}

/* ---- header ---- */

/* "latency_cycles_p95" -> the metric and the field of its summary. */
static bool find_field(const char *name, struct column *column)
{
	int metric;
	size_t i;

	for (metric = 0; metric < METRIC_ALL; metric++) {
		const size_t length = strlen(metric_columns[metric]);

		if (strncmp(name, metric_columns[metric], length) ||
			name[length] != '_')
			continue;
		for (i = 0; i < SUMMARY_FIELDS; i++) {
			if (strcmp(name + length + 1, summary_fields[i].name))
				continue;
			*column = (struct column){COLUMN_METRIC, metric, i};
			return true;
		}
	}
	return false;
}

static int find_column(
	struct reader *r, const char *name, struct column *column)
{
	static const struct {
		const char *name;
		enum column_kind kind;
	} plain[] = {{"samples", COLUMN_SAMPLES}, {"outliers", COLUMN_OUTLIERS},
		{"sm_clock_hz", COLUMN_CLOCK}, {"skipped", COLUMN_SKIPPED},
		{"marks", COLUMN_MARKS}};
	size_t i;

	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (strcmp(name, plain[i].name))
			continue;
		*column = (struct column){.kind = plain[i].kind};
		return 0;
	}
	if (find_field(name, column))
		return 0;
	return fail(r, "the column '%s' is not known", name);
}

static const char no_series[] =
	"no series: JSON begins with '{', CSV with a line '# bench: NAME'";

static int check_head(struct reader *r)
{
	struct series *series = r->series;
	const char *first = r->csv.fields[0];

	if (!series->bench)
		return fail(r, "%s", no_series);
	if (!series->axis)
		return set_once(r, &series->axis, "axis", first);
	if (strcmp(series->axis, first))
		return fail(r, "the first column is '%s', but the axis '%s'",
			first, series->axis);
	return 0;
}

static int read_header(struct reader *r)
{
	size_t i;
	int result;

	if (!r->series)
		return fail(r, "%s", no_series);
	result = check_head(r);
	if (result)
		return result;
	r->columns = calloc(r->csv.field_count, sizeof(*r->columns));
	if (!r->columns)
		return no_memory(r);
	r->column_count = r->csv.field_count;
	r->columns[0].kind = COLUMN_AXIS;
	for (i = 1; i < r->column_count; i++) {
		result = find_column(r, r->csv.fields[i], &r->columns[i]);
		if (result)
			return result;
		if (r->columns[i].kind == COLUMN_METRIC)
			r->series->metrics |= METRIC_BIT(r->columns[i].metric);
	}
	return 0;
}

/* ---- rows ---- */

struct row {
	struct point *point;
	uint64_t samples, outliers;
};

static int read_number(struct reader *r, const char *text, double *value)
{
	if (!units_parse_real(text, value, r->error))
		return 0;
	return error_prefix(
		r->error, ERR_USAGE, "%s:%zu: ", r->csv.source, r->csv.line);
}

static int read_count(struct reader *r, const char *text, uint64_t *count)
{
	if (units_parse_count(text, count, r->error))
		return error_prefix(r->error, ERR_USAGE,
			"%s:%zu: ", r->csv.source, r->csv.line);
	if (*count > UINT32_MAX)
		return fail(r, "'%s' samples are too many", text);
	return 0;
}

/* Splits `names` in place. */
static int read_marks(struct reader *r, char *names, uint32_t *marks)
{
	char *name;

	while ((name = strsep(&names, " "))) {
		int mark = mark_find(name);

		if (mark < 0)
			return fail(r, "the mark '%s' is not known", name);
		*marks |= 1u << mark;
	}
	return 0;
}

static int read_field(struct reader *r, const struct column *column, char *text,
	struct row *row)
{
	struct point *point = row->point;
	struct metric_values *reading;
	double value;
	int result;

	if (!*text)
		return column->kind == COLUMN_AXIS ? fail(r, "x is empty") : 0;
	if (column->kind == COLUMN_SKIPPED)
		return set_once(r, &point->skipped, "skipped", text);
	if (column->kind == COLUMN_MARKS)
		return read_marks(r, text, &point->marks);
	if (column->kind == COLUMN_SAMPLES)
		return read_count(r, text, &row->samples);
	if (column->kind == COLUMN_OUTLIERS)
		return read_count(r, text, &row->outliers);
	result = read_number(r, text, &value);
	if (result)
		return result;
	if (column->kind == COLUMN_AXIS)
		point->x = value;
	else if (column->kind == COLUMN_CLOCK)
		point->clock_hz = value;
	else if ((reading = point_add_metric(point, column->metric)))
		summary_set(&reading->summary, column->field, value);
	else
		return no_memory(r);
	return 0;
}

/* One pair of counts serves all metrics of the row that have a value. */
static void set_counts(const struct row *row)
{
	size_t i;

	for (i = 0; i < row->point->metric_count; i++) {
		struct summary *summary = &row->point->metrics[i].summary;

		if (isnan(summary->median))
			continue;
		summary->count = (uint32_t)row->samples;
		summary->outliers = (uint32_t)row->outliers;
	}
}

static int read_row(struct reader *r)
{
	struct row row = {.samples = 1};
	size_t i;
	int result = 0;

	if (++r->point_count > SERIES_POINTS_MAX)
		return fail(
			r, "a file has at most %d points", SERIES_POINTS_MAX);
	if (r->csv.field_count != r->column_count)
		return fail(r, "the row has %zu fields, but the header %zu",
			r->csv.field_count, r->column_count);
	row.point = series_add_point(r->series, 0);
	if (!row.point)
		return no_memory(r);
	for (i = 0; !result && i < r->column_count; i++)
		result = read_field(r, &r->columns[i], r->csv.fields[i], &row);
	if (!result)
		set_counts(&row);
	return result;
}

static int read_record(struct reader *r)
{
	if (r->csv.comment)
		return read_comment(r);
	if (r->csv.field_count)
		return r->columns ? read_row(r) : read_header(r);
	if (r->series && !r->columns)
		return fail(r, "a header must follow the comments");
	end_series(r);
	return 0;
}

int series_parse_csv(char *text, size_t bytes, const char *source,
	struct series_list *list, struct error *error)
{
	struct reader reader = {.list = list, .error = error};
	int result;

	if (memchr(text, '\0', bytes))
		return error_set(error, ERR_USAGE,
			"'%s' is neither JSON nor CSV", source);
	csv_init(&reader.csv, text, bytes, source);
	while ((result = csv_next(&reader.csv, error)) > 0) {
		result = read_record(&reader);
		if (result)
			break;
	}
	if (!result && reader.series && !reader.columns)
		result = fail(&reader, "a header must follow the comments");
	end_series(&reader);
	csv_free(&reader.csv);
	return result;
}
