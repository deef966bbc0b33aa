/* Static pictures: what a chart shows where no script draws it. */
#include <math.h>
#include <stdlib.h>

#include "harness/base/units.h"
#include "harness/chart/scale.h"
#include "harness/figure/draw.h"
#include "harness/page/parts.h"
#include "harness/visible/visible.h"

#define WIDTH       760
#define HEIGHT      260
#define HEIGHT_FLAT 130
#define LEFT        78
#define RIGHT       26
#define TOP         10
#define BOTTOM      40
#define TICKS_X     9
#define TICKS_Y     6
#define TICKS_FLAT  3

/* A chart as it is drawn. */
struct picture {
	const struct chart *chart;
	int height;
	struct chart_scale x, y;
};

/* Errors are below the curves that they are of, place by place. */
static struct picture picture_of(
	const struct chart *chart, const struct chart *above)
{
	struct picture p = {chart, chart->flat ? HEIGHT_FLAT : HEIGHT};

	chart_scale_x(chart->flat ? above : chart, TICKS_X, &p.x);
	if (chart->kind == CHART_BARS) /* bins are equally wide */
		p.x.log2 = false;
	chart_scale_y(chart, chart->flat ? TICKS_FLAT : TICKS_Y, &p.y);
	return p;
}

static double place_x(const struct picture *p, double value)
{
	return LEFT + chart_scale_unit(&p->x, value) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct picture *p, double value)
{
	return p->height - BOTTOM -
	       chart_scale_unit(&p->y, value) * (p->height - TOP - BOTTOM);
}

static void put_text(
	double x, double y, const char *anchor, const char *text, FILE *out)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y,
		anchor);
	visible_put_html(out, text);
	fputs("</text>", out);
}

static void put_axes(const struct picture *p, FILE *out)
{
	const int middle = TOP + (p->height - TOP - BOTTOM) / 2;
	size_t i;

	for (i = 0; i < p->y.tick_count; i++) {
		const double at = place_y(p, p->y.ticks[i]);

		fprintf(out,
			"<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
			LEFT, WIDTH - RIGHT, at, at);
		put_text(LEFT - 6, at + 4, "end", p->y.labels[i], out);
	}
	for (i = 0; i < p->x.tick_count; i++)
		put_text(place_x(p, p->x.ticks[i]), p->height - BOTTOM + 16,
			"middle", p->x.labels[i], out);
	put_text(LEFT + (WIDTH - LEFT - RIGHT) / 2.0, p->height - 6, "middle",
		p->chart->x_name, out);
	fprintf(out,
		"<text transform=\"translate(12 %d) rotate(-90)\" "
		"text-anchor=\"middle\">",
		middle);
	visible_put_html(out, p->chart->y_name);
	fputs("</text>\n", out);
}

/* Of the points that share a column of the picture the first, the last, the
   lowest and the highest are drawn: the others would not be seen. */
static size_t thin(const struct picture *p, const struct chart_line *line,
	size_t from, size_t kept[4])
{
	const double column = floor(place_x(p, line->x[from]));
	size_t low = from, high = from, last = from, i;

	for (i = from;
		i < line->count && floor(place_x(p, line->x[i])) == column;
		i++) {
		low = line->y[i] < line->y[low] ? i : low;
		high = line->y[i] > line->y[high] ? i : high;
		last = i;
	}
	kept[0] = from;
	kept[1] = low < high ? low : high;
	kept[2] = low < high ? high : low;
	kept[3] = last;
	return i;
}

static void put_looks(const struct chart_line *line, FILE *out)
{
	static const enum page_role roles[] = {
		[CHART_SOLID] = ROLE_SILICON,
		[CHART_DASHED] = ROLE_MODEL,
		[CHART_DOTTED] = ROLE_PUBLISHED,
	};

	fprintf(out, "c%u %s", line->colour % 8,
		page_role_names[roles[line->dash]]);
}

static void put_name(const struct chart_line *line, FILE *out)
{
	fputs("<title>", out);
	visible_put_html(out, line->name);
	fputs("</title>", out);
}

static void put_curve(
	const struct picture *p, const struct chart_line *line, FILE *out)
{
	size_t kept[4], i, k, next;

	fputs("<polyline class=\"", out);
	put_looks(line, out);
	fputs("\" points=\"", out);
	for (i = 0; i < line->count; i = next) {
		next = thin(p, line, i, kept);
		for (k = 0; k < 4; k++)
			if (!k || kept[k] != kept[k - 1])
				fprintf(out, "%.1f,%.1f ",
					place_x(p, line->x[kept[k]]),
					place_y(p, line->y[kept[k]]));
	}
	fputs("\">", out);
	put_name(line, out);
	fputs("</polyline>\n", out);
}

