#ifndef NEARFAR_RUN_PLANS_H
#define NEARFAR_RUN_PLANS_H

/* The plans of a command line: one for each combination of a bench's options,
   or for each program or job. */
#include "harness/command/run_options.h"
#include "harness/run/variants.h"

struct run_plans {
	struct plan *items; /* owned: run_plans_free, also on failure */
	size_t count, variant_count;
	struct variants variants[RUN_BENCHES_MAX];
};

int run_plans_make(const struct run_options *o, const struct device *device,
	struct run_plans *plans, struct error *error);

void run_plans_free(struct run_plans *plans);

#endif
