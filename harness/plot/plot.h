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
#include "harness/chart/chart.h"

/* Where it is drawn. */
struct plot {
	unsigned width, height; /* in characters, the labels included */
	bool unicode, color;
};

/* Sets width, height, unicode and color for `out`, from the terminal and the
   environment (COLUMNS, LINES, NO_COLOR, TERM, LC_ALL, LC_CTYPE, LANG). */
void plot_fit(struct plot *plot, FILE *out);

/* Prints nothing if the chart has no points. ERR_FAILED without memory. */
int plot_put(const struct plot *plot, const struct chart *chart, FILE *out,
	struct error *error);

#endif
