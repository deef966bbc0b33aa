#ifndef NEARFAR_SHOW_PLOT_H
#define NEARFAR_SHOW_PLOT_H

/*
 * The curves of a list of series in the terminal: one plot for each axis and
 * metric, where a series shows its first metric. A curve has the label of its
 * series in the plot's identity (identity.h).
 */
#include <stdio.h>

#include "harness/series/series.h"

int show_plot(const struct series_list *list, FILE *out, struct error *error);

#endif
