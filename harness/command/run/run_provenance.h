#ifndef NEARFAR_RUN_PROVENANCE_H
#define NEARFAR_RUN_PROVENANCE_H

/* Where the series of a run come from. */
#include "harness/run/runner.h"

/* Appends to each series of `list`, one for each plan, what its run was:
   `facts` are those of each device. ERR_FAILED without memory. */
int run_provenance_add(const struct run_config *config,
	const struct plan *plans, const struct facts *facts,
	const struct run_report *report, struct series_list *list,
	struct error *error);

#endif
