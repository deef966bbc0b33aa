#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/base/emit.h"
#include "harness/figure/script.h"
#include "harness/chart/scale.h"

#define WIDTH       860 /* pixels, whatever the terminal counts in */
#define HEIGHT      360
#define HEIGHT_FLAT 200
#define ROW         22 /* of a grid with words, and of the legend */
#define GRID        420
#define FRAME       110
#define LETTER      9
#define TICKS_X     9
#define TICKS_Y     7

/* Distinct in print and for most eyes; curves repeat them. */
static const char *const colours[] = {"#1f5fb4", "#c2410c", "#0f766e",
	"#8e3fa8", "#8a6100", "#b91c53", "#3f6212", "#4b5563"};

static const char *colour_of(unsigned index)
{
	return colours[index % (sizeof(colours) / sizeof(colours[0]))];
}

void script_put_text(const char *text, FILE *out)
{
	const bool valid = emit_is_utf8(text);

	fputc('\'', out);
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c == '\'')
			fputs("''", out);
		else if (c < 0x20 || c == 0x7f)
			fputc(' ', out);
		else
			fputc(c < 0x80 || valid ? c : '?', out);
	}
	fputc('\'', out);
}

static void put_number(double value, FILE *out)
{
	if (isfinite(value))
		fprintf(out, "%.9g", value);
	else
		fputs("NaN", out);
}

/* ---- lines ---- */

static void put_line_data(
	const struct chart_line *line, size_t panel, size_t index, FILE *out)
{
	size_t i;

	fprintf(out, "$line%zu_%zu << EOD\n", panel, index);
	for (i = 0; i < line->count; i++) {
		put_number(line->x[i], out);
		fputc(' ', out);
		put_number(line->y[i], out);
		fputc(' ', out);
		put_number(line->low ? line->low[i] : line->y[i], out);
		fputc(' ', out);
		put_number(line->high ? line->high[i] : line->y[i], out);
		fputc('\n', out);
	}
	fputs("EOD\n", out);
}

/* The scales of all lines, and their ticks. */
static void put_scales(const struct chart *panel, FILE *out)
{
	struct chart_scale x, y;
	size_t i;

	chart_scale_x(panel, TICKS_X, &x);
	chart_scale_y(panel, TICKS_Y, &y);
	if (panel->kind == CHART_BARS && x.log2)
		x.log2 = false; /* bins are equally wide */
	fprintf(out, "%s\nset xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n",
		x.log2 ? "set logscale x 2" : "unset logscale x", x.low, x.high,
		y.low, y.high);
	if (panel->kind == CHART_BARS && !panel->x_is_bytes) {
		fputs("set xtics autofreq\n", out);
	} else {
		fputs("set xtics (", out);
		for (i = 0; i < x.tick_count; i++) {
			fputs(i ? ", " : "", out);
			script_put_text(x.labels[i], out);
			fprintf(out, " %.9g", x.ticks[i]);
		}
		fputs(")\n", out);
	}
}

/* A word there would not fit to the right of its place. */
static bool is_far_right(const struct chart *panel, double x)
{
	const struct chart_line *line = panel->lines;
	double first, last;

	if (!panel->line_count || !line->count)
		return false;
	first = line->x[0];
	last = line->x[line->count - 1];
	return x > first + 0.7 * (last - first);
}

static void put_marks(const struct chart *panel, FILE *out)
{
	size_t i;

	for (i = 0; i < panel->mark_count; i++) {
		const struct chart_mark *mark = &panel->marks[i];
		const bool left = is_far_right(panel, mark->x);

		fprintf(out,
			"set arrow from %.9g, graph 0 to %.9g, graph 1 nohead "
			"dashtype 2 linecolor rgb '%s'\nset label ",
			mark->x, mark->x, colour_of(mark->colour));
		script_put_text(mark->text, out);
		fprintf(out,
			" at %.9g, graph %.2f %s offset %s,0 textcolor rgb "
			"'%s'\n",
			mark->x, 0.95 - 0.09 * (double)(mark->colour % 8),
			left ? "right" : "left", left ? "-0.4" : "0.4",
			colour_of(mark->colour));
	}
}

static void put_line(const struct chart *panel, const struct chart_line *line,
	size_t number, size_t index, FILE *out)
{
	static const char *const dashes[] = {"1", "2", "3"};
	const char *colour = colour_of(line->colour);

	if (line->low)
		fprintf(out,
			"$line%zu_%zu using 1:3:4 with filledcurves fillcolor "
			"rgb '%s' fillstyle transparent solid 0.18 noborder "
			"notitle, ",
			number, index, colour);
	if (panel->kind == CHART_BARS)
		fprintf(out,
			"$line%zu_%zu using 1:2 with fillsteps fillcolor rgb "
			"'%s' fillstyle transparent solid 0.18 noborder "
			"notitle, $line%zu_%zu using 1:2 with steps ",
			number, index, colour, number, index);
	else
		fprintf(out, "$line%zu_%zu using 1:2 with %s ", number, index,
			line->dash == CHART_SOLID && line->count < 60
				? "linespoints pointtype 7 pointsize 0.3"
				: "lines");
	fprintf(out, "linewidth 1.5 dashtype %s linecolor rgb '%s' title ",
		dashes[line->dash], colour);
	script_put_text(line->name, out);
}

