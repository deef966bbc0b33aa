#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/visible/visible.h"
#include "harness/base/text_table.h"
#include "harness/chart/scale.h"
#include "harness/plot/plot.h"
#include "harness/plot/plot_canvas.h"

#define WIDTH_LEAST   32
#define WIDTH_MOST    400
#define WIDTH_USUAL   80
#define HEIGHT        20
#define HEIGHT_LEAST  8
#define HEIGHT_MOST   200
#define LABEL_COLUMNS 10
#define FRAME_ROWS    4 /* title, y name, axis, labels */

/* ---- what the terminal can do ---- */

static bool is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8;

	if (!locale)
		return false;
	utf8 = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	freelocale(locale);
	return utf8;
}

static unsigned find_width(FILE *out)
{
	const unsigned width = text_window(out);

	if (!width)
		return WIDTH_USUAL;
	return width < WIDTH_LEAST  ? WIDTH_LEAST
	       : width > WIDTH_MOST ? WIDTH_MOST
				    : width;
}

/* Only where it is asked for: a plot need not fill the window. */
static unsigned find_height(void)
{
	const char *lines = getenv("LINES");
	const long height = lines ? strtol(lines, NULL, 10) : 0;

	return (unsigned)(height <= 0             ? HEIGHT
			  : height < HEIGHT_LEAST ? HEIGHT_LEAST
			  : height > HEIGHT_MOST  ? HEIGHT_MOST
						  : height);
}

static bool wants_color(FILE *out)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) == 1 && !(none && *none) &&
	       !(term && !strcmp(term, "dumb"));
}

void plot_fit(struct plot *plot, FILE *out)
{
	plot->width = find_width(out);
	plot->height = find_height();
	plot->unicode = is_utf8();
	plot->color = wants_color(out);
}

/* ---- drawing ---- */

struct layout {
	size_t margin; /* columns of y labels */
	struct chart_scale x, y;
	struct canvas canvas;
};

static size_t dot_at(double unit, size_t dots)
{
	return (size_t)lround(fmin(fmax(unit, 0), 1) * (double)(dots - 1));
}

static void draw_curve(
	struct layout *layout, const struct chart_line *curve, size_t index)
{
	struct canvas *canvas = &layout->canvas;
	size_t i, x, y, before_x = 0, before_y = 0;

	for (i = 0; i < curve->count; i++) {
		x = dot_at(chart_scale_unit(&layout->x, curve->x[i]),
			canvas_dots_x(canvas));
		y = dot_at(1 - chart_scale_unit(&layout->y, curve->y[i]),
			canvas_dots_y(canvas));
		if (i)
			canvas_line(canvas, before_x, before_y, x, y, index);
		before_x = x;
		before_y = y;
	}
	for (i = 0; i < curve->count; i++) {
		x = dot_at(chart_scale_unit(&layout->x, curve->x[i]),
			canvas_dots_x(canvas));
		y = dot_at(1 - chart_scale_unit(&layout->y, curve->y[i]),
			canvas_dots_y(canvas));
		canvas_point(canvas, x, y, index);
	}
}

static size_t column_of(const struct layout *layout, double x)
{
	const struct canvas *canvas = &layout->canvas;

	return dot_at(chart_scale_unit(&layout->x, x), canvas_dots_x(canvas)) *
	       canvas->columns / canvas_dots_x(canvas);
}

static const char *y_label(const struct layout *layout, size_t row)
{
	const struct canvas *canvas = &layout->canvas;
	const size_t dots = canvas_dots_y(canvas);
	size_t i;

	for (i = 0; i < layout->y.tick_count; i++) {
		const double unit =
			chart_scale_unit(&layout->y, layout->y.ticks[i]);

		if (dot_at(1 - unit, dots) * canvas->rows / dots == row)
			return layout->y.labels[i];
	}
	return NULL;
}

