#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/series/series.h"

const char *const metric_columns[METRIC_ALL] = {
#define METRIC_COLUMN(name, column, meaning) column,
	METRICS(METRIC_COLUMN)
#undef METRIC_COLUMN
#define COUNTER(field, name, unit, meaning)  name,
#define RUN_COUNTER(ID, name, unit, meaning) name,
#include "harness/contract/counters.def"
};

const char *const metric_meanings[METRIC_ALL] = {
#define METRIC_MEANING(name, column, meaning) meaning,
	METRICS(METRIC_MEANING)
#undef METRIC_MEANING
#define COUNTER(field, name, unit, meaning)  meaning,
#define RUN_COUNTER(ID, name, unit, meaning) meaning,
#include "harness/contract/counters.def"
};

const struct summary_field summary_fields[SUMMARY_FIELDS] = {
#define SUMMARY_FIELD(name) {#name, offsetof(struct summary, name)},
	SUMMARY_NUMBERS(SUMMARY_FIELD)
#undef SUMMARY_FIELD
};

const struct sample_column sample_columns[SAMPLE_COLUMNS] = {
#define SAMPLE_COLUMN(name)                                                    \
	{#name, offsetof(struct sample_table, name),                           \
		sizeof(*((struct sample_table *)0)->name)},
	SAMPLE_TABLE(SAMPLE_COLUMN)
#undef SAMPLE_COLUMN
};

int metric_find(const char *column)
{
	int metric;

	for (metric = 0; metric < METRIC_ALL; metric++)
		if (!strcmp(metric_columns[metric], column))
			return metric;
	return strcmp(column, METRIC_ELAPSED_NSIGHT) ? -1
						     : METRIC_ELAPSED_CYCLES;
}

static const struct counter *find_counter(
	const struct point *point, const char *name)
{
	size_t i;

	for (i = 0; i < point->counter_count; i++)
		if (!strcmp(point->counters[i].name, name))
			return &point->counters[i];
	return NULL;
}

/* Whether each point that was run has it, and there is one. */
static bool has_counter(const struct series *series, const char *name)
{
	size_t run = 0, i;

	for (i = 0; i < series->point_count; i++) {
		if (series->points[i].skipped)
			continue;
		if (!find_counter(&series->points[i], name))
			return false;
		run++;
	}
	return run > 0;
}

static int take_counter(struct series *series, int metric)
{
	struct metric_values *reading;
	double value;
	size_t i;

	if (!has_counter(series, metric_columns[metric]))
		return 0;
	for (i = 0; i < series->point_count; i++) {
		struct point *point = &series->points[i];

		if (point->skipped)
			continue;
		value = find_counter(point, metric_columns[metric])->value;
		reading = point_add_metric(point, metric);
		if (!reading ||
			stats_summarize(&value, 1, 1, &reading->summary))
			return ERR_FAILED;
	}
	series->metrics |= METRIC_BIT(metric);
	return 0;
}

int series_take_counter(struct series_list *list, int metric)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && metric >= METRIC_COUNTERS && i < list->count; i++)
		code = take_counter(&list->items[i], metric);
	return code;
}

static const char *fact_word(const char *value, const char *key)
{
	const char *at = strstr(value, key);

	return at ? at + strlen(key) : NULL;
}

/* A point is a repeat of a launch; the facts are of the launches, in order. */
void series_launch(
	const struct series *series, double x, char text[SERIES_LAUNCH_BYTES])
{
	const struct facts *facts = &series->provenance;
	const char *value = NULL, *name, *repeats;
	double runs = 0;
	size_t i;

	*text = '\0';
	if (!series->axis || strcmp(series->axis, "launch") != 0)
		return;
	for (i = 0; i < facts->count && x >= runs; i++) {
		if (strncmp(facts->items[i].key, "job.launch", 10) != 0)
			continue;
		value = facts->items[i].value;
		repeats = fact_word(value, " repeats=");
		runs += repeats ? strtod(repeats, NULL) : 1;
	}
	if (!value || x >= runs)
		return;
	name = fact_word(value, " name=");
	name = name ? name : value;
	snprintf(text, SERIES_LAUNCH_BYTES, "%.*s", (int)strcspn(name, " "),
		name);
}

int series_primary(const struct series *series)
{
	size_t i;
	int metric;

	for (i = 0; series->bench && benches[i]; i++)
		if (!strcmp(series->bench, benches[i]->name) &&
			series->metrics >> benches[i]->headline & 1)
			return (int)benches[i]->headline;
	for (metric = 0; metric < METRIC_ALL; metric++)
		if (series->metrics >> metric & 1)
			return metric;
	return -1;
}

double summary_get(const struct summary *summary, size_t field)
{
	double value;

	memcpy(&value, (const char *)summary + summary_fields[field].offset,
		sizeof(value));
	return value;
}

void summary_set(struct summary *summary, size_t field, double value)
{
	memcpy((char *)summary + summary_fields[field].offset, &value,
		sizeof(value));
}

void summary_clear(struct summary *summary)
{
	size_t field;

	summary->count = summary->outliers = 0;
	for (field = 0; field < SUMMARY_FIELDS; field++)
		summary_set(summary, field, NAN);
}

/* ---- sample tables ---- */

static char *column_data(const struct sample_table *table, size_t column)
{
	char *data;

	memcpy(&data, (const char *)table + sample_columns[column].offset,
		sizeof(data));
	return data;
}