static void put_lines(const struct chart *panel, size_t number, FILE *out)
{
	size_t i;

	for (i = 0; i < panel->line_count; i++)
		put_line_data(&panel->lines[i], number, i, out);
	fputs("set lmargin 9\nset rmargin 3\nset grid\n", out);
	put_scales(panel, out);
	put_marks(panel, out);
	fputs(panel->line_count > 1 ? "set key below left Left reverse "
				      "maxcols 2 height 1 noenhanced\n"
				    : "unset key\n",
		out);
	fputs("plot ", out);
	for (i = 0; i < panel->line_count; i++) {
		fputs(i ? ", \\\n     " : "", out);
		put_line(panel, &panel->lines[i], number, i, out);
	}
	fputs("\n", out);
}

/* ---- the figure ---- */

static double height_of(const struct chart *panel)
{
	const size_t legend =
		panel->line_count > 1 ? (panel->line_count + 1) / 2 : 0;

	if (panel->kind == CHART_GRID)
		return panel->texts ? FRAME + ROW * (double)panel->rows +
					      script_tilt(panel)
				    : GRID;
	return (panel->flat ? HEIGHT_FLAT : HEIGHT) + ROW * (double)legend;
}

/* The words of a grid must fit into its columns. */
static double width_of(const struct chart *panel)
{
	if (panel->kind != CHART_GRID || !panel->texts)
		return WIDTH;
	return fmax(WIDTH,
		LETTER *
			(double)(script_longest(panel->row_names, panel->rows) +
				 panel->columns *
					 (script_longest(panel->texts,
						  panel->rows *
							  panel->columns) +
						 2)));
}

static void put_panel(const struct chart *panel, size_t number, double top,
	double whole, FILE *out)
{
	const double height = height_of(panel);

	fprintf(out,
		"unset arrow\nunset label\nset size 1, %.6f\n"
		"set origin 0, %.6f\nset title ",
		height / whole, 1 - (top + height) / whole);
	script_put_text(panel->title, out);
	fputs(" noenhanced\nset xlabel ", out);
	script_put_text(panel->x_name, out);
	fputs(" noenhanced\nset ylabel ", out);
	script_put_text(panel->y_name, out);
	fputs(" noenhanced\n", out);
	if (panel->kind == CHART_GRID)
		script_put_grid(panel, number, out);
	else
		put_lines(panel, number, out);
}

void script_put(const struct charts *figure, const struct figure_format *format,
	FILE *out)
{
	double whole = 0, top = 0, width = WIDTH;
	size_t i;

	for (i = 0; i < figure->count; i++) {
		if (!chart_has_something(&figure->items[i]))
			continue;
		whole += height_of(&figure->items[i]);
		width = fmax(width, width_of(&figure->items[i]));
	}
	fprintf(out,
		"set encoding utf8\nset terminal %s noenhanced font "
		"'DejaVu Sans,%g' size %.6g%s,%.6g%s background rgb 'white'\n"
		"set grid xtics ytics back linetype 1 linewidth 0.5 linecolor "
		"rgb '#dddddd'\nset tics nomirror\n"
		"set border 3 linecolor rgb '#555555'\nset multiplot\n",
		format->terminal, format->unit > 1 ? 20.0 : 9.0,
		width * format->unit, format->suffix, whole * format->unit,
		format->suffix);
	for (i = 0; i < figure->count; i++) {
		if (!chart_has_something(&figure->items[i]))
			continue;
		put_panel(&figure->items[i], i, top, whole, out);
		top += height_of(&figure->items[i]);
	}
	fputs("unset multiplot\n", out);
}

/* NULL without memory. */
static char *script_text(
	const struct charts *figure, const struct figure_format *format)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&text, &bytes);
	bool failed;

	if (!out)
		return NULL;
	script_put(figure, format, out);
	failed = ferror(out);
	if (!fclose(out) && !failed)
		return text;
	free(text);
	return NULL;
}

int figure_write(const struct charts *figure,
	const struct figure_format *format, FILE *out, struct error *error)
{
	FILE *script;
	char *text;
	size_t i = 0;
	int code;

	while (i < figure->count && !chart_has_something(&figure->items[i]))
		i++;
	if (i == figure->count)
		return error_set(error, ERR_FAILED, "there is nothing to draw");
	text = script_text(figure, format);
	if (!text)
		return error_set(error, ERR_FAILED, "out of memory");
	script = tmpfile();
	if (!script)
		code = error_set(error, ERR_FAILED,
			"no temporary file for gnuplot's script: %m");
	else if (fputs(text, script) == EOF)
		code = error_set(error, ERR_FAILED,
			"gnuplot's script cannot be written");
	else
		code = gnuplot_run(script, out, error);
	if (script)
		fclose(script);
	free(text);
	return code;
}
