/* The data of the scripts: series, each array of numbers once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/marks/marks.h"
#include "harness/page/parts.h"

/* Significant digits: of values, and of the widths of their intervals. A
   page is read by people; the files have every digit. */
#define VALUE_DIGITS 5
#define WIDTH_DIGITS 2
#define X_DIGITS     17
/* Clocks that stay within this share are one. */
#define CLOCK_SHARE 5e-4

void data_put_number(double value, int digits, FILE *out)
{
	char text[EMIT_NUMBER_BYTES];

	if (!isfinite(value)) {
		fputs("null", out);
		return;
	}
	snprintf(text, sizeof(text), "%.*g", digits, value);
	if (digits >= X_DIGITS)
		emit_format(value, text);
	fputs(text, out);
}

void data_put_text(const char *key, const char *text, FILE *out)
{
	fprintf(out, ",\"%s\":", key);
	emit_json_string(out, text);
}

/* ---- the arrays of a series ---- */

typedef double (*number_of)(const struct point *point, int metric);

static double x_of(const struct point *point, int metric)
{
	(void)metric;
	return point->x;
}

static double clock_of(const struct point *point, int metric)
{
	(void)metric;
	return point->skipped ? NAN : point->clock_hz / 1e6;
}

static double median_of(const struct point *point, int metric)
{
	return point->skipped ? NAN : point_summary(point, metric)->median;
}

static double down_of(const struct point *point, int metric)
{
	return median_of(point, metric) - point_summary(point, metric)->low;
}

static double up_of(const struct point *point, int metric)
{
	return point_summary(point, metric)->high - median_of(point, metric);
}

static double count_of(const struct point *point, int metric)
{
	return point->skipped ? NAN : point_summary(point, metric)->count;
}

/* Whether all finite numbers are within `share` of each other. */
static bool is_constant(
	const struct series *series, number_of number, int metric, double share)
{
	double low = INFINITY, high = -INFINITY;
	size_t i;

	for (i = 0; i < series->point_count; i++) {
		const double value = number(&series->points[i], metric);

		if (!isfinite(value))
			continue;
		low = fmin(low, value);
		high = fmax(high, value);
	}
	return !(high - low > share * fabs(high));
}

static double first_finite(
	const struct series *series, number_of number, int metric)
{
	size_t i;

	for (i = 0; i < series->point_count; i++)
		if (isfinite(number(&series->points[i], metric)))
			return number(&series->points[i], metric);
	return NAN;
}

/* An array, or the number that all of its entries are. */
static void put_array(const struct series *series, const char *key,
	number_of number, int metric, int digits, double share, FILE *out)
{
	size_t i;

	fprintf(out, "\"%s\":", key);
	if (share >= 0 && is_constant(series, number, metric, share)) {
		data_put_number(
			first_finite(series, number, metric), digits, out);
		return;
	}
	fputc('[', out);
	for (i = 0; i < series->point_count; i++) {
		fputs(i ? "," : "", out);
		data_put_number(
			number(&series->points[i], metric), digits, out);
	}
	fputc(']', out);
}

static bool same_x(const struct series *a, const struct series *b)
{
	size_t i;

	if (a->point_count != b->point_count)
		return false;
	for (i = 0; i < a->point_count; i++)
		if (a->points[i].x != b->points[i].x)
			return false;
	return true;
}

/* The places, or which earlier series has the same. */
static void put_x(const struct page *page, size_t index, FILE *out)
{
	const struct series *series = page->input.series[index].series;
	size_t i;

	for (i = 0; i < index; i++)
		if (same_x(page->input.series[i].series, series)) {
			fprintf(out, "\"x\":%zu", i);
			return;
		}
	put_array(series, "x", x_of, 0, X_DIGITS, -1, out);
}

/* Nanoseconds follow from cycles and the clock. */
static bool is_left_out(const struct series *series, int metric)
{
	return !(series->metrics >> metric & 1) ||
	       (metric == METRIC_LATENCY_NS &&
		       series->metrics >> METRIC_LATENCY_CYCLES & 1);
}

static void put_metrics(const struct series *series, FILE *out)
{
	const char *comma = "";
	int metric;

	fputs(",\"metrics\":{", out);
	for (metric = 0; metric < METRIC_ALL; metric++) {
		if (is_left_out(series, metric))
			continue;
		fprintf(out, "%s\"%s\":{", comma, metric_columns[metric]);
		comma = ",\n";
		put_array(
			series, "y", median_of, metric, VALUE_DIGITS, -1, out);
		fputc(',', out);
		put_array(series, "n", count_of, metric, VALUE_DIGITS, 0, out);
		fputc(',', out);
		put_array(
			series, "down", down_of, metric, WIDTH_DIGITS, 0, out);
		fputc(',', out);
		put_array(series, "up", up_of, metric, WIDTH_DIGITS, 0, out);
		fputc('}', out);
	}
	fputc('}', out);
}

static void put_notes(const size_t *numbers, FILE *out)
{
	size_t i;

	fputs(",\"notes\":[", out);
	for (i = 0; numbers && numbers[i]; i++)
		fprintf(out, "%s%zu", i ? "," : "", numbers[i]);
	fputc(']', out);
}

/* The names of each marked point, by its number. */
static void put_marks(const struct series *series, FILE *out)
{
	const char *comma = "";
	size_t i;

	fputs(",\"marks\":{", out);
	for (i = 0; i < series->point_count; i++) {
		if (!series->points[i].marks)
			continue;
		fprintf(out, "%s\"%zu\":\"", comma, i);
		marks_put_names(series->points[i].marks, out);
		fputc('"', out);
		comma = ",";
	}
	fputc('}', out);
}

static void put_series(const struct page *page, size_t index, FILE *out)
{
	const struct page_series *s = &page->input.series[index];

	fputc('{', out);
	put_x(page, index, out);
	fprintf(out, ",\"role\":\"%s\"", page_role_names[s->role]);
	data_put_text("who", page_who(s->series), out);
	fputc(',', out);
	put_array(s->series, "clock", clock_of, 0, VALUE_DIGITS, CLOCK_SHARE,
		out);
	put_metrics(s->series, out);
	put_marks(s->series, out);
	put_notes(page->notes.of[index], out);
	fputc('}', out);
}

void page_put_data(const struct page *page, FILE *out)
{
	size_t i;

	fputs("{\"series\":[", out);
	for (i = 0; i < page->input.count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_series(page, i, out);
	}
	fputs("],\n\"charts\":", out);
	page_put_charts_data(page, out);
	fputs(",\n\"histograms\":", out);
	page_put_histograms_data(page, out);
	fputs(",\n\"maps\":", out);
	page_put_maps_data(page, out);
	fputs(",\n\"cells\":", out);
	page_put_cells_data(page, out);
	fputs("}\n", out);
}
