#ifndef NEARFAR_PLOT_CELLS_H
#define NEARFAR_PLOT_CELLS_H

/*
 * Pictures in a terminal that are no curves: a histogram, and a map of cells.
 * Width, height, unicode and colour are those of plot_fit().
 */
#include <stddef.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/plot/plot.h"

struct plot_mark {
	double x;
	const char *text;
};

/* Counts the values in as many bins as the window has room for. `marks` stand
   below, at their places. Prints nothing without values. ERR_FAILED without
   memory. */
int plot_put_histogram(const struct plot *window, const char *x_name,
	const double *values, size_t count, const struct plot_mark *marks,
	size_t mark_count, FILE *out, struct error *error);

/* A matrix of rows * columns, shrunk to the window: each place shows the mean
   of what it stands for, from dark (little) to light. */
struct plot_matrix {
	const double *cells;
	size_t rows, columns;
	/* [row] and [column] to show; NULL: as they are */
	const size_t *row_order, *column_order;
	const char *row_name, *column_name;
};

int plot_put_matrix(const struct plot *window, const struct plot_matrix *matrix,
	FILE *out, struct error *error);

#endif
