#ifndef NEARFAR_RUN_STATS_H
#define NEARFAR_RUN_STATS_H

/* What `run --stats` says on standard error of the model's work. */
#include "harness/command/run/run_options.h"

void run_stats_print(const struct run_options *options,
	const struct series_list *list, double seconds);

#endif
