#ifndef NEARFAR_EXPLAIN_AGAIN_H
#define NEARFAR_EXPLAIN_AGAIN_H

/* What the files about what-ifs share: the model runs again. */
#include "harness/explain/explain.h"

/* Launches as another shape: at most so many of the runs. */
#define SHAPES_MOST 3u

struct again {
	const struct explain_runs *runs;
	struct explanation *e;
	struct job_wishes wishes; /* of the next run */
	struct model_parameters parameters;
};

/* ---- explain_again.c ---- */

/* Runs a job, which may be another one than the launch that is explained, on a
   machine. What fails is said in `w`; ERR_INTERRUPTED, ERR_LOST. */
int again_run(struct again *a, const struct backend_config *config,
	const struct job *job, struct explain_what_if *w, struct error *error);

/* A bind with a smaller share is not tried. */
#define SHARE_LEAST 0.05

/* ---- explain_accesses.c ---- */

/* Whether lanes want less than half of the bytes of the line's sectors. */
bool again_is_spread(const struct job_line *line);

/* Tries accesses of lanes that lie better. */
int again_accesses(struct again *a, struct error *error);

/* ---- explain_shapes.c ---- */

/* Tries the launch in other shapes. */
int again_shapes(struct again *a, struct error *error);

#endif
