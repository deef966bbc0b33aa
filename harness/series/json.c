#include <inttypes.h>

#include "harness/base/emit.h"
#include "harness/series/formats.h"
#include "harness/marks/marks.h"

void series_put_summary(const struct summary *summary, FILE *out)
{
	size_t field;

	fputc('{', out);
	for (field = 0; field < SUMMARY_FIELDS; field++) {
		fprintf(out, "\"%s\": ", summary_fields[field].name);
		emit_json_number(out, summary_get(summary, field));
		fputs(", ", out);
	}
	fprintf(out, "\"count\": %" PRIu32 ", \"outliers\": %" PRIu32 "}",
		summary->count, summary->outliers);
}

static void put_metrics(
	const struct series *series, const struct point *point, FILE *out)
{
	const char *comma = "";
	int metric;

	fputs(",\n\"metrics\": {", out);
	for (metric = 0; metric < METRIC_ALL; metric++) {
		if (!(series->metrics >> metric & 1))
			continue;
		fprintf(out, "%s\n \"%s\": ", comma, metric_columns[metric]);
		series_put_summary(point_summary(point, metric), out);
		comma = ",";
	}
	fputc('}', out);
}

static bool has_values(const struct point *point)
{
	size_t i;

	for (i = 0; i < point->metric_count; i++)
		if (point->metrics[i].value_count)
			return true;
	return false;
}

static void put_values(const struct point *point, FILE *out)
{
	const char *comma = "";
	size_t i;
	int metric;

	if (!has_values(point))
		return;
	fputs(",\n\"values\": {", out);
	for (metric = 0; metric < METRIC_ALL; metric++) {
		const struct metric_values *reading =
			point_metric(point, metric);

		if (!reading->value_count)
			continue;
		fprintf(out, "%s\n \"%s\": [", comma, metric_columns[metric]);
		for (i = 0; i < reading->value_count; i++) {
			fputs(i ? ", " : "", out);
			emit_json_number(out, reading->values[i]);
		}
		fputc(']', out);
		comma = ",";
	}
	fputc('}', out);
}

static bool is_constant(const struct sample_table *table, size_t column)
{
	const double first = sample_table_get(table, column, 0);
	size_t row;

	for (row = 1; row < table->count; row++)
		if (sample_table_get(table, column, row) != first)
			return false;
	return true;
}

static void put_samples(const struct sample_table *table, FILE *out)
{
	size_t column, row;

	if (!table->count)
		return;
	fprintf(out, ",\n\"samples\": {\"count\": %zu", table->count);
	for (column = 0; column < SAMPLE_COLUMNS; column++) {
		fprintf(out, ",\n \"%s\": ", sample_columns[column].name);
		if (is_constant(table, column)) {
			emit_json_number(
				out, sample_table_get(table, column, 0));
			continue;
		}
		for (row = 0; row < table->count; row++) {
			fputc(row ? ',' : '[', out);
			emit_json_number(
				out, sample_table_get(table, column, row));
		}
		fputc(']', out);
	}
	fputc('}', out);
}

static void put_spans(const struct point *point, FILE *out)
{
	size_t i;

	if (!point->span_count)
		return;
	fputs(",\n\"spans\": [", out);
	for (i = 0; i < point->span_count; i++) {
		const struct span_row *span = &point->spans[i];

		fprintf(out, "%s\n {\"region\": %" PRIu32, i ? "," : "",
			span->region);
		fprintf(out, ", \"repeat\": %" PRIu32 ", \"cycles\": ",
			span->repeat);
		emit_json_number(out, span->cycles);
		fputs(", \"ns\": ", out);
		emit_json_number(out, span->ns);
		fputs(", \"clock_hz\": ", out);
		emit_json_number(out, span->clock_hz);
		fputc('}', out);
	}
	fputc(']', out);
}

static void put_counters(const struct point *point, FILE *out)
{
	size_t i;

	if (!point->counter_count)
		return;
	fputs(",\n\"counters\": {", out);
	for (i = 0; i < point->counter_count; i++) {
		fputs(i ? ",\n " : "\n ", out);
		emit_json_string(out, point->counters[i].name);
		fputs(": ", out);
		emit_json_number(out, point->counters[i].value);
	}
	fputc('}', out);
}

static void put_strings(char *const *strings, size_t count, FILE *out)
{
	size_t i;

	fputc('[', out);
	for (i = 0; i < count; i++) {
		fputs(i ? ", " : "", out);
		emit_json_string(out, strings[i]);
	}
	fputc(']', out);
}

static void put_marks(const struct point *point, FILE *out)
{
	if (!point->marks)
		return;
	fputs(",\n\"marks\": ", out);
	marks_put_json(point->marks, out);
}

void series_put_point(
	const struct series *series, const struct point *point, FILE *out)
{
	fputs("{\"x\": ", out);
	emit_json_number(out, point->x);
	if (point->skipped) {
		fputs(",\n\"skipped\": ", out);
		emit_json_string(out, point->skipped);
	}
	if (point->program) {
		fputs(",\n\"program\": ", out);
		emit_json_string(out, point->program);
	}
	if (point->region_count) {
		fputs(",\n\"regions\": ", out);
		put_strings(point->regions, point->region_count, out);
	}
	if (!point->skipped) {
		fputs(",\n\"clock_hz\": ", out);
		emit_json_number(out, point->clock_hz);
		put_marks(point, out);
		put_metrics(series, point, out);
	}
	put_values(point, out);
	put_samples(&point->samples, out);
	put_spans(point, out);
	put_counters(point, out);
	fputc('}', out);
}

static void put_series(const struct series *series, FILE *out)
{
	const char *comma = "";
	size_t i;
	int metric;

	fputs("\n{\"bench\": ", out);
	emit_json_string(out, series->bench);
	fputs(",\n\"options\": ", out);
	emit_json_facts(out, &series->options, "\n ");
	fputs(",\n\"axis\": {\"name\": ", out);
	emit_json_string(out, series->axis);
	fputs("},\n\"metrics\": [", out);
	for (metric = 0; metric < METRIC_ALL; metric++) {
		if (!(series->metrics >> metric & 1))
			continue;
		fprintf(out, "%s\"%s\"", comma, metric_columns[metric]);
		comma = ", ";
	}
	fputs("],\n\"provenance\": ", out);
	emit_json_facts(out, &series->provenance, "\n ");
	fputs(",\n\"points\": [", out);
	for (i = 0; i < series->point_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		series_put_point(series, &series->points[i], out);
	}
	fputs("]}", out);
}

int series_put_json(const struct series_list *list, FILE *out)
{
	size_t i;

	fputs("{\"schema\": \"" SERIES_SCHEMA "\",\n\"series\": [", out);
	for (i = 0; i < list->count; i++) {
		fputs(i ? "," : "", out);
		put_series(&list->items[i], out);
	}
	fputs("]}\n", out);
	return 0;
}
