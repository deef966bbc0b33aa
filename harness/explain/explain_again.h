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

/* ---- explain_sets.c ---- */

#define SETS_MOST 8u
#define SET_BYTES 160

/* "NAME=VALUE" of parameters, for --set. */
struct again_sets {
	char made[SETS_MOST][SET_BYTES];
	size_t count;
};

/* A parameter's value here, which --set may have given; NAN: it has none. */
double again_value(const struct again *a, const char *name);
/* Adds one; false if there is no parameter of the name, the value is not above
   0 or out of its range, or SETS_MOST are there. */
bool again_set(const struct again *a, struct again_sets *sets, const char *name,
	double value);
/* Runs the launch with these beside the --set of the command; adds them to
   `w->change`. Errors of again_run(), and ERR_FAILED without memory. */
int again_run_sets(struct again *a, const struct again_sets *sets,
	struct explain_what_if *w, struct error *error);

/* A smaller share of the launch is not tried. */
#define SHARE_LEAST 0.05

/* The share of the launch that the server binds, at all lines together. */
double again_share(const struct explanation *e, const char *server);

/* ---- explain_accesses.c ---- */

/* Whether lanes want less than half of the bytes of the line's sectors. */
bool again_is_spread(const struct job_line *line);
/* Whether lanes side by side were tried and gain more than the model's error.
 */
bool again_closes_up(const struct explanation *e);

/* Tries accesses of lanes that lie better, and atomics that are summed up
   first. */
int again_accesses(struct again *a, struct error *error);

/* ---- explain_rooms.c ---- */

/* Tries more room: registers, shared memory, L1. */
int again_rooms(struct again *a, struct error *error);

/* ---- explain_shapes.c ---- */

/* Tries the launch in other shapes. */
int again_shapes(struct again *a, struct error *error);

#endif