int sample_table_reserve(struct sample_table *table, size_t capacity)
{
	size_t column;

	if (capacity <= table->capacity)
		return 0;
	for (column = 0; column < SAMPLE_COLUMNS; column++) {
		const struct sample_column *c = &sample_columns[column];
		char *data = column_data(table, column);

		data = reallocarray(data, capacity, c->width);
		if (!data)
			return ERR_FAILED;
		memcpy((char *)table + c->offset, &data, sizeof(data));
	}
	table->capacity = capacity;
	return 0;
}

int sample_table_add(struct sample_table *table, uint32_t repeat,
	const struct sample *sample)
{
	const size_t row = table->count;

	if (row == table->capacity &&
		sample_table_reserve(table, row ? 2 * row : 64))
		return ERR_FAILED;
	table->repeat[row] = repeat;
	table->region[row] = sample->region;
	table->sm[row] = sample->sm;
	table->warp[row] = sample->warp;
	table->iteration[row] = sample->iteration;
	table->cycles[row] = sample->cycles;
	table->count++;
	return 0;
}

double sample_table_get(
	const struct sample_table *table, size_t column, size_t row)
{
	const size_t width = sample_columns[column].width;
	const char *data = column_data(table, column) + row * width;
	uint16_t narrow;
	uint32_t word;
	double value;

	if (width == sizeof(narrow)) {
		memcpy(&narrow, data, width);
		return narrow;
	}
	if (width == sizeof(word)) {
		memcpy(&word, data, width);
		return word;
	}
	memcpy(&value, data, width);
	return value;
}

void sample_table_set(
	struct sample_table *table, size_t column, size_t row, double value)
{
	const size_t width = sample_columns[column].width;
	char *data = column_data(table, column) + row * width;
	uint16_t narrow;
	uint32_t word;

	if (width == sizeof(narrow)) {
		narrow = (uint16_t)value;
		memcpy(data, &narrow, width);
	} else if (width == sizeof(word)) {
		word = (uint32_t)value;
		memcpy(data, &word, width);
	} else {
		memcpy(data, &value, width);
	}
}

/* ---- series ---- */

struct point *series_add_point(struct series *series, double x)
{
	const size_t count = series->point_count;
	struct point *points = series->points, *point;

	if (!(count & (count - 1))) { /* full: room for twice as many */
		points = reallocarray(
			points, count ? 2 * count : 1, sizeof(*points));
		if (!points)
			return NULL;
		series->points = points;
	}
	point = &points[series->point_count++];
	memset(point, 0, sizeof(*point));
	point->x = x;
	point->clock_hz = NAN;
	return point;
}

static const struct metric_values nothing = {.metric = -1,
	.summary = {.median = NAN,
		.mean = NAN,
		.p5 = NAN,
		.p95 = NAN,
		.mad = NAN,
		.low = NAN,
		.high = NAN}};

const struct metric_values *point_metric(const struct point *point, int metric)
{
	size_t i;

	for (i = 0; i < point->metric_count; i++)
		if (point->metrics[i].metric == metric)
			return &point->metrics[i];
	return &nothing;
}

const struct summary *point_summary(const struct point *point, int metric)
{
	return &point_metric(point, metric)->summary;
}

struct metric_values *point_add_metric(struct point *point, int metric)
{
	const struct metric_values *found = point_metric(point, metric);
	struct metric_values *metrics;

	if (found != &nothing)
		return &point->metrics[found - point->metrics];
	metrics = reallocarray(
		point->metrics, point->metric_count + 1, sizeof(*metrics));
	if (!metrics)
		return NULL;
	point->metrics = metrics;
	metrics[point->metric_count] = nothing;
	metrics[point->metric_count].metric = metric;
	return &metrics[point->metric_count++];
}

struct series *series_list_add(struct series_list *list)
{
	struct series *items;

	items = reallocarray(list->items, list->count + 1, sizeof(*items));
	if (!items)
		return NULL;
	list->items = items;
	memset(&items[list->count], 0, sizeof(*items));
	return &items[list->count++];
}

void point_free(struct point *point)
{
	size_t i;

	free(point->skipped);
	free(point->program);
	for (i = 0; i < point->region_count; i++)
		free(point->regions[i]);
	free(point->regions);
	for (i = 0; i < point->metric_count; i++)
		free(point->metrics[i].values);
	free(point->metrics);
	for (i = 0; i < SAMPLE_COLUMNS; i++)
		free(column_data(&point->samples, i));
	free(point->spans);
	for (i = 0; i < point->counter_count; i++)
		free((char *)(uintptr_t)point->counters[i].name);
	free(point->counters);
	job_result_free(&point->profiled);
	memset(point, 0, sizeof(*point));
}

void series_free(struct series *series)
{
	size_t i;

	for (i = 0; i < series->point_count; i++)
		point_free(&series->points[i]);
	free(series->points);
	free(series->bench);
	free(series->axis);
	facts_free(&series->options);
	facts_free(&series->provenance);
	memset(series, 0, sizeof(*series));
}

void series_list_free(struct series_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		series_free(&list->items[i]);
	free(list->items);
	memset(list, 0, sizeof(*list));
}

uint32_t series_marks(const struct series *series)
{
	uint32_t marks = 0;
	size_t i;

	for (i = 0; i < series->point_count; i++)
		marks |= series->points[i].marks;
	return marks;
}
