#ifndef NEARFAR_PLOT_SCALE_H
#define NEARFAR_PLOT_SCALE_H

/*
 * The axes of a plot: from values to [0, 1], and where the ticks are.
 */
#include <stdbool.h>
#include <stddef.h>

#define PLOT_TICKS_MAX   64
#define PLOT_LABEL_BYTES 32

struct plot;

struct plot_scale {
	double low, high; /* low < high; both positive if logarithmic */
	bool log2;
	double ticks[PLOT_TICKS_MAX]; /* ascending, within the scale */
	char labels[PLOT_TICKS_MAX][PLOT_LABEL_BYTES];
	size_t tick_count;
};

/* 0 at low, 1 at high. */
double plot_scale_unit(const struct plot_scale *scale, double value);

/* `room`: how many ticks fit. The plot has points. */
void plot_scale_x(
	const struct plot *plot, size_t room, struct plot_scale *scale);
void plot_scale_y(
	const struct plot *plot, size_t room, struct plot_scale *scale);

#endif
