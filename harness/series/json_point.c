#include <stdlib.h>
#include <string.h>

#include "harness/series/json.h"
#include "harness/marks/marks.h"

static int read_summary(
	const struct json_place *up, int metric, struct summary *summary)
{
	const struct json_place place = place_key(up, metric_columns[metric]);
	const struct json_place count = place_key(&place, "count");
	const struct json_place outliers = place_key(&place, "outliers");
	int result = place_object(&place);
	uint64_t whole;
	double value;
	size_t i;

	for (i = 0; !result && i < SUMMARY_FIELDS; i++) {
		const struct json_place field =
			place_key(&place, summary_fields[i].name);

		result = place_number_or_null(&field, &value);
		if (!result)
			summary_set(summary, i, value);
	}
	if (result || (result = place_count(&count, UINT32_MAX, &whole)))
		return result;
	summary->count = (uint32_t)whole;
	result = place_count(&outliers, UINT32_MAX, &whole);
	if (!result)
		summary->outliers = (uint32_t)whole;
	return result;
}

static int read_metrics(
	const struct json_place *up, uint32_t metrics, struct point *point)
{
	const struct json_place place = place_key(up, "metrics");
	int result = place_object(&place), metric;

	for (metric = 0; !result && metric < METRIC_COUNT; metric++)
		if (metrics >> metric & 1) {
			struct metric_values *reading =
				point_add_metric(point, metric);

			result = reading ? read_summary(&place, metric,
						   &reading->summary)
					 : place_no_memory(&place);
		}
	return result;
}

static int read_numbers(
	const struct json_place *place, double **numbers, size_t *count)
{
	size_t length, i;
	double *values;
	int result = place_array(place, &length);

	if (result || !length)
		return result;
	values = calloc(length, sizeof(*values));
	if (!values)
		return place_no_memory(place);
	for (i = 0; !result && i < length; i++) {
		const struct json_place item = place_index(place, i);

		result = place_number_or_null(&item, &values[i]);
	}
	if (result) {
		free(values);
		return result;
	}
	*numbers = values;
	*count = length;
	return 0;
}

static int read_values(const struct json_place *up, struct point *point)
{
	const struct json_place place = place_key(up, "values");
	int result, metric;

	if (!place.value)
		return 0;
	result = place_object(&place);
	for (metric = 0; !result && metric < METRIC_COUNT; metric++) {
		const struct json_place values =
			place_key(&place, metric_columns[metric]);

		struct metric_values *reading;

		if (!values.value)
			continue;
		reading = point_add_metric(point, metric);
		result = reading ? read_numbers(&values, &reading->values,
					   &reading->value_count)
				 : place_no_memory(&values);
	}
	return result;
}

static int read_counters(const struct json_place *up, struct point *point)
{
	const struct json_place place = place_key(up, "counters");
	const char *name;
	json_t *value;
	int result;

	if (!place.value)
		return 0;
	result = place_object(&place);
	if (result || !json_object_size(place.value))
		return result;
	point->counters =
		calloc(json_object_size(place.value), sizeof(*point->counters));
	if (!point->counters)
		return place_no_memory(&place);
	json_object_foreach(place.value, name, value)
	{
		struct counter *counter =
			&point->counters[point->counter_count];
		const struct json_place item = place_key(&place, name);

		result = place_number_or_null(&item, &counter->value);
		if (result)
			return result;
		counter->name = strdup(name);
		if (!counter->name)
			return place_no_memory(&item);
		point->counter_count++;
	}
	return 0;
}

static int read_marks(const struct json_place *up, struct point *point)
{
	const struct json_place place = place_key(up, "marks");
	const char *name;
	size_t count, i;
	int result, mark;

	if (!place.value)
		return 0;
	result = place_array(&place, &count);
	for (i = 0; !result && i < count; i++) {
		const struct json_place item = place_index(&place, i);

		result = place_string(&item, &name);
		if (result)
			return result;
		mark = mark_find(name);
		if (mark < 0)
			return place_fail(
				&item, "names no known mark: '%s'", name);
		point->marks |= 1u << mark;
	}
	return result;
}

int series_parse_point(const struct json_place *place, struct series *series)
{
	const struct json_place x_place = place_key(place, "x");
	const struct json_place skipped = place_key(place, "skipped");
	const struct json_place program = place_key(place, "program");
	const struct json_place clock = place_key(place, "clock_hz");
	struct point *point;
	double x;
	int result;

	if ((result = place_object(place)) ||
		(result = place_number(&x_place, &x)))
		return result;
	point = series_add_point(series, x);
	if (!point)
		return place_no_memory(place);
	if (skipped.value && (result = place_copy(&skipped, &point->skipped)))
		return result;
	if (program.value && (result = place_copy(&program, &point->program)))
		return result;
	if (!point->skipped &&
		((result = place_number_or_null(&clock, &point->clock_hz)) ||
			(result = read_metrics(place, series->metrics, point))))
		return result;
	if ((result = read_marks(place, point)) ||
		(result = read_values(place, point)) ||
		(result = series_parse_regions(place, point)) ||
		(result = series_parse_samples(place, point)) ||
		(result = series_parse_spans(place, point)))
		return result;
	return read_counters(place, point);
}
