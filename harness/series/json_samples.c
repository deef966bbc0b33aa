#include <stdlib.h>
#include <string.h>

#include "harness/series/json.h"

/* A table that says so by one number must not take all memory. */
#define SAMPLES_MAX (1u << 26)

/* ---- samples: columns, of which equal ones are a single number ---- */

int series_begin_samples(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	(void)stream;
	(void)value;
	memset(r->rows, 0, sizeof(r->rows));
	r->constant = 0;
	r->count = 0;
	return 0;
}

static int reserve(
	struct series_reader *r, struct json_stream *stream, size_t rows)
{
	return sample_table_reserve(&r->point->samples, rows)
		       ? json_stream_no_memory(stream)
		       : 0;
}

static int take_rows(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;
	int code = json_stream_count(stream, value, SAMPLES_MAX, &r->count);

	return code ? code : reserve(r, stream, r->count);
}

static int take_cell(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;
	struct sample_table *table = &r->point->samples;
	const size_t width = sample_columns[r->column].width;
	const size_t row = r->rows[r->column];
	uint64_t whole;
	int code = 0;

	if (row == SAMPLES_MAX)
		return json_stream_fail(stream, "",
			"is one sample too many: a point has at most %u",
			SAMPLES_MAX);
	if (row == table->capacity)
		code = reserve(r, stream, row ? 2 * row : 64);
	if (!code && width < sizeof(double))
		code = value->whole ? json_stream_count(stream, value,
					      (1ull << 8 * width) - 1, &whole)
				    : json_stream_fail(stream, "",
					      "must be a whole number");
	if (code)
		return code;
	sample_table_set(table, r->column, row, value->number);
	r->rows[r->column]++;
	return 0;
}

/* A constant is kept as the first row until their number is known. */
static int take_column(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	r->column = json_stream_row(stream);
	if (value->kind == WANT_ARRAY)
		return 0;
	r->constant |= 1u << r->column;
	return take_cell(reader, stream, value);
}

static const struct json_rule cell_rule[] = {
	{.wants = WANT_NUMBER | WANT_NULL, .take = take_cell}, {0}};

const struct json_rule series_samples_rules[] = {
#define COLUMN_RULE(name)                                                      \
	{#name, WANT_NUMBER | WANT_NULL | WANT_ARRAY, .inside = cell_rule,     \
		.take = take_column},
	SAMPLE_TABLE(COLUMN_RULE)
#undef COLUMN_RULE
		{"count", WANT_WHOLE, true, .take = take_rows},
	{0}};

static int end_column(
	struct series_reader *r, struct json_stream *stream, size_t column)
{
	struct sample_table *table = &r->point->samples;
	char below[32];
	size_t row;

	snprintf(below, sizeof(below), ".%s", sample_columns[column].name);
	if (r->count && !json_stream_has(stream, column))
		return json_stream_fail(stream, below, "is missing");
	if (!(r->constant >> column & 1))
		return r->rows[column] == r->count
			       ? 0
			       : json_stream_fail(stream, below,
					 "must have %zu entries, not %zu",
					 (size_t)r->count, r->rows[column]);
	for (row = 1; row < r->count; row++)
		sample_table_set(
			table, column, row, sample_table_get(table, column, 0));
	return 0;
}

int series_end_samples(void *reader, struct json_stream *stream)
{
	struct series_reader *r = reader;
	size_t column;
	int code = 0;

	for (column = 0; !code && column < SAMPLE_COLUMNS; column++)
		code = end_column(r, stream, column);
	if (!code)
		r->point->samples.count = r->count;
	return code;
}

/* ---- spans ---- */

static int begin_span(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;
	struct point *point = r->point;
	struct span_row *spans = series_make_room(
		point->spans, point->span_count, sizeof(*spans));

	(void)value;
	if (!spans)
		return json_stream_no_memory(stream);
	point->spans = spans;
	r->span = &spans[point->span_count++];
	*r->span = (struct span_row){0};
	return 0;
}

enum { SPAN_REGION, SPAN_REPEAT, SPAN_CYCLES, SPAN_NS, SPAN_CLOCK };

static int take_span_count(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct span_row *span = ((struct series_reader *)reader)->span;
	uint64_t count = 0;
	int code = json_stream_count(stream, value, UINT32_MAX, &count);

	if (json_stream_row(stream) == SPAN_REGION)
		span->region = (uint32_t)count;
	else
		span->repeat = (uint32_t)count;
	return code;
}

static int take_span_number(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct span_row *span = ((struct series_reader *)reader)->span;
	double *const numbers[] = {[SPAN_CYCLES] = &span->cycles,
		[SPAN_NS] = &span->ns,
		[SPAN_CLOCK] = &span->clock_hz};

	*numbers[json_stream_row(stream)] = value->number;
	return 0;
}

static const struct json_rule span_rules[] = {
	[SPAN_REGION] = {"region", WANT_WHOLE, true, .take = take_span_count},
	[SPAN_REPEAT] = {"repeat", WANT_WHOLE, true, .take = take_span_count},
	[SPAN_CYCLES] = {"cycles", WANT_NUMBER | WANT_NULL, true,
		.take = take_span_number},
	[SPAN_NS] = {"ns", WANT_NUMBER | WANT_NULL, true,
		.take = take_span_number},
	[SPAN_CLOCK] = {"clock_hz", WANT_NUMBER | WANT_NULL, true,
		.take = take_span_number},
	{0}};

const struct json_rule series_spans_rule[] = {
	{.wants = WANT_OBJECT, .inside = span_rules, .take = begin_span}, {0}};

/* ---- regions ---- */

static int no_region(const struct series_reader *r, struct json_stream *stream,
	const char *below)
{
	return json_stream_fail(stream, below, "is not one of %zu regions",
		r->point->region_count);
}

int series_check_regions(
	const struct series_reader *r, struct json_stream *stream)
{
	const struct point *point = r->point;
	char below[64] = ".samples.region";
	size_t i;

	for (i = 0; i < point->samples.count; i++) {
		if (point->samples.region[i] < point->region_count)
			continue;
		if (!(r->constant >> 1 & 1))
			snprintf(below, sizeof(below), ".samples.region[%zu]",
				i);
		return no_region(r, stream, below);
	}
	for (i = 0; i < point->span_count; i++) {
		if (point->spans[i].region < point->region_count)
			continue;
		snprintf(below, sizeof(below), ".spans[%zu].region", i);
		return no_region(r, stream, below);
	}
	return 0;
}
