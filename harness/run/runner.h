#ifndef NEARFAR_RUNNER_H
#define NEARFAR_RUNNER_H

/*
 * Executes plans: every point of every plan is a task; workers, each with its
 * own instance of the backend, take tasks, the last first where there are
 * several. What comes out does not depend on the number of workers.
 */
#include <stdatomic.h>

#include "harness/run/opened.h"
#include "harness/run/plan.h"
#include "harness/series/series.h"

struct run_config {
	const struct opened *opened;   /* the first worker's instance */
	struct backend_config backend; /* of further ones */
	unsigned jobs, repeats, warmups;
	uint32_t seed;
	bool without_samples; /* series keep their summaries only */
	atomic_int *stop;     /* nonzero: take no new point */
};

/*
 * Fills one series per plan, in order. A point that the device cannot run
 * becomes a skipped point with its reason. ERR_INTERRUPTED when stopped: the
 * series then hold the points that were finished. Other errors leave `list`
 * and `facts` (what the device says of itself) as they were.
 */
int runner_run(const struct run_config *config, struct plan *plans,
	size_t plan_count, struct series_list *list, struct facts *facts,
	struct error *error);

#endif
