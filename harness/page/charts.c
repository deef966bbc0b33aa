/* Which series share a chart, and what tells them apart there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/parts.h"
#include "harness/series/identity.h"

const char *const page_section_names[SECTION_COUNT] = {
#define PAGE_SECTION_NAME(name, text) [SECTION_##name] = text,
	PAGE_SECTIONS(PAGE_SECTION_NAME)
#undef PAGE_SECTION_NAME
};

static const enum page_section section_of[METRIC_COUNT] = {
	[METRIC_LATENCY_CYCLES] = SECTION_LATENCY,
	[METRIC_LATENCY_NS] = SECTION_LATENCY,
	[METRIC_LONE_LATENCY_CYCLES] = SECTION_LATENCY,
	[METRIC_USEFUL_GB_PER_S] = SECTION_BANDWIDTH,
	[METRIC_MOVED_GB_PER_S] = SECTION_BANDWIDTH,
	[METRIC_BYTES_PER_CYCLE] = SECTION_BANDWIDTH,
	[METRIC_SECTORS_PER_REQUEST] = SECTION_BANDWIDTH,
	[METRIC_LOADS_PER_CYCLE] = SECTION_BANDWIDTH,
	[METRIC_ATOMICS_PER_CYCLE] = SECTION_ATOMICS,
	[METRIC_SHARE_L1] = SECTION_SHARES,
	[METRIC_SHARE_NEAR] = SECTION_SHARES,
	[METRIC_SHARE_FAR] = SECTION_SHARES,
	[METRIC_SHARE_DRAM] = SECTION_SHARES,
	[METRIC_LOAD_GB_PER_S] = SECTION_BANDWIDTH,
	[METRIC_USEFUL_SHARE] = SECTION_OTHER,
	[METRIC_COPY_GB_PER_S] = SECTION_BANDWIDTH,
	[METRIC_COPY_NS] = SECTION_LATENCY,
};

/* The primary metric counts: imports lack the others. */
static bool goes_with(const struct series *a, const struct series *b)
{
	return series_same_kind(a, b) && series_primary(a) == series_primary(b);
}

/* Atomics have their own section, whatever is measured of them. */
static enum page_section find_section(const struct series *series)
{
	if (series->metrics >> METRIC_ATOMICS_PER_CYCLE & 1)
		return SECTION_ATOMICS;
	return series_primary(series) < METRIC_COUNT
		       ? section_of[series_primary(series)]
		       : SECTION_OTHER;
}

static bool has_curve(const struct series *series)
{
	size_t i, points = 0;

	if (series_primary(series) < 0)
		return false;
	for (i = 0; i < series->point_count; i++)
		points += !series->points[i].skipped;
	return points > 1;
}

/* Whether sizes or a wide range ask for a logarithmic axis. */
static bool is_log2(const struct page_input *input, const struct page_chart *c)
{
	double low = INFINITY, high = -INFINITY;
	size_t i, k;

	for (i = 0; i < c->count; i++) {
		const struct series *series =
			input->series[c->curves[i].series].series;

		for (k = 0; k < series->point_count; k++) {
			low = fmin(low, series->points[k].x);
			high = fmax(high, series->points[k].x);
		}
	}
	return low > 0 && high > 16 * low;
}

static size_t find_curve(const struct page_chart *chart, size_t series)
{
	size_t i;

	for (i = 0; i < chart->count; i++)
		if (chart->curves[i].series == series)
			return i;
	return chart->count;
}

/* Whether a curve before `end` is judged by curve `base`. */
static bool has_judged(const struct page_input *input,
	const struct page_chart *chart, size_t base, size_t end)
{
	size_t i;

	for (i = base + 1; i < end; i++)
		if (chart->curves[i].colour == chart->curves[base].colour &&
			page_judged(input,
				input->series[chart->curves[i].series].series))
			return true;
	return false;
}

/* The curve that judges curve `index`, if it is the first judged by it: the
   two look alike. The chart's count without one. */
static size_t find_like(const struct page_input *input,
	const struct page_chart *chart, size_t index)
{
	const struct comparison *c = page_judged(
		input, input->series[chart->curves[index].series].series);
	size_t base;

	if (!c)
		return chart->count;
	base = find_curve(chart, page_index(input, c->pair.base));
	return base < index && !has_judged(input, chart, base, index)
		       ? base
		       : chart->count;
}

static void paint(const struct page_input *input, struct page_chart *chart)
{
	unsigned colour = 0;
	size_t i;

	for (i = 0; i < chart->count; i++) {
		const size_t like = find_like(input, chart, i);

		chart->curves[i].colour = like < chart->count
						  ? chart->curves[like].colour
						  : colour++;
		chart->curves[i].shown =
			chart->curves[i].colour < PAGE_COLOURS_SHOWN;
	}
}

static int add_labels(const struct page_input *input, struct page_chart *chart,
	struct error *error)
{
	const struct series **series =
		calloc(chart->count + 1, sizeof(struct series *));
	struct identity identity = {0};
	size_t i;
	int code;

	if (!series)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < chart->count; i++)
		series[i] = input->series[chart->curves[i].series].series;
	code = identity_make(series, chart->count, &identity, error);
	free(series);
	for (i = 0; !code && i < chart->count; i++) {
		chart->curves[i].label = strdup(identity.labels[i]);
		if (!chart->curves[i].label)
			code = error_set(error, ERR_FAILED, "out of memory");
	}
	identity_free(&identity);
	return code;
}

/* Silicon first, then what was published, then the model: a curve that is
   judged comes after the one that judges it. */
static int fill(const struct page_input *input, size_t first,
	struct page_chart *chart, struct error *error)
{
	const struct series *head = input->series[first].series;
	size_t role, i;

	chart->first = head;
	chart->section = find_section(head);
	chart->curves = calloc(input->count + 1, sizeof(*chart->curves));
	if (!chart->curves)
		return error_set(error, ERR_FAILED, "out of memory");
	for (role = 0; role < ROLE_COUNT; role++)
		for (i = 0; i < input->count; i++)
			if (input->series[i].role == role &&
				has_curve(input->series[i].series) &&
				goes_with(head, input->series[i].series))
				chart->curves[chart->count++].series = i;
	chart->log2 = is_log2(input, chart);
	chart->metric = series_primary(chart->first);
	paint(input, chart);
	return add_labels(input, chart, error);
}

static bool is_first(const struct page_input *input, size_t index)
{
	const struct series *series = input->series[index].series;
	size_t i;

	for (i = 0; i < index; i++)
		if (has_curve(input->series[i].series) &&
			goes_with(input->series[i].series, series))
			return false;
	return has_curve(series);
}

int page_charts_make(const struct page_input *input, struct page_charts *charts,
	struct error *error)
{
	struct page_charts made = {0};
	size_t i;
	int code = 0;

	made.items = calloc(input->count + 1, sizeof(*made.items));
	if (!made.items)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; !code && i < input->count; i++)
		if (is_first(input, i))
			code = fill(input, i, &made.items[made.count++], error);
	if (code)
		page_charts_free(&made);
	*charts = made;
	return code;
}

void page_charts_free(struct page_charts *charts)
{
	size_t i, k;

	for (i = 0; i < charts->count; i++) {
		for (k = 0; k < charts->items[i].count; k++)
			free(charts->items[i].curves[k].label);
		free(charts->items[i].curves);
	}
	free(charts->items);
	*charts = (struct page_charts){0};
}
