/* Near and far, ceilings of rates, and how far the model is off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/observe/spots.h"
#include "harness/page/tiles.h"
#include "harness/series/curve.h"
#include "harness/series/identity.h"

#define ROWS_MOST  6
#define NEAR_SLACK 1.05

/* ---- near and far ---- */

static void put_spread(const struct page_histogram *histogram,
	const struct page_place *place, const struct page_spread *spread,
	FILE *out)
{
	const struct mode *near = &spread->modes.items[0];
	const struct mode *far = &spread->modes.items[1];
	char name[200], x[EMIT_NUMBER_BYTES] = "";

	if (isfinite(place->x))
		text_table_x(histogram->axis, place->x, x);
	snprintf(name, sizeof(name), "%.60s, %s, %.60s", histogram->title, x,
		spread->label);
	tile_row(name, out);
	tile_interval(near->position, near->low, near->high, out);
	tile_interval(far->position, far->low, far->high, out);
	tile_interval(near->weight, near->weight_low, near->weight_high, out);
	tile_row_end(out);
}

static bool has_two(const struct page_place *place)
{
	return place->items[0].modes.count == 2;
}

static double near_of(const struct page_place *place)
{
	return place->items[0].modes.items[0].position;
}

/* Of the places whose first samples have two modes, the largest at which the
   near one is no slower than at its best: larger ones are of other levels. */
static const struct page_place *two_modes(const struct page_histogram *h)
{
	const struct page_place *found = NULL;
	double least = INFINITY;
	size_t i;

	for (i = 0; i < h->count; i++)
		if (has_two(&h->places[i]))
			least = fmin(least, near_of(&h->places[i]));
	for (i = 0; i < h->count; i++) {
		const struct page_place *place = &h->places[i];

		if (has_two(place) && near_of(place) < least * NEAR_SLACK &&
			(!found || place->x > found->x))
			found = place;
	}
	return found;
}

/* Atomics go to the home of a line; loads find copies. */
static bool goes_home(const struct page_histogram *h)
{
	const char *op =
		h->series ? facts_find(&h->series->options, "op") : NULL;

	return !h->series || !strcmp(h->series->bench, "near-far") ||
	       (op && !strncmp(op, "atom", 4));
}

void tiles_near_far(const struct page *page, FILE *out)
{
	static const char *const heads[] = {
		"near, cycles", "far, cycles", "share near"};
	bool open = false;
	size_t i, k;

	for (i = 0; i < page->histograms.count; i++) {
		const struct page_histogram *h = &page->histograms.items[i];
		const struct page_place *place =
			goes_home(h) ? two_modes(h) : NULL;

		for (k = 0; place && k < place->count; k++) {
			if (place->items[k].modes.count != 2)
				continue;
			if (!open)
				tile_open("Near and far: two modes", heads, 3,
					out);
			open = true;
			put_spread(h, place, &place->items[k], out);
		}
	}
	if (open)
		tile_close(out);
}

/* ---- ceilings ---- */

/* The metrics of which the largest value is a ceiling. */
static const struct ceiling {
	int metric;
	const char *title;
} ceilings[] = {
	{METRIC_USEFUL_GB_PER_S, "useful GB/s"},
	{METRIC_ATOMICS_PER_CYCLE, "atomics a cycle"},
};

static double largest(
	const struct series *series, int metric, double *x, FILE *out)
{
	struct curve curve = {0};
	const struct spots spots = {.curve = &curve};
	double most = NAN;
	size_t at;

	if (series && series_curve(series, metric, &curve, NULL))
		stream_fail(out);
	if (spots_take(&spots, SPOT_HIGHEST, &at)) {
		most = curve.y[at];
		*x = curve.x[at];
	}
	curve_free(&curve);
	return most;
}

static void put_ceiling(const struct page *page, const struct series *series,
	const char *label, int metric, FILE *out)
{
	char name[200], place[EMIT_NUMBER_BYTES];
	double x = NAN, other_x = NAN, most = largest(series, metric, &x, out);

	snprintf(name, sizeof(name), "%.160s", label);
	text_table_x(series->axis, x, place);
	tile_row(name, out);
	tile_number(most, out);
	tile_text(place, out);
	if (page->input.compared.count)
		tile_number(largest(tile_partner(page, series), metric,
				    &other_x, out),
			out);
	tile_row_end(out);
}

/* Those with the highest ceilings come first. */
struct ranked {
	const struct series *series;
	double most;
};

