#ifndef NEARFAR_FIGURE_H
#define NEARFAR_FIGURE_H

/*
 * Figures for papers and pages: panels below each other, drawn by gnuplot as
 * SVG, PDF or PNG. The same figure gives the same bytes.
 *
 * gnuplot runs as a child without a shell, reads a script of ours and nothing
 * else (no start-up file), and writes to a pipe. Text stands in the script in
 * single quotes, where gnuplot expands nothing; control characters become
 * spaces.
 */
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/error.h"

enum figure_kind {
	FIGURE_CURVES, /* lines over x */
	FIGURE_BARS,   /* each line's y is constant from its x to the next */
	FIGURE_GRID,   /* cells in colours, rows from top to bottom */
};

enum figure_dash { FIGURE_SOLID, FIGURE_DASHED, FIGURE_DOTTED };

struct figure_line {
	char *name;
	double *x, *y;
	double *low, *high; /* NULL, or the band around y */
	size_t count;
	unsigned colour;
	enum figure_dash dash;
};

/* A place on the x axis with a word. */
struct figure_mark {
	double x;
	char *text;
	unsigned colour;
};

/* Everything is owned by the panel. */
struct figure_panel {
	enum figure_kind kind;
	char *title, *x_name, *y_name;
	bool x_is_bytes;
	bool flat; /* half as high */

	struct figure_line *lines; /* CURVES, BARS */
	size_t line_count;
	struct figure_mark *marks;
	size_t mark_count;

	size_t rows, columns; /* GRID */
	double *cells;        /* [row * columns + column]; NaN: empty */
	char **row_names, **column_names; /* NULL: not named */
	char **texts;                     /* of the cells; NULL: none */
};

struct figure {
	struct figure_panel *panels;
	size_t count;
};

struct figure_format {
	const char *ending;   /* "svg" */
	const char *terminal; /* gnuplot's */
	double unit;          /* of the terminal's size: a pixel's share */
	const char *suffix;   /* behind a number of such units */
};

/* By the end of a file's name, gzipped or not; NULL if it is no figure. */
const struct figure_format *figure_format_of(const char *path);

/* A zeroed panel at the end, NULL without memory. What was returned before
   moves. */
struct figure_panel *figure_add(struct figure *figure, enum figure_kind kind,
	const char *title, const char *x_name, const char *y_name);
/* Lines of `count` zeros; with a band if `band`. NULL without memory. */
struct figure_line *figure_add_line(
	struct figure_panel *panel, const char *name, size_t count, bool band);
int figure_add_mark(struct figure_panel *panel, double x, unsigned colour,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Room for rows * columns cells, all empty; texts and names if asked for. */
int figure_set_grid(
	struct figure_panel *panel, size_t rows, size_t columns, bool words);

void figure_free(struct figure *figure);

/* ERR_FAILED if there is nothing to draw, gnuplot is not there or fails. */
int figure_write(const struct figure *figure,
	const struct figure_format *format, FILE *out, struct error *error);

#endif
