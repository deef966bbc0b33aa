#ifndef NEARFAR_MEASURE_H
#define NEARFAR_MEASURE_H

/* One point of a plan: its warm-ups and repeats, and what they amount to. */
#include "harness/run/runner.h"

/* Fills a point, on an instance of the backend; a point that the device cannot
   run is skipped with its reason. The caller frees the point, also after an
   error. */
int measure_point(const struct run_config *config, struct backend *backend,
	const struct plan *plan, double x, struct point *point,
	struct error *error);

#endif