static int by_ceiling(const void *a, const void *b)
{
	const struct ranked *one = a, *two = b;

	return (one->most < two->most) - (one->most > two->most);
}

static size_t rank(const struct page *page, const char *bench, int metric,
	struct ranked *ranked, FILE *out)
{
	double x;
	size_t count = 0, i;

	for (i = tile_next(page, 0, bench, metric); i < page->input.count;
		i = tile_next(page, i + 1, bench, metric)) {
		const struct series *series = page->input.series[i].series;
		const double most = largest(series, metric, &x, out);

		if (!isnan(most))
			ranked[count++] = (struct ranked){series, most};
	}
	if (count)
		qsort(ranked, count, sizeof(*ranked), by_ceiling);
	return count < ROWS_MOST ? count : ROWS_MOST;
}

static void put_ceilings(const struct page *page, const struct ceiling *ceiling,
	const struct ranked *ranked, size_t count, FILE *out)
{
	static const char *const heads[] = {"most", "at", "model"};
	const struct series *series[ROWS_MOST];
	struct identity identity;
	char title[120];
	size_t i;

	for (i = 0; i < count; i++)
		series[i] = ranked[i].series;
	if (!count || identity_make(series, count, &identity, NULL))
		return;
	snprintf(title, sizeof(title), "Ceilings of %.60s, %s",
		series[0]->bench, ceiling->title);
	tile_open(title, heads, page->input.compared.count ? 3 : 2, out);
	for (i = 0; i < count; i++)
		put_ceiling(page, series[i], identity.labels[i],
			ceiling->metric, out);
	tile_close(out);
	identity_free(&identity);
}

/* Whether the series is the first of its bench that has the metric. */
static bool begins_bench(const struct page *page, size_t index, int metric)
{
	const struct series *series = page->input.series[index].series;

	return tile_next(page, 0, series->bench, metric) == index;
}

void tiles_ceilings(const struct page *page, FILE *out)
{
	struct ranked *ranked = calloc(page->input.count + 1, sizeof(*ranked));
	size_t i, k;

	for (i = 0; ranked && i < sizeof(ceilings) / sizeof(ceilings[0]); i++)
		for (k = 0; k < page->input.count; k++)
			if (begins_bench(page, k, ceilings[i].metric))
				put_ceilings(page, &ceilings[i], ranked,
					rank(page,
						page->input.series[k]
							.series->bench,
						ceilings[i].metric, ranked,
						out),
					out);
	free(ranked);
}

/* ---- agreement ---- */

static bool is_first_of_bench(
	const struct comparison_list *compared, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (!strcmp(compared->items[i].pair.base->bench,
			    compared->items[index].pair.base->bench))
			return false;
	return true;
}

/* Over all points of the bench: the median of the series' medians would give
   short ones too much weight, so each point counts once. */
static void put_agreement(
	const struct comparison_list *compared, const char *bench, FILE *out)
{
	struct page_errors {
		double *items;
		size_t count;
	} errors = {0};
	double worst = NAN;
	size_t i, k;

	for (i = 0; i < compared->count; i++) {
		const struct comparison *c = &compared->items[i];
		double *items;

		if (strcmp(c->pair.base->bench, bench))
			continue;
		items = reallocarray(errors.items,
			errors.count + c->row_count + 1, sizeof(*items));
		if (!items) {
			stream_fail(out);
			break;
		}
		errors.items = items;
		for (k = 0; k < c->row_count; k++) {
			const double error = fabs(c->rows[k].error_percent);

			if (!isfinite(error))
				continue;
			items[errors.count++] = error;
			worst = fmax(worst, error);
		}
	}
	stats_sort(errors.items, errors.count);
	tile_row(bench, out);
	tile_number((double)errors.count, out);
	tile_number(stats_quantile(errors.items, errors.count, 0.5), out);
	tile_number(stats_quantile(errors.items, errors.count, 0.9), out);
	tile_number(worst, out);
	tile_row_end(out);
	free(errors.items);
}

void tiles_agreement(const struct page *page, FILE *out)
{
	static const char *const heads[] = {
		"points", "median", "90th percentile", "worst"};
	const struct comparison_list *compared = &page->input.compared;
	size_t i;

	if (!compared->count)
		return;
	tile_open("Model against silicon, error in percent", heads, 4, out);
	for (i = 0; i < compared->count; i++)
		if (is_first_of_bench(compared, i) &&
			compared->items[i].metric < METRIC_SHARE_L1)
			put_agreement(compared,
				compared->items[i].pair.base->bench, out);
	tile_close(out);
}