/* Each bar goes from its x to the next one's; the last x only ends it. */
static void put_bars(
	const struct picture *p, const struct chart_line *line, FILE *out)
{
	size_t i;

	fputs("<path class=\"", out);
	put_looks(line, out);
	fprintf(out, " bars\" d=\"M%.1f,%.1f", place_x(p, line->x[0]),
		place_y(p, 0));
	for (i = 0; i + 1 < line->count; i++)
		fprintf(out, "V%.1fH%.1f", place_y(p, line->y[i]),
			place_x(p, line->x[i + 1]));
	fprintf(out, "V%.1fZ\">", place_y(p, 0));
	put_name(line, out);
	fputs("</path>\n", out);
}

/* What the lines are, where there are several. */
static void put_names(const struct chart *chart, FILE *out)
{
	size_t i;

	if (chart->line_count < 2)
		return;
	fputs("<ul class=\"names\">", out);
	for (i = 0; i < chart->line_count; i++) {
		fputs("<li><svg class=\"picture\" viewBox=\"0 0 26 8\" "
		      "aria-hidden=\"true\"><polyline class=\"",
			out);
		put_looks(&chart->lines[i], out);
		fputs("\" points=\"0,4 26,4\"/></svg> ", out);
		visible_put_html(out, chart->lines[i].name);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}

/* `above`: the chart before it, for errors; else not read. */
static void put_picture(
	const struct chart *chart, const struct chart *above, FILE *out)
{
	struct picture p;
	size_t i;

	if (!chart_has_something(chart))
		return;
	p = picture_of(chart, above);
	fprintf(out,
		"<svg class=\"picture\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"",
		WIDTH, p.height);
	visible_put_html(out, chart->title);
	fputs("\">", out);
	put_axes(&p, out);
	for (i = 0; i < chart->line_count; i++)
		if (chart->lines[i].count && chart->kind == CHART_BARS)
			put_bars(&p, &chart->lines[i], out);
		else if (chart->lines[i].count)
			put_curve(&p, &chart->lines[i], out);
	fputs("</svg>\n", out);
	if (!chart->flat)
		put_names(chart, out);
}

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

/* The curves that are shown at first, and below them the errors of those that
   are judged. */
static int draw(const struct page *page, const struct page_chart *chart,
	struct charts *charts)
{
	const char *y_name = metric_columns[chart->metric];
	struct chart *curves = charts_add(
		charts, CHART_CURVES, y_name, chart->first->axis, y_name);
	struct chart *errors;
	size_t i;

	if (!curves)
		return ERR_FAILED;
	curves->x_is_bytes = axis_is_bytes(chart->first->axis);
	for (i = 0; i < chart->count; i++)
		if (chart->curves[i].shown &&
			draw_line(curves,
				page->input.series[chart->curves[i].series]
					.series,
				chart->metric, chart->curves[i].label,
				chart->curves[i].colour))
			return ERR_FAILED;
	/* Shares differ by points, which are no percent of what they were. */
	if (chart->section == SECTION_SHARES)
		return 0;
	errors = draw_errors(charts, chart->first->axis);
	for (i = 0; errors && i < chart->count; i++) {
		const struct comparison *c = page_judged(&page->input,
			page->input.series[chart->curves[i].series].series);

		if (chart->curves[i].shown && c && c->metric == chart->metric &&
			draw_error(errors, c, chart->curves[i].label,
				chart->curves[i].colour))
			return ERR_FAILED;
	}
	return errors ? 0 : ERR_FAILED;
}

int page_put_picture(const struct page *page, const struct page_chart *chart,
	FILE *out, struct error *error)
{
	struct charts charts = {0};
	size_t i;
	int code = draw(page, chart, &charts) ? no_memory(error) : 0;

	for (i = 0; !code && i < charts.count; i++)
		put_picture(&charts.items[i], &charts.items[0], out);
	charts_free(&charts);
	return code;
}

/* ---- samples ---- */

static int add_spread(
	struct chart *chart, const struct page_spread *spread, unsigned colour)
{
	const struct histogram *bins = &spread->bins;
	struct chart_line *line = chart_add_line(
		chart, spread->label, bins->bin_count + 1, false);
	size_t i;

	if (!line)
		return ERR_FAILED;
	line->colour = colour;
	line->dash = spread->role == ROLE_MODEL ? CHART_DASHED : CHART_SOLID;
	for (i = 0; i <= bins->bin_count; i++)
		line->x[i] = bins->first + (double)i * bins->width;
	for (i = 0; i < bins->bin_count; i++)
		line->y[i] =
			100.0 * (double)bins->counts[i] / (double)bins->total;
	return 0;
}

int page_put_bars(const struct page_histogram *histogram,
	const struct page_place *place, FILE *out, struct error *error)
{
	struct charts charts = {0};
	struct chart *chart = charts_add(&charts, CHART_BARS, histogram->title,
		"latency_cycles", "share_percent");
	size_t i;
	int code = chart ? 0 : ERR_FAILED;

	for (i = 0; !code && i < place->count; i++)
		if (place->items[i].bins.bin_count)
			code = add_spread(chart, &place->items[i], (unsigned)i);
	if (!code)
		put_picture(chart, chart, out);
	charts_free(&charts);
	return code ? no_memory(error) : 0;
}
