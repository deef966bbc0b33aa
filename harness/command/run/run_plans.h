#ifndef NEARFAR_RUN_PLANS_H
#define NEARFAR_RUN_PLANS_H

/*
 * The plans of a run: a series for each combination of what its options, --set
 * and --var have several values of, and for each program or series of --like.
 */
#include "harness/command/run/run_open.h"
#include "harness/run/variants.h"

struct run_plans {
	struct plan *items;
	size_t count;
	/* What the plans borrow. */
	struct variants *variants;
	size_t variant_count;
	struct setting *settings;
	size_t setting_count;
	struct series_list like;
};

/* Of each device all plans. ERR_USAGE for what does not go together. On
   failure, too, run_plans_free. */
int run_plans_make(const struct run_options *o, const struct run_opened *opened,
	atomic_int *stop, struct run_plans *plans, struct error *error);
void run_plans_free(struct run_plans *plans);

/* ---- for run_plans.c, run_programs.c and run_like.c ---- */

/* What plans are made for: a machine, with a setting for each point of an axis
   of --set, or one for all, or none. */
struct run_ground {
	const struct run_options *o;
	const struct device *device;
	const struct setting *settings; /* NULL: the run's own machine */
	struct error *error;
};

/* Whether -x is of a parameter of the machine. */
bool run_plans_over_set(const struct run_options *o);

/* The plan runs on the ground's machine. */
void run_plans_put_on(const struct run_ground *ground, struct plan *plan);

/* That axis instead of the plan's own, which stands at `place`. */
int run_plans_take_set(
	const struct run_ground *ground, double place, struct plan *plan);

/* Plans of o->programs, with their variables. */
int run_plans_programs(
	const struct run_ground *ground, struct run_plans *plans);

/* Room for one more, zeroed; NULL without memory. What was returned before
   moves. */
struct plan *run_plans_add(struct run_plans *plans, struct error *error);

/* Plans of o->kernels. */
int run_plans_jobs(const struct run_ground *ground, struct run_plans *plans);

/* Plans that are the partners of the series in o->like. */
int run_plans_like(const struct run_options *o, const struct device *device,
	struct run_plans *plans, struct error *error);

#endif
