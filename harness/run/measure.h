#ifndef NEARFAR_MEASURE_H
#define NEARFAR_MEASURE_H

/* One task of a plan: its warm-ups and repeats, and what they amount to. */
#include "harness/run/runner.h"

/* What a job gave besides its first launch. */
struct measured {
	struct point *points; /* of the others; owned */
	size_t point_count;
	struct facts facts; /* what identifies the job, and digests */
};

void measured_free(struct measured *measured);

/* Fills a point, on an instance of the backend that is `device`; a point that
   the device cannot run is skipped with its reason. The caller frees the point,
   also after an error. */
int measure_point(const struct run_config *config, struct backend *backend,
	const struct device *device, const struct plan *plan, double x,
	struct point *point, struct error *error);

/* Fills the points of a plan's job, one for each launch; or one that is skipped
   with its reason. The caller frees them, also after an error. */
int measure_job(const struct run_config *config, struct backend *backend,
	const struct plan *plan, struct point *first, struct measured *further,
	struct error *error);

#endif
