/* Static pictures: what a chart shows where no script draws it. */
#include <math.h>
#include <stdlib.h>

#include "harness/page/parts.h"
#include "harness/plot/plot.h"
#include "harness/plot/plot_scale.h"
#include "harness/base/units.h"
#include "harness/series/curve.h"
#include "harness/visible/visible.h"

#define WIDTH   760
#define HEIGHT  260
#define LEFT    64
#define RIGHT   16
#define TOP     10
#define BOTTOM  40
#define TICKS_X 9
#define TICKS_Y 6

static double place_x(const struct plot_scale *scale, double value)
{
	return LEFT + plot_scale_unit(scale, value) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct plot_scale *scale, double value)
{
	return HEIGHT - BOTTOM -
	       plot_scale_unit(scale, value) * (HEIGHT - TOP - BOTTOM);
}

static void put_text(
	double x, double y, const char *anchor, const char *text, FILE *out)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
		anchor);
	visible_put_html(out, text);
	fputs("</text>", out);
}

static void put_axes(const struct plot *plot, const struct plot_scale *x,
	const struct plot_scale *y, FILE *out)
{
	size_t i;

	for (i = 0; i < y->tick_count; i++) {
		const double at = place_y(y, y->ticks[i]);

		fprintf(out,
			"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
			LEFT, WIDTH - RIGHT, at, at);
		put_text(LEFT - 6, at + 4, "end", y->labels[i], out);
	}
	for (i = 0; i < x->tick_count; i++)
		put_text(place_x(x, x->ticks[i]), HEIGHT - BOTTOM + 16,
			"middle", x->labels[i], out);
	put_text(LEFT + (WIDTH - LEFT - RIGHT) / 2.0, HEIGHT - 6, "middle",
		plot->x_name, out);
}

/* Of the points that share a column of the picture the first, the last, the
   lowest and the highest are drawn: the others would not be seen. */
static size_t thin(const struct plot_curve *curve, const struct plot_scale *x,
	size_t from, size_t kept[4])
{
	const double column = floor(place_x(x, curve->x[from]));
	size_t low = from, high = from, last = from, i;

	for (i = from;
		i < curve->count && floor(place_x(x, curve->x[i])) == column;
		i++) {
		low = curve->y[i] < curve->y[low] ? i : low;
		high = curve->y[i] > curve->y[high] ? i : high;
		last = i;
	}
	kept[0] = from;
	kept[1] = low < high ? low : high;
	kept[2] = low < high ? high : low;
	kept[3] = last;
	return i;
}

static void put_curve(const struct plot_curve *curve,
	const struct plot_scale *x, const struct plot_scale *y,
	const struct page_curve *looks, enum page_role role, FILE *out)
{
	size_t kept[4], i, k, next;

	fprintf(out, "<polyline class=\"c%u %s\" points=\"", looks->colour % 8,
		page_role_names[role]);
	for (i = 0; i < curve->count; i = next) {
		next = thin(curve, x, i, kept);
		for (k = 0; k < 4; k++)
			if (!k || kept[k] != kept[k - 1])
				fprintf(out, "%.1f,%.1f ",
					place_x(x, curve->x[kept[k]]),
					place_y(y, curve->y[kept[k]]));
	}
	fputs("\"><title>", out);
	visible_put_html(out, looks->label);
	fputs("</title></polyline>\n", out);
}

static void put_open(const char *name, const char *of, FILE *out)
{
	fprintf(out,
		"<svg class=\"picture\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"",
		WIDTH, HEIGHT);
	visible_put_html(out, name);
	fputs(of, out);
	fputs("\">", out);
}

static void put_plot(const struct page *page, const struct page_chart *chart,
	const struct plot *plot, FILE *out)
{
	struct plot_scale x, y;
	size_t i, shown = 0;

	plot_scale_x(plot, TICKS_X, &x);
	plot_scale_y(plot, TICKS_Y, &y);
	put_open(plot->y_name, " as a curve", out);
	put_axes(plot, &x, &y, out);
	for (i = 0; i < chart->count; i++)
		if (chart->curves[i].shown)
			put_curve(&plot->curves[shown++], &x, &y,
				&chart->curves[i],
				page->input.series[chart->curves[i].series]
					.role,
				out);
	fputs("</svg>\n", out);
}

int page_put_picture(const struct page *page, const struct page_chart *chart,
	FILE *out, struct error *error)
{
	const int metric = chart->metric;
	struct plot_curve *plotted = calloc(chart->count, sizeof(*plotted));
	struct curve *curves = calloc(chart->count, sizeof(*curves));
	struct plot plot = {.x_name = chart->first->axis,
		.y_name = metric_columns[metric],
		.x_is_bytes = axis_is_bytes(chart->first->axis),
		.curves = plotted};
	size_t i, points = 0, made = 0;
	int code = 0;

	if (!plotted || !curves)
		code = error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; !code && i < chart->count; i++) {
		if (!chart->curves[i].shown)
			continue;
		code = series_curve(
			page->input.series[chart->curves[i].series].series,
			metric, &curves[made], error);
		if (code)
			break;
		plotted[plot.curve_count++] = (struct plot_curve){NULL,
			curves[made].x, curves[made].y, curves[made].count};
		points += curves[made++].count;
	}
	if (!code && points)
		put_plot(page, chart, &plot, out);
	for (i = 0; i < made; i++)
		curve_free(&curves[i]);
	free(plotted);
	free(curves);
	return code;
}

/* ---- samples ---- */

static void put_bars(const struct page_spread *spread, size_t colour,
	const struct plot_scale *x, const struct plot_scale *y, FILE *out)
{
	const struct histogram *bins = &spread->bins;
	size_t i;

	fprintf(out, "<path class=\"c%zu %s bars\" d=\"M%.1f,%.1f", colour % 8,
		page_role_names[spread->role], place_x(x, bins->first),
		place_y(y, 0));
	for (i = 0; i < bins->bin_count; i++)
		fprintf(out, "V%.1fH%.1f",
			place_y(y, 100.0 * (double)bins->counts[i] /
					   (double)bins->total),
			place_x(x,
				bins->first + (double)(i + 1) * bins->width));
	fprintf(out, "V%.1fZ\"><title>", place_y(y, 0));
	visible_put_html(out, spread->label);
	fputs("</title></path>\n", out);
}

void page_put_bars(const struct page_histogram *histogram,
	const struct page_place *place, FILE *out)
{
	const struct histogram *first = &place->items[0].bins;
	double ends[2], heights[2] = {0, 0};
	const struct plot_curve curve = {NULL, ends, heights, 2};
	const struct plot plot = {.x_name = "latency_cycles",
		.y_name = "share_percent",
		.curves = &curve,
		.curve_count = 1};
	struct plot_scale x, y;
	size_t i;

	if (!place->count || !first->bin_count)
		return;
	ends[0] = first->first;
	ends[1] = first->first + (double)first->bin_count * first->width;
	for (i = 0; i < place->count; i++)
		heights[1] = fmax(heights[1],
			100.0 * (double)histogram_most(&place->items[i].bins) /
				(double)place->items[i].bins.total);
	plot_scale_x(&plot, TICKS_X, &x);
	if (x.log2) /* bins are equally wide */
		x.log2 = false;
	plot_scale_y(&plot, TICKS_Y, &y);
	put_open(histogram->title, ": percent of the samples by latency", out);
	put_axes(&plot, &x, &y, out);
	for (i = 0; i < place->count; i++)
		put_bars(&place->items[i], i, &x, &y, out);
	fputs("</svg>\n", out);
}
