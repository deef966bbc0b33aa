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
#include "harness/whatif/setting.h"

/* An option as the user gave it, before a bench has claimed it. */
struct given_option {
	const char *name, *text;
};

struct plan {
	const struct bench *bench; /* NULL: `job`, or `program` */
	struct job *job;           /* owned; NULL: a bench or `program` */
	struct bench_args args;    /* seed 0: set for each repeat */
	struct program program;
	char *text, *source; /* of `program`, as it was read, and what messages
				call it; owned; NULL: a bench or a job */
	const char *name, *axis;
	size_t device; /* which of the run's; 0 where it has one */
	uint32_t metrics;
	struct sweep sweep;

	/* What-ifs; all zero without. */
	const struct setting *settings; /* what it runs on; NULL: the run's own
					   machine. Borrowed, but */
	struct setting *kept_settings;  /* those that plan_keep() has left */
	bool setting_per_point;         /* one a point; else one for all */
	bool placed; /* the bench builds for `place`, whatever the point: the
			axis is another */
	double place;
	struct facts options; /* beside the bench's: variables, the place */
	char **texts;         /* a program for each point, or NULL; owned */
};

/* The machine of a point; NULL: the run's own. */
const struct setting *plan_setting(const struct plan *plan, size_t index);

/* The options of a bench: as given, else their defaults. Those that it does not
   have are left to others. ERR_USAGE. */
int plan_args(const struct bench *bench, const struct given_option *given,
	size_t given_count, struct bench_args *args, struct error *error);

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

/* The same of a text, which messages call `source`. */
int plan_text(struct plan *plan, const char *text, const char *source,
	struct error *error);

/* Of the plan of a program: another axis, with a program for each of `count`
   points. `texts` are copied; the program of the first point is the plan's.
   ERR_USAGE for one that is none; on failure, too, plan_free. */
int plan_texts(struct plan *plan, const char *axis, const double *x,
	const char *const *texts, size_t count, const char *source,
	struct error *error);

/* Leaves the points that `kept` says, which may be none. ERR_FAILED without
   memory. */
int plan_keep(struct plan *plan, const bool *kept);

void plan_free(struct plan *plan);

/* The program of a point of a bench or a program, checked against legality and
   the device. ERR_SKIPPED where the device lacks what it needs. */
int plan_build(const struct plan *plan, const struct device *device, double x,
	uint32_t seed, struct program *program, struct error *error);

/* Where the text of that program has what: the text that was read, or that of
   --dump-program for a bench. The caller frees `text`, which `places` borrows,
   as it borrows names from the plan. ERR_FAILED without memory. */
int plan_places(const struct plan *plan, double x,
	const struct program *program, struct program_places *places,
	char **text, struct error *error);

#endif