static void put_rows(
	const struct plot *plot, const struct layout *layout, FILE *out)
{
	size_t row;

	for (row = 0; row < layout->canvas.rows; row++) {
		const char *label = y_label(layout, row);

		fprintf(out, "%*s %s", (int)layout->margin, label ? label : "",
			plot->unicode ? (label ? "┤" : "│")
				      : (label ? "+" : "|"));
		canvas_put_row(&layout->canvas, row, out);
		fputc('\n', out);
	}
}

static void put_x_axis(
	const struct plot *plot, const struct layout *layout, FILE *out)
{
	const char *line = plot->unicode ? "─" : "-";
	const char *tick = plot->unicode ? "┬" : "+";
	size_t column, i;

	fprintf(out, "%*s %s", (int)layout->margin, "",
		plot->unicode ? "└" : "+");
	for (column = 0; column < layout->canvas.columns; column++) {
		bool is_tick = false;

		for (i = 0; i < layout->x.tick_count; i++)
			is_tick |=
				column_of(layout, layout->x.ticks[i]) == column;
		fputs(is_tick ? tick : line, out);
	}
	fputc('\n', out);
}

/* Labels stand under their ticks; one that would touch its neighbour is left
   out. */
static void put_x_labels(const struct plot *plot, const struct chart *chart,
	const struct layout *layout, FILE *out)
{
	const size_t shift = layout->margin + 2;
	size_t used = 0, i;

	for (i = 0; i < layout->x.tick_count; i++) {
		const char *label = layout->x.labels[i];
		const size_t length = strlen(label);
		size_t begin = shift + column_of(layout, layout->x.ticks[i]);

		begin -= length / 2 < begin ? length / 2 : begin;
		if (begin + length > plot->width)
			begin = plot->width - length;
		if (used && begin < used + 1)
			continue;
		fprintf(out, "%*s%s", (int)(begin - used), "", label);
		used = begin + length;
	}
	fprintf(out, "\n%*s", (int)shift, "");
	visible_put(out, chart->x_name);
	fputs(layout->x.log2 ? " (log2)\n" : "\n", out);
}

static void put_legend(
	const struct chart *chart, const struct layout *layout, FILE *out)
{
	size_t i;

	if (chart->line_count < 2)
		return;
	for (i = 0; i < chart->line_count; i++) {
		fprintf(out, "%*s ", (int)layout->margin + 1, "");
		canvas_put_mark(&layout->canvas, i, out);
		fputc(' ', out);
		visible_put(out, chart->lines[i].name);
		fputc('\n', out);
	}
}

static void find_scales(const struct plot *plot, const struct chart *chart,
	struct layout *layout)
{
	const size_t rows = plot->height - FRAME_ROWS;
	size_t i;

	chart_scale_y(chart, rows / 3, &layout->y);
	layout->margin = 0;
	for (i = 0; i < layout->y.tick_count; i++)
		if (strlen(layout->y.labels[i]) > layout->margin)
			layout->margin = strlen(layout->y.labels[i]);
	chart_scale_x(chart, (plot->width - layout->margin) / LABEL_COLUMNS,
		&layout->x);
}

int plot_put(const struct plot *plot, const struct chart *chart, FILE *out,
	struct error *error)
{
	struct layout layout;
	enum canvas_style style = CANVAS_ASCII;
	size_t i;

	if (!chart_has_something(chart))
		return 0;
	find_scales(plot, chart, &layout);
	if (plot->unicode)
		style = chart->line_count == 1 || plot->color ? CANVAS_BRAILLE
							      : CANVAS_MARKS;
	if (canvas_init(&layout.canvas, plot->width - layout.margin - 2,
		    plot->height - FRAME_ROWS, style,
		    plot->color && chart->line_count > 1))
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < chart->line_count; i++)
		draw_curve(&layout, &chart->lines[i], i);
	if (*chart->title) {
		visible_put(out, chart->title);
		fputc('\n', out);
	}
	fprintf(out, "%*s %s\n", (int)layout.margin, "", chart->y_name);
	put_rows(plot, &layout, out);
	put_x_axis(plot, &layout, out);
	put_x_labels(plot, chart, &layout, out);
	put_legend(chart, &layout, out);
	canvas_free(&layout.canvas);
	return 0;
}
