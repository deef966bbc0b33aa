/* The data of the scripts: charts, histograms and maps. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/text_table.h"
#include "harness/base/units.h"
#include "harness/page/parts.h"

/* ---- charts ---- */

static void put_curve(const struct page_curve *curve, FILE *out)
{
	fprintf(out, "{\"series\":%zu,\"colour\":%u,\"shown\":%s",
		curve->series, curve->colour, curve->shown ? "true" : "false");
	data_put_text("label", curve->label, out);
	fputc('}', out);
}

static size_t find_curve(const struct page_chart *chart, size_t series)
{
	size_t i;

	for (i = 0; i < chart->count; i++)
		if (chart->curves[i].series == series)
			return i;
	return chart->count;
}

/* Which curves are judged, and by which; the scripts subtract them. */
static void put_residuals(
	const struct page *page, const struct page_chart *chart, FILE *out)
{
	const char *comma = "";
	size_t i;

	fputs(",\"residuals\":[", out);
	for (i = 0; i < chart->count; i++) {
		const struct series *series =
			page->input.series[chart->curves[i].series].series;
		const struct comparison *c = page_judged(&page->input, series);
		size_t base = c ? find_curve(chart, page_index(&page->input,
							    c->pair.base))
				: chart->count;

		if (base == chart->count || !c->row_count)
			continue;
		fprintf(out, "%s{\"base\":%zu,\"new\":%zu}", comma, base, i);
		comma = ",";
	}
	fputc(']', out);
}

void page_put_charts_data(const struct page *page, FILE *out)
{
	size_t i, k;

	fputc('[', out);
	for (i = 0; i < page->charts.count; i++) {
		const struct page_chart *chart = &page->charts.items[i];

		fprintf(out, "%s{\"log\":%s,\"bytes\":%s", i ? ",\n" : "",
			chart->log2 ? "true" : "false",
			axis_is_bytes(chart->first->axis) ? "true" : "false");
		data_put_text("bench", chart->first->bench, out);
		data_put_text("axis", chart->first->axis, out);
		data_put_text("metric", metric_columns[chart->metric], out);
		fputs(",\"curves\":[", out);
		for (k = 0; k < chart->count; k++) {
			fputs(k ? ",\n" : "\n", out);
			put_curve(&chart->curves[k], out);
		}
		fputc(']', out);
		put_residuals(page, chart, out);
		fputc('}', out);
	}
	fputc(']', out);
}

/* ---- histograms ---- */

static void put_mode(const struct mode *mode, FILE *out)
{
	const double numbers[] = {mode->position, mode->low, mode->high,
		mode->weight, mode->weight_low, mode->weight_high, mode->first,
		mode->last};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		fputs(i ? "," : "[", out);
		data_put_number(numbers[i], 5, out);
	}
	fputc(']', out);
}

static void put_spread(const struct page_spread *spread, FILE *out)
{
	const struct histogram *bins = &spread->bins;
	size_t i;

	fprintf(out, "{\"role\":\"%s\",\"total\":%" PRIu64,
		page_role_names[spread->role], bins->total);
	data_put_text("label", spread->label, out);
	fprintf(out, ",\"below\":%" PRIu64 ",\"above\":%" PRIu64 ",\"first\":",
		bins->below, bins->above);
	data_put_number(bins->first, 17, out);
	fputs(",\"width\":", out);
	data_put_number(bins->width, 17, out);
	fputs(",\"counts\":[", out);
	for (i = 0; i < bins->bin_count; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", bins->counts[i]);
	fputs("],\"modes\":[", out);
	for (i = 0; i < spread->modes.count; i++) {
		fputs(i ? "," : "", out);
		put_mode(&spread->modes.items[i], out);
	}
	fputs("]}", out);
}

static void put_place(const struct page_histogram *histogram,
	const struct page_place *place, FILE *out)
{
	char x[EMIT_NUMBER_BYTES] = "";
	size_t i;

	if (isfinite(place->x))
		text_table_x(histogram->axis, place->x, x);
	fputs("{\"x\":", out);
	emit_json_string(out, x);
	fputs(",\"parts\":[", out);
	for (i = 0; i < place->count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_spread(&place->items[i], out);
	}
	fputs("]}", out);
}

void page_put_histograms_data(const struct page *page, FILE *out)
{
	size_t i, k;

	fputc('[', out);
	for (i = 0; i < page->histograms.count; i++) {
		const struct page_histogram *h = &page->histograms.items[i];

		fputs(i ? ",\n{\"title\":" : "{\"title\":", out);
		emit_json_string(out, h->title);
		data_put_text("axis", h->axis, out);
		fputs(",\"places\":[", out);
		for (k = 0; k < h->count; k++) {
			fputs(k ? ",\n" : "\n", out);
			put_place(h, &h->places[k], out);
		}
		fputs("]}", out);
	}
	fputc(']', out);
}

/* ---- maps ---- */

static void put_order(const char *key, const size_t *order,
	const uint8_t *sides, size_t count, FILE *out)
{
	size_t i;

	fprintf(out, ",\"%s\":[", key);
	for (i = 0; i < count; i++)
		fprintf(out, "%s%zu", i ? "," : "", order[i]);
	fprintf(out, "],\"%s_side\":\"", key);
	for (i = 0; i < count; i++)
		fputc('A' + sides[order[i]], out);
	fputc('"', out);
}

/* Row by row, an SM each, in the orders given; whole cycles. */
static void put_matrix(const struct page_map *map, FILE *out)
{
	const struct map_cells *cells = &map->map.cells;
	size_t i, k;

	fputs(",\n\"cycles\":[", out);
	for (i = 0; i < cells->sms; i++) {
		const double *row =
			cells->cycles + map->sm_order[i] * cells->lines;

		fputs(i ? ",\n" : "", out);
		for (k = 0; k < cells->lines; k++)
			fprintf(out, "%s%.0f", k ? "," : "",
				row[map->line_order[k]]);
	}
	fputs("]}", out);
}

void page_put_maps_data(const struct page *page, FILE *out)
{
	size_t i;

	fputc('[', out);
	for (i = 0; i < page->maps.count; i++) {
		const struct page_map *map = &page->maps.items[i];
		const struct map_sides *sides = &map->map.sides;

		fputs(i ? ",\n{\"who\":" : "{\"who\":", out);
		emit_json_string(
			out, page_who(page->input.series[map->series].series));
		fprintf(out, ",\"stride\":%" PRIu64 ",\"sides\":%u",
			map->map.cells.stride_bytes, sides->count);
		put_order("sms", map->sm_order, sides->sm, map->map.cells.sms,
			out);
		put_order("lines", map->line_order, sides->line,
			map->map.cells.lines, out);
		put_matrix(map, out);
	}
	fputc(']', out);
}
