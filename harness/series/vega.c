/*
 * A Vega-Lite specification with its data: a curve for each series and metric,
 * named by the identity of the list, intervals as a band, an axis of powers of
 * two where the axis is a size. It opens in the Vega editor, notebooks and
 * whatever else draws Vega-Lite.
 */
#include <math.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/units.h"
#include "harness/marks/marks.h"
#include "harness/series/formats.h"
#include "harness/series/identity.h"

#define VEGA_SCHEMA "https://vega.github.io/schema/vega-lite/v5.json"

static void put_value(const struct series *series, const char *label,
	const struct point *point, int metric, const char *gap, FILE *out)
{
	const struct summary *summary = point_summary(point, metric);

	fprintf(out, "%s{\"series\": ", gap);
	emit_json_string(out, label);
	fputs(", \"axis\": ", out);
	emit_json_string(out, series->axis);
	fprintf(out, ", \"metric\": \"%s\"", metric_columns[metric]);
	emit_json_number_member(out, "x", point->x);
	emit_json_number_member(out, "median", summary->median);
	emit_json_number_member(out, "low", summary->low);
	emit_json_number_member(out, "high", summary->high);
	fputs(", \"marks\": \"", out);
	marks_put_names(point->marks, out);
	fputs("\"}", out);
}

/* A chart's data: the points of all series that have its axis and metric. */
static void put_values(const struct series_list *list,
	const struct identity *identity, const char *axis, int metric,
	FILE *out)
{
	const char *gap = "\n  ";
	size_t i, k;

	for (i = 0; i < list->count; i++) {
		const struct series *series = &list->items[i];

		if (strcmp(series->axis, axis) ||
			!(series->metrics >> metric & 1))
			continue;
		for (k = 0; k < series->point_count; k++) {
			if (series->points[k].skipped ||
				!isfinite(point_summary(
					&series->points[k], metric)
						  ->median))
				continue;
			put_value(series, identity->labels[i],
				&series->points[k], metric, gap, out);
			gap = ",\n  ";
		}
	}
}

static void put_encoding(
	const char *axis, int metric, bool logarithmic, FILE *out)
{
	fputs(" \"encoding\": {\"x\": {\"field\": \"x\", \"type\": "
	      "\"quantitative\", \"title\": ",
		out);
	emit_json_string(out, axis);
	if (logarithmic)
		fputs(", \"scale\": {\"type\": \"log\", \"base\": 2}", out);
	fprintf(out,
		"},\n  \"color\": {\"field\": \"series\", \"type\": "
		"\"nominal\", \"title\": null}},\n"
		" \"layer\": [\n"
		"  {\"mark\": {\"type\": \"area\", \"opacity\": 0.2}, "
		"\"encoding\": {\"y\": {\"field\": \"low\", \"type\": "
		"\"quantitative\", \"title\": \"%s\"}, "
		"\"y2\": {\"field\": \"high\"}}},\n"
		"  {\"mark\": {\"type\": \"line\", \"point\": true, "
		"\"tooltip\": true}, \"encoding\": {\"y\": {\"field\": "
		"\"median\", \"type\": \"quantitative\", \"title\": "
		"\"%s\"}}}]}",
		metric_columns[metric], metric_columns[metric]);
}

static bool first_of_axis(const struct series_list *list, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (!strcmp(list->items[i].axis, list->items[index].axis))
			return false;
	return true;
}

/* A logarithm needs places above 0. */
static bool is_logarithmic(const struct series_list *list, const char *axis)
{
	size_t i, k;

	for (i = 0; i < list->count; i++)
		for (k = 0; !strcmp(list->items[i].axis, axis) &&
			    k < list->items[i].point_count;
			k++)
			if (!(list->items[i].points[k].x > 0))
				return false;
	return axis_is_bytes(axis);
}

static uint64_t metrics_of(const struct series_list *list, const char *axis)
{
	uint64_t metrics = 0;
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].axis, axis))
			metrics |= list->items[i].metrics;
	return metrics;
}

static void put_charts(const struct series_list *list,
	const struct identity *identity, FILE *out)
{
	const char *gap = "";
	size_t i;
	int metric;

	for (i = 0; i < list->count; i++) {
		const char *axis = list->items[i].axis;
		const uint64_t metrics =
			first_of_axis(list, i) ? metrics_of(list, axis) : 0;

		for (metric = 0; metric < METRIC_ALL; metric++) {
			if (!(metrics >> metric & 1))
				continue;
			fprintf(out,
				"%s{\"width\": 640, \"height\": 320,\n"
				" \"data\": {\"values\": [",
				gap);
			put_values(list, identity, axis, metric, out);
			fputs("]},\n", out);
			put_encoding(
				axis, metric, is_logarithmic(list, axis), out);
			gap = ",\n";
		}
	}
}

int series_put_vega(const struct series_list *list, FILE *out)
{
	struct identity identity;

	if (identity_of_list(list, &identity, NULL))
		return ERR_FAILED;
	fprintf(out, "{\"$schema\": \"%s\",\n\"vconcat\": [\n", VEGA_SCHEMA);
	put_charts(list, &identity, out);
	fputs("\n]}\n", out);
	identity_free(&identity);
	return 0;
}
