#ifndef NEARFAR_EXPLAIN_AGAIN_H
#define NEARFAR_EXPLAIN_AGAIN_H

/* What the files about what-ifs share: the model runs again. */
#include "harness/explain/explain.h"

/* Launches as another shape: at most so many of the runs. */
#define SHAPES_MOST 3u

struct again {
	const struct explain_runs *runs;
	struct explanation *e;
	struct model_parameters parameters;
};

/* ---- explain_again.c ---- */

/* Runs a job, which may be another one than the launch that is explained, on a
   machine. What fails is said in `w`; ERR_INTERRUPTED, ERR_LOST. */
int again_run(struct again *a, const struct backend_config *config,
	const struct job *job, struct explain_what_if *w, struct error *error);

/* ---- explain_shapes.c ---- */

/* Tries the launch in other shapes. */
int again_shapes(struct again *a, struct error *error);

#endif
