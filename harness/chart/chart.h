#ifndef NEARFAR_CHART_H
#define NEARFAR_CHART_H

/*
 * Charts, below each other: what is drawn in a terminal (plot.h), in a file
 * (figure.h) and on a page (page/parts.h), as one value.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

enum chart_kind {
	CHART_CURVES, /* lines over x */
	CHART_BARS,   /* each line's y is constant from its x to the next */
	CHART_GRID,   /* cells in colours, rows from top to bottom */
};

enum chart_dash { CHART_SOLID, CHART_DASHED, CHART_DOTTED };

struct chart_line {
	char *name;
	double *x, *y;
	double *low, *high; /* NULL, or the band around y */
	size_t count;
	unsigned colour;
	enum chart_dash dash;
};

/* A place on the x axis with a word. */
struct chart_mark {
	double x;
	char *text;
	unsigned colour;
};

/* Everything is owned by the chart. Points of a line are finite and ascend in
   x. */
struct chart {
	enum chart_kind kind;
	char *title, *x_name, *y_name;
	bool x_is_bytes;
	bool flat; /* half as high: errors, below the curves that they are of */

	struct chart_line *lines; /* CURVES, BARS */
	size_t line_count;
	struct chart_mark *marks;
	size_t mark_count;

	size_t rows, columns; /* GRID */
	double *cells;        /* [row * columns + column]; NaN: empty */
	char **row_names, **column_names; /* NULL: not named */
	char **texts;                     /* of the cells; NULL: none */
};

struct charts {
	struct chart *items;
	size_t count;
};

/* A zeroed panel at the end, NULL without memory. What was returned before
   moves. */
struct chart *charts_add(struct charts *figure, enum chart_kind kind,
	const char *title, const char *x_name, const char *y_name);
/* Lines of `count` zeros; with a band if `band`. NULL without memory. */
struct chart_line *chart_add_line(
	struct chart *panel, const char *name, size_t count, bool band);
int chart_add_mark(struct chart *panel, double x, unsigned colour,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Room for rows * columns cells, all empty; texts and names if asked for. */
int chart_set_grid(
	struct chart *panel, size_t rows, size_t columns, bool words);

/* Whether there is a point or a cell: without, there are no scales. */
bool chart_has_something(const struct chart *chart);

void charts_free(struct charts *figure);

#endif
