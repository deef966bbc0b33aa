#ifndef NEARFAR_CHART_SCALE_H
#define NEARFAR_CHART_SCALE_H

/*
 * The axes of a chart: from values to [0, 1], and where the ticks are.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/chart/chart.h"

#define CHART_TICKS_MAX   64
#define CHART_LABEL_BYTES 32

struct chart_scale {
	double low, high; /* low < high; both positive if logarithmic */
	bool log2;
	double ticks[CHART_TICKS_MAX]; /* ascending, within the scale */
	char labels[CHART_TICKS_MAX][CHART_LABEL_BYTES];
	size_t tick_count;
};

/* 0 at low, 1 at high. */
double chart_scale_unit(const struct chart_scale *scale, double value);

/* The scale of y spans 5 % of the greatest value, at least. `room`: how many
 * ticks fit. The chart has points. */
void chart_scale_x(
	const struct chart *chart, size_t room, struct chart_scale *scale);
void chart_scale_y(
	const struct chart *chart, size_t room, struct chart_scale *scale);

#endif
