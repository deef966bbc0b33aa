#ifndef NEARFAR_RUN_PROFILES_H
#define NEARFAR_RUN_PROFILES_H

/* The profiles of a run's launches: those of jobs, and of programs, whose
   kernels name the program's lines. */
#include "harness/command/run/run_plans.h"

/* The machine, what --set changed of it, and what its time lacks, as profiles
   have it: from what a series or an open model says of itself. */
#define RUN_MACHINE_BYTES 1024
void run_machine_words(
	const struct facts *facts, char words[RUN_MACHINE_BYTES]);

/* The device that a point is built for: that of a what-if, or else the
   run's. */
const struct device *run_device_of(
	const struct plan *plan, size_t point, const struct run_opened *opened);

/* Takes the profiles off the points: into the file of --profile, and the lines
   that --races finds to standard error. */
int run_profiles_tell(const struct run_options *o,
	const struct run_plans *plans, const struct run_opened *opened,
	const struct series_list *list, struct error *error);

#endif
