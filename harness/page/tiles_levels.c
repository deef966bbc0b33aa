/* Levels of a chase and the reach of a TLB: what lies between knees. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/base/units.h"
#include "harness/observe/spots.h"
#include "harness/page/tiles.h"
#include "harness/series/curve.h"

#define POINTS_LEAST 8 /* fewer show no levels */
#define TILES_MOST   3

static bool is(
	const struct series *series, const char *option, const char *value)
{
	const char *is = facts_find(&series->options, option);

	return !is || !strcmp(is, value);
}

/* A chase by one thread in shuffled order, whose curve has the levels. */
static bool shows_levels(const struct series *series)
{
	return series->point_count >= POINTS_LEAST &&
	       is(series, "warps", "1") && is(series, "lanes", "1") &&
	       is(series, "page-stride", "no") && is(series, "samples", "no") &&
	       is(series, "order", "shuffle");
}

static double median_clock_ghz(const struct series *series)
{
	double clocks[64];
	size_t count = 0, i;

	for (i = 0; i < series->point_count && count < 64; i++)
		if (!series->points[i].skipped &&
			isfinite(series->points[i].clock_hz))
			clocks[count++] = series->points[i].clock_hz / 1e9;
	return stats_median(clocks, count);
}

static void put_level(const struct series *series, const struct curve *curve,
	const struct curve *other, const struct spots_level *level, FILE *out)
{
	const double from_x = curve->x[level->first];
	const double to_x = curve->x[level->last];
	char from[EMIT_NUMBER_BYTES], to[EMIT_NUMBER_BYTES], name[80];
	double others;

	text_table_x(series->axis, from_x, from);
	text_table_x(series->axis, to_x, to);
	snprintf(name, sizeof(name), "%s – %s", from, to);
	tile_row(name, out);
	tile_number(level->y, out);
	tile_number(level->y / median_clock_ghz(series), out);
	if (other->count && spots_median(other, from_x, to_x, &others))
		stream_fail(out);
	else if (other->count)
		tile_number(others, out);
	tile_row_end(out);
}

/* False if there is nothing to show. */
static bool find_curves(const struct page *page, const struct series *series,
	struct curve *curve, struct curve *other, FILE *out)
{
	const struct series *partner = tile_partner(page, series);

	*curve = *other = (struct curve){0};
	if (series_curve(series, METRIC_LATENCY_CYCLES, curve, NULL) ||
		(partner && series_curve(partner, METRIC_LATENCY_CYCLES, other,
				    NULL)))
		stream_fail(out);
	return curve->count >= POINTS_LEAST;
}

static void put_level_tile(
	const struct page *page, const struct series *series, FILE *out)
{
	static const char *const heads[] = {"cycles", "ns", "model, cycles"};
	const char *op = facts_find(&series->options, "op");
	struct spots_level levels[KNEES_MAX + 1];
	struct curve curve, other;
	struct spots spots;
	size_t count = 0, i;
	char title[160];

	if (find_curves(page, series, &curve, &other, out)) {
		if (spots_find(&curve, &spots) ||
			spots_levels(&spots, levels, &count))
			stream_fail(out);
		snprintf(title, sizeof(title), "Levels, %.40s, %.60s",
			op ? op : series->bench, page_who(series));
		tile_open(title, heads, other.count ? 3 : 2, out);
		for (i = 0; i < count; i++)
			put_level(series, &curve, &other, &levels[i], out);
		tile_close(out);
	}
	curve_free(&curve);
	curve_free(&other);
}

void tiles_levels(const struct page *page, FILE *out)
{
	size_t i, tiles = 0;

	for (i = 0; tiles < TILES_MOST; i++) {
		i = tile_next(page, i, "pointer-chase", METRIC_LATENCY_CYCLES);
		if (i == page->input.count)
			return;
		if (!shows_levels(page->input.series[i].series))
			continue;
		put_level_tile(page, page->input.series[i].series, out);
		tiles++;
	}
}

/* ---- TLB reach ---- */

/* The reach of a level is the knee, in pages, times their distance. */
static void put_reach(const struct series *series, const struct knee *knee,
	double other_x, bool other, FILE *out)
{
	const char *op = facts_find(&series->options, "op");
	const char *stride = facts_find(&series->options, "stride");
	char name[160], reach[EMIT_NUMBER_BYTES] = "";
	uint64_t bytes;

	snprintf(name, sizeof(name), "%.40s, a page of %.30s", op ? op : "",
		stride ? stride : "?");
	if (stride && !units_parse_bytes(stride, &bytes, NULL))
		text_table_x(
			"reach_bytes", rint(knee->x) * (double)bytes, reach);
	tile_row(name, out);
	tile_number(rint(knee->x), out);
	tile_text(reach, out);
	tile_number(knee->to - knee->from, out);
	if (other)
		tile_number(rint(other_x), out);
	tile_row_end(out);
}

static void put_reaches(const struct page *page, const struct series *series,
	bool any_other, FILE *out)
{
	struct curve curve, other;
	struct spots spots = {0}, others = {0};
	size_t i;

	if (find_curves(page, series, &curve, &other, out)) {
		if (spots_find(&curve, &spots) || spots_find(&other, &others))
			stream_fail(out);
		for (i = 0; i < spots.knee_count; i++)
			put_reach(series, &spots.knees[i],
				i < others.knee_count ? others.knees[i].x : NAN,
				any_other, out);
	}
	curve_free(&curve);
	curve_free(&other);
}

void tiles_tlb(const struct page *page, FILE *out)
{
	static const char *const heads[] = {
		"pages", "reach", "a miss adds, cycles", "model, pages"};
	const char *bench = "tlb-reach";
	const bool other = page->input.compared.count > 0;
	size_t i = tile_next(page, 0, bench, METRIC_LATENCY_CYCLES);

	if (i == page->input.count)
		return;
	tile_open("TLB reach", heads, other ? 4 : 3, out);
	for (; i < page->input.count;
		i = tile_next(page, i + 1, bench, METRIC_LATENCY_CYCLES))
		put_reaches(page, page->input.series[i].series, other, out);
	tile_close(out);
}
