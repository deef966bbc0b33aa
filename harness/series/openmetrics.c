/*
 * The medians as OpenMetrics 1.0 gauges, one family a metric, for a file that
 * Prometheus' node exporter or a push gateway takes. Labels are the bench, its
 * axis and place, options, --set values and origins; a character that a label
 * name may not have becomes "_". Marks are a family of their own, 1 for each
 * mark of a point, so that a mark that comes and goes leaves the labels of the
 * medians as they are.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "harness/base/emit.h"
#include "harness/base/stream.h"
#include "harness/marks/marks.h"
#include "harness/series/formats.h"
#include "harness/series/identity.h"

static void put_label(
	const char *prefix, const char *name, const char *value, FILE *out)
{
	fprintf(out, ",%s", prefix);
	for (; *name; name++)
		fputc(isalnum((unsigned char)*name) ? *name : '_', out);
	fputs("=\"", out);
	emit_openmetrics_string(out, value);
	fputc('"', out);
}

static void put_sets(const struct series *series, FILE *out)
{
	char *name;
	size_t i;

	for (i = 0;; i++) {
		if (series_set_name(series, i, &name))
			stream_fail(out);
		if (!name)
			return;
		put_label("set_", name, series_trait(series, TRAIT_SET, name),
			out);
		free(name);
	}
}

static void put_labels(const struct series *series, size_t index,
	const struct point *point, const char *mark, FILE *out)
{
	char x[EMIT_NUMBER_BYTES];
	size_t i;

	fprintf(out, "{series=\"%zu\"", index);
	put_label("", "bench", series->bench, out);
	put_label("", "axis", series->axis, out);
	emit_format(point->x, x);
	put_label("", "x", x, out);
	for (i = 0; i < series->options.count; i++)
		put_label("option_", series->options.items[i].key,
			series->options.items[i].value, out);
	put_sets(series, out);
	for (i = 0; trait_origins[i]; i++) {
		const char *value =
			series_trait(series, TRAIT_ORIGIN, trait_origins[i]);

		if (value)
			put_label("", trait_origins[i], value, out);
	}
	if (mark)
		put_label("", "mark", mark, out);
	fputs("} ", out);
}

/* Names of counters have dots, which no metric here may have. */
static void put_metric_name(int metric, FILE *out)
{
	const char *c;

	fputs("nearfar_", out);
	for (c = metric_columns[metric]; *c; c++)
		fputc(*c == '.' ? '_' : *c, out);
}

static void put_series(
	const struct series *series, size_t index, int metric, FILE *out)
{
	char number[EMIT_NUMBER_BYTES];
	size_t k;

	for (k = 0; k < series->point_count; k++) {
		const struct point *point = &series->points[k];
		const double median = point_summary(point, metric)->median;

		if (point->skipped || !isfinite(median) || !isfinite(point->x))
			continue;
		put_metric_name(metric, out);
		put_labels(series, index, point, NULL, out);
		emit_format(median, number);
		fprintf(out, "%s\n", number);
	}
}

static void put_marks_of(const struct series *series, size_t index, FILE *out)
{
	size_t k;
	int mark;

	for (k = 0; k < series->point_count; k++)
		for (mark = 0; mark < MARK_COUNT; mark++) {
			if (!(series->points[k].marks >> mark & 1))
				continue;
			fputs("nearfar_mark", out);
			put_labels(series, index, &series->points[k],
				mark_names[mark], out);
			fputs("1\n", out);
		}
}

static void put_marks(const struct series_list *list, FILE *out)
{
	bool any = false;
	size_t i, k;

	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].point_count; k++)
			any |= list->items[i].points[k].marks != 0;
	if (!any)
		return;
	fputs("# TYPE nearfar_mark gauge\n"
	      "# HELP nearfar_mark 1 where a point is marked\n",
		out);
	for (i = 0; i < list->count; i++)
		put_marks_of(&list->items[i], i, out);
}

static bool any_has(const struct series_list *list, int metric)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->items[i].metrics >> metric & 1)
			return true;
	return false;
}

int series_put_openmetrics(const struct series_list *list, FILE *out)
{
	size_t i;
	int metric;

	for (metric = 0; metric < METRIC_ALL; metric++) {
		if (!any_has(list, metric))
			continue;
		fputs("# TYPE ", out);
		put_metric_name(metric, out);
		fputs(" gauge\n# HELP ", out);
		put_metric_name(metric, out);
		fputs(" the median at each place\n", out);
		for (i = 0; i < list->count; i++)
			if (list->items[i].metrics >> metric & 1)
				put_series(&list->items[i], i, metric, out);
	}
	put_marks(list, out);
	fputs("# EOF\n", out);
	return 0;
}
