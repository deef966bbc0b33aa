#ifndef NEARFAR_PLOT_H
#define NEARFAR_PLOT_H

/*
 * Curves in a terminal. The x axis is logarithmic (base 2) if x are sizes or
 * span more than a factor 16, and all positive; y is linear and begins at 0
 * unless the curves keep to the upper half.
 *
 * One curve, or several in colour, are drawn in braille dots where the
 * terminal can show them; otherwise each curve has its own mark.
 */
#include <stdbool.h>
#include <stdio.h>

#include "harness/base/error.h"

struct plot_curve {
	const char *name;    /* of the legend, which one curve does not need */
	const double *x, *y; /* finite, ascending in x */
	size_t count;
};

struct plot {
	const char *title;
	const char *x_name, *y_name; /* with the unit: "footprint_bytes" */
	bool x_is_bytes;
	const struct plot_curve *curves;
	size_t curve_count;
	unsigned width, height; /* in characters, the labels included */
	bool unicode, color;
};

/* Sets width, height, unicode and color for `out`, from the terminal and the
   environment (COLUMNS, LINES, NO_COLOR, TERM, LC_ALL, LC_CTYPE, LANG). */
void plot_fit(struct plot *plot, FILE *out);

/* Prints nothing if there are no points. ERR_FAILED without memory. */
int plot_put(const struct plot *plot, FILE *out, struct error *error);

#endif
