#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/series/formats.h"
#include "harness/series/json.h"

void *series_make_room(void *items, size_t count, size_t size)
{
	if (count & (count - 1)) /* room for twice as many was made */
		return items;
	return reallocarray(items, count ? 2 * count : 1, size);
}

/* ---- facts ---- */

static int begin_options(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	(void)stream;
	(void)value;
	r->facts = &r->series->options;
	return 0;
}

static int begin_provenance(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	(void)stream;
	(void)value;
	r->facts = &r->series->provenance;
	return 0;
}

static int take_fact(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct facts *facts = ((struct series_reader *)reader)->facts;

	if (value->kind == WANT_ARRAY)
		return 0;
	if (facts->count == SERIES_FACTS_MAX)
		return json_stream_fail(stream, "",
			"is one too many: a series has at most %d",
			SERIES_FACTS_MAX);
	if (facts_add(facts, json_stream_key(stream), "%s", value->text))
		return json_stream_no_memory(stream);
	return 0;
}

static const struct json_rule fact_rule[] = {
	{.wants = WANT_TEXT, .take = take_fact}, {0}};

static const struct json_rule facts_rules[] = {{.wants = WANT_TEXT | WANT_ARRAY,
						       .take = take_fact,
						       .inside = fact_rule},
	{0}};

/* ---- a series ---- */

static int take_bench(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	return json_stream_copy(stream, value, &r->series->bench);
}

static int take_axis(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	return json_stream_copy(stream, value, &r->series->axis);
}

static int take_metric_name(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;
	const int metric = metric_find(value->text);

	if (metric < 0)
		return json_stream_fail(
			stream, "", "names no known metric: '%s'", value->text);
	r->series->metrics |= METRIC_BIT(metric);
	return 0;
}

static const struct json_rule axis_rules[] = {
	{"name", WANT_TEXT, true, .take = take_axis}, {0}};

static const struct json_rule metric_name_rule[] = {
	{.wants = WANT_TEXT, .take = take_metric_name}, {0}};

static const struct json_rule point_rule[] = {
	{.wants = WANT_OBJECT,
		.inside = series_point_rules,
		.take = series_begin_point,
		.end = series_end_point},
	{0}};

static const struct json_rule series_rules[] = {
	{"bench", WANT_TEXT, true, .take = take_bench},
	{"axis", WANT_OBJECT, true, axis_rules},
	{"options", WANT_OBJECT, true, facts_rules, begin_options},
	{"provenance", WANT_OBJECT, true, facts_rules, begin_provenance},
	{"metrics", WANT_ARRAY, true, metric_name_rule},
	{"points", WANT_ARRAY, true, point_rule}, {0}};

static int begin_series(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	struct series_reader *r = reader;

	(void)value;
	r->series = series_list_add(r->list);
	return r->series ? 0 : json_stream_no_memory(stream);
}

int series_lacks_metric(const struct series *series, size_t index)
{
	const struct point *point = &series->points[index];
	int metric;

	for (metric = 0; !point->skipped && metric < METRIC_ALL; metric++)
		if (series->metrics >> metric & 1 &&
			point_metric(point, metric)->metric != metric)
			return metric;
	return -1;
}

/* The metrics of the series may stand behind its points. */
static int end_series(void *reader, struct json_stream *stream)
{
	const struct series *series = ((struct series_reader *)reader)->series;
	char below[64];
	size_t i;
	int metric;

	for (i = 0; i < series->point_count; i++) {
		metric = series_lacks_metric(series, i);
		if (metric < 0)
			continue;
		snprintf(below, sizeof(below), ".points[%zu].metrics.%s", i,
			metric_columns[metric]);
		return json_stream_fail(stream, below, "is missing");
	}
	return 0;
}

/* ---- the document ---- */

static int take_schema(void *reader, struct json_stream *stream,
	const struct json_value *value)
{
	(void)reader;
	if (!strcmp(value->text, SERIES_SCHEMA))
		return 0;
	return json_stream_fail(stream, "", "is '%s', but only '%s' is known",
		value->text, SERIES_SCHEMA);
}

static const struct json_rule one_series_rule[] = {
	{.wants = WANT_OBJECT,
		.inside = series_rules,
		.take = begin_series,
		.end = end_series},
	{0}};

static const struct json_rule document_rules[] = {
	{"schema", WANT_TEXT, true, .take = take_schema},
	{"series", WANT_ARRAY, true, one_series_rule}, {0}};

static const struct json_rule root = {
	.wants = WANT_OBJECT, .inside = document_rules};

int series_parse_json(const char *text, size_t bytes, const char *source,
	struct series_list *list, struct error *error)
{
	struct series_reader reader = {.list = list};
	struct json_stream *stream =
		json_stream_open(&root, &reader, source, error);
	int code = stream ? json_stream_feed(stream, text, bytes) : ERR_FAILED;

	if (!code)
		code = json_stream_end(stream);
	json_stream_free(stream);
	return code;
}

/* What separates values, the lines of plain numbers among them. */
#define SEPARATORS ",[{\n"

int series_read_json(
	struct chunks *chunks, struct series_list *list, struct error *error)
{
	struct series_reader reader = {.list = list};
	struct json_stream *stream =
		json_stream_open(&root, &reader, chunks->source, error);
	int code = stream ? 1 : ERR_FAILED;

	while (code > 0) {
		code = chunks_check_values(chunks, SEPARATORS, error);
		if (!code)
			code = json_stream_feed(
				stream, chunks->text, chunks->bytes);
		if (!code)
			code = chunks_next(chunks, error);
	}
	if (!code)
		code = json_stream_end(stream);
	json_stream_free(stream);
	return code;
}
