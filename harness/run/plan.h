#ifndef NEARFAR_PLAN_H
#define NEARFAR_PLAN_H

/*
 * What a run will do: a bench with its options resolved and its points, a
 * user's program as the only point, or a job, whose launches are the points.
 */
#include "harness/contract/bench.h"
#include "harness/kernel/job.h"
#include "harness/series/series.h"
#include "harness/run/sweep.h"

/* An option as the user gave it, before a bench has claimed it. */
struct given_option {
	const char *name, *text;
};

struct plan {
	const struct bench *bench; /* NULL: `job`, or `program` */
	struct job *job;           /* owned; NULL: a bench or `program` */
	struct bench_args args;    /* seed 0: set for each repeat */
	struct program program;
	const char *name, *axis;
	uint32_t metrics;
	struct sweep sweep;
};

/* `sweep_text` NULL: the axis' own. Options that the bench does not have are
   left to other benches of the run. */
int plan_bench(struct plan *plan, const struct bench *bench,
	const struct given_option *given, size_t given_count,
	const char *sweep_text, const struct device *device,
	struct error *error);

/* The program in a file; checked. */
int plan_program(struct plan *plan, const char *path, struct error *error);

/* The job in a file. `warm` executes each launch once more before it is
   reported. */
int plan_job(
	struct plan *plan, const char *path, bool warm, struct error *error);

void plan_free(struct plan *plan);

/* The program of a point of a bench or a program, checked against legality and
   the device. ERR_SKIPPED where the device lacks what it needs. */
int plan_build(const struct plan *plan, const struct device *device, double x,
	uint32_t seed, struct program *program, struct error *error);

#endif
