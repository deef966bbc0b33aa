#ifndef NEARFAR_SERIES_CURVE_H
#define NEARFAR_SERIES_CURVE_H

#include "harness/stats/curve.h"
#include "harness/series/series.h"

/* The medians of one metric of a series; curve_free() ends it. Leaves out
   points that are skipped or have no number. ERR_FAILED without memory. */
int series_curve(const struct series *series, int metric, struct curve *curve,
	struct error *error);

#endif
