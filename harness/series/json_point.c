#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/marks/marks.h"
#include "harness/series/json.h"

/* ---- metrics: summaries, and the values that they summarise ---- */

static int add_metric(struct series_reader *r, struct json_stream *stream)
{
	r->metric = point_add_metric(r->point, (int)json_stream_row(stream));
	return r->metric ? 0 : json_stream_no_memory(stream);
}

static int begin_metric(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	(void)value;
	return add_metric(reader, stream);
}

static int take_number(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	summary_set(
		&r->metric->summary, json_stream_row(stream), value->number);
	return 0;
}

static int take_count(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct summary *summary =
		&((struct series_reader *)reader)->metric->summary;
	uint64_t count = 0;
	int code = json_stream_count(stream, value, UINT32_MAX, &count);

	if (json_stream_row(stream) == SUMMARY_FIELDS)
		summary->count = (uint32_t)count;
	else
		summary->outliers = (uint32_t)count;
	return code;
}

static const struct json_rule summary_rules[] = {
#define SUMMARY_RULE(name)                                                     \
	{#name, WANT_NUMBER | WANT_NULL, true, .take = take_number},
	SUMMARY_NUMBERS(SUMMARY_RULE)
#undef SUMMARY_RULE
		{"count", WANT_WHOLE, true, .take = take_count},
	{"outliers", WANT_WHOLE, true, .take = take_count}, {0}};

static const struct json_rule metrics_rules[] = {
#define METRIC_RULE(name, column, meaning)                                     \
	{column, WANT_OBJECT, .inside = summary_rules, .take = begin_metric},
	METRICS(METRIC_RULE)
#undef METRIC_RULE
#define COUNTER(field, name, ...)                                              \
	{name, WANT_OBJECT, .inside = summary_rules, .take = begin_metric},
#define RUN_COUNTER(ID, name, ...)                                             \
	{name, WANT_OBJECT, .inside = summary_rules, .take = begin_metric},
#include "harness/contract/counters.def"
		{0}};

static int take_value(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct metric_values *metric = ((struct series_reader *)reader)->metric;
	double *values = series_make_room(
		metric->values, metric->value_count, sizeof(*values));

	if (!values)
		return json_stream_no_memory(stream);
	metric->values = values;
	values[metric->value_count++] = value->number;
	return 0;
}

static const struct json_rule value_rule[] = {
	{.wants = WANT_NUMBER | WANT_NULL, .take = take_value}, {0}};

static const struct json_rule values_rules[] = {
#define VALUES_RULE(name, column, meaning)                                     \
	{column, WANT_ARRAY, .inside = value_rule, .take = begin_metric},
	METRICS(VALUES_RULE)
#undef VALUES_RULE
#define COUNTER(field, name, ...)                                              \
	{name, WANT_ARRAY, .inside = value_rule, .take = begin_metric},
#define RUN_COUNTER(ID, name, ...)                                             \
	{name, WANT_ARRAY, .inside = value_rule, .take = begin_metric},
#include "harness/contract/counters.def"
		{0}};

/* ---- what else a point has ---- */

static int take_x(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	(void)stream;
	((struct series_reader *)reader)->point->x = value->number;
	return 0;
}

static int take_clock(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	(void)stream;
	((struct series_reader *)reader)->point->clock_hz = value->number;
	return 0;
}

static int take_skipped(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	return json_stream_copy(stream, value, &r->point->skipped);
}

static int take_program(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	return json_stream_copy(stream, value, &r->point->program);
}

static int take_region(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct point *point = ((struct series_reader *)reader)->point;
	char **regions = series_make_room(
		point->regions, point->region_count, sizeof(*regions));
	int code;

	if (!regions)
		return json_stream_no_memory(stream);
	point->regions = regions;
	code = json_stream_copy(stream, value, &regions[point->region_count]);
	point->region_count += !code;
	return code;
}

static int take_mark(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	const int mark = mark_find(value->text);

	if (mark < 0)
		return json_stream_fail(
			stream, "", "names no known mark: '%s'", value->text);
	((struct series_reader *)reader)->point->marks |= 1u << mark;
	return 0;
}

static int take_counter(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct point *point = ((struct series_reader *)reader)->point;
	struct counter *counters = series_make_room(
		point->counters, point->counter_count, sizeof(*counters));
	char *name;

	if (!counters)
		return json_stream_no_memory(stream);
	point->counters = counters;
	name = strdup(json_stream_key(stream));
	if (!name)
		return json_stream_no_memory(stream);
	counters[point->counter_count++] =
		(struct counter){name, value->number};
	return 0;
}

static const struct json_rule region_rule[] = {
	{.wants = WANT_TEXT, .take = take_region}, {0}};

static const struct json_rule mark_rule[] = {
	{.wants = WANT_TEXT, .take = take_mark}, {0}};

static const struct json_rule counters_rules[] = {
	{.wants = WANT_NUMBER | WANT_NULL, .take = take_counter}, {0}};

/* ---- the point ---- */

/* Rows that a point may lack where it was skipped. */
enum { ROW_X, ROW_CLOCK, ROW_METRICS };

const struct json_rule series_point_rules[] = {
	[ROW_X] = {"x", WANT_NUMBER, true, .take = take_x},
	[ROW_CLOCK] = {"clock_hz", WANT_NUMBER | WANT_NULL, .take = take_clock},
	[ROW_METRICS] = {"metrics", WANT_OBJECT, .inside = metrics_rules},
	{"skipped", WANT_TEXT, .take = take_skipped},
	{"program", WANT_TEXT, .take = take_program},
	{"regions", WANT_ARRAY, .inside = region_rule},
	{"marks", WANT_ARRAY, .inside = mark_rule},
	{"values", WANT_OBJECT, .inside = values_rules},
	{"samples", WANT_OBJECT, .inside = series_samples_rules,
		.take = series_begin_samples, .end = series_end_samples},
	{"spans", WANT_ARRAY, .inside = series_spans_rule},
	{"counters", WANT_OBJECT, .inside = counters_rules},
	{0}};

int series_begin_point(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	(void)value;
	if (r->points == SERIES_POINTS_MAX)
		return json_stream_fail(stream, "",
			"is one point too many: a file has at most %d",
			SERIES_POINTS_MAX);
	r->points++;
	r->point = series_add_point(r->series, 0);
	return r->point ? 0 : json_stream_no_memory(stream);
}

/* Its metrics and its clock say nothing. */
static void clear_skipped(struct point *point)
{
	size_t i;

	point->clock_hz = NAN;
	for (i = 0; i < point->metric_count; i++)
		summary_clear(&point->metrics[i].summary);
}

int series_end_point(void *reader, struct json_stream *stream)
{
	struct series_reader *r = reader;
	size_t row;

	if (r->point->skipped)
		clear_skipped(r->point);
	for (row = ROW_CLOCK; !r->point->skipped && row <= ROW_METRICS; row++)
		if (!json_stream_has(stream, row)) {
			char below[16];

			snprintf(below, sizeof(below), ".%s",
				series_point_rules[row].key);
			return json_stream_fail(stream, below, "is missing");
		}
	return series_check_regions(r, stream);
}
