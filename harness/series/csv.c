#include <inttypes.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/series/formats.h"
#include "harness/marks/marks.h"

void series_put_line(FILE *out, const char *text)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c == '\\')
			fputs("\\\\", out);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c == '\r')
			fputs("\\r", out);
		else if ((c < 0x20 && c != '\t') || c == 0x7f)
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
	}
}

/* The key ends at the first colon before a blank: one of its own is \c. */
static void put_key(FILE *out, const char *key)
{
	char one[2] = "";

	for (; *key; key++) {
		*one = *key;
		if (*key == ':')
			fputs("\\c", out);
		else
			series_put_line(out, one);
	}
}

void series_put_comment(
	FILE *out, const char *prefix, const char *key, const char *value)
{
	fprintf(out, "# %s", prefix);
	put_key(out, key);
	fputs(": ", out);
	series_put_line(out, value);
	fputc('\n', out);
}

static void put_facts(FILE *out, const char *prefix, const struct facts *facts)
{
	size_t i;

	for (i = 0; i < facts->count; i++)
		series_put_comment(out, prefix, facts->items[i].key,
			facts->items[i].value);
}

static void put_header(const struct series *series, FILE *out)
{
	size_t field;
	int metric;

	emit_csv_string(out, series->axis);
	for (metric = 0; metric < METRIC_ALL; metric++) {
		if (!(series->metrics >> metric & 1))
			continue;
		for (field = 0; field < SUMMARY_FIELDS; field++)
			fprintf(out, ",%s_%s", metric_columns[metric],
				summary_fields[field].name);
	}
	fputs(",samples,outliers,sm_clock_hz,skipped,marks\n", out);
}

static void put_row(
	const struct series *series, const struct point *point, FILE *out)
{
	const int primary = series_primary(series);
	size_t field;
	int metric;

	emit_csv_number(out, point->x);
	for (metric = 0; metric < METRIC_ALL; metric++) {
		const struct summary *summary = point_summary(point, metric);

		if (!(series->metrics >> metric & 1))
			continue;
		for (field = 0; field < SUMMARY_FIELDS; field++) {
			fputc(',', out);
			if (!point->skipped && summary->count)
				emit_csv_number(
					out, summary_get(summary, field));
		}
	}
	if (point->skipped || primary < 0)
		fputs(",0,0,", out);
	else
		fprintf(out, ",%" PRIu32 ",%" PRIu32 ",",
			point_summary(point, primary)->count,
			point_summary(point, primary)->outliers);
	if (!point->skipped)
		emit_csv_number(out, point->clock_hz);
	fputc(',', out);
	if (point->skipped)
		emit_csv_string(
			out, *point->skipped ? point->skipped : "unknown");
	fputc(',', out);
	marks_put_names(point->marks, out);
	fputc('\n', out);
}

int series_put_csv(const struct series_list *list, FILE *out)
{
	size_t i, k;

	for (i = 0; i < list->count; i++) {
		const struct series *series = &list->items[i];

		fputs(i ? "\n" : "", out);
		series_put_comment(out, "", "schema", SERIES_SCHEMA);
		series_put_comment(out, "", "bench", series->bench);
		series_put_comment(out, "", "axis", series->axis);
		put_facts(out, "option.", &series->options);
		put_facts(out, "", &series->provenance);
		put_header(series, out);
		for (k = 0; k < series->point_count; k++)
			put_row(series, &series->points[k], out);
	}
	return 0;
}

/* ---- raw samples ---- */

static void put_raw_head(size_t index, const struct series *series, FILE *out)
{
	char prefix[48];

	snprintf(prefix, sizeof(prefix), "series.%zu.", index);
	series_put_comment(out, prefix, "bench", series->bench);
	series_put_comment(out, prefix, "axis", series->axis);
	put_facts(out, prefix, &series->provenance);
	snprintf(prefix, sizeof(prefix), "series.%zu.option.", index);
	put_facts(out, prefix, &series->options);
}

static void put_raw_point(size_t index, const struct point *point, FILE *out)
{
	const struct sample_table *table = &point->samples;
	size_t row;

	for (row = 0; row < table->count; row++) {
		const uint16_t region = table->region[row];

		fprintf(out, "%zu,", index);
		emit_csv_number(out, point->x);
		fprintf(out, ",%" PRIu32 ",", table->repeat[row]);
		if (region < point->region_count)
			emit_csv_string(out, point->regions[region]);
		else
			fprintf(out, "%" PRIu16, region);
		fprintf(out, ",%" PRIu16 ",%" PRIu32 ",%" PRIu32 ",",
			table->sm[row], table->warp[row],
			table->iteration[row]);
		emit_csv_number(out, table->cycles[row]);
		fputc('\n', out);
	}
}

int series_put_raw(const struct series_list *list, FILE *out)
{
	size_t i, k;

	for (i = 0; i < list->count; i++)
		put_raw_head(i, &list->items[i], out);
	fputs("series,x,repeat,region,sm,warp,iteration,cycles\n", out);
	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].point_count; k++)
			put_raw_point(i, &list->items[i].points[k], out);
	return 0;
}
