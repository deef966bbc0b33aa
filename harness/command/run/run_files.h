#ifndef NEARFAR_RUN_FILES_H
#define NEARFAR_RUN_FILES_H

/* The files of `nearfar run`: what is written where, and the journal. */
#include <stdio.h>

#include "harness/command/run/run_options.h"
#include "harness/run/kept.h"

/* Before anything runs: no output is an input or another output, each can be
   written, and none holds what was measured before, unless --force or --resume
   is given. ERR_USAGE, ERR_FAILED. */
int run_files_check(const struct run_options *options, struct error *error);

/* Opens the journal, if there is one beside such an output (`there` says so),
   and says on standard error what it holds. The errors of kept_open(). */
int run_files_open(const struct run_options *options,
	const struct run_config *config, const struct plan *plans,
	size_t plan_count, struct kept *kept, bool *there, struct error *error);

/* Says on standard error what a journal held. */
void run_files_tell(const struct kept *kept);

/* --raw, and the series to -o or `out`. ERR_FAILED. */
int run_files_write(const struct run_options *options,
	const struct series_list *list, FILE *out, struct error *error);

/* --trace, if anything was traced, also by a run that failed; what was left out
   is said on standard error. ERR_FAILED. */
int run_files_write_trace(const struct run_options *options,
	const struct plan *plan, const struct series_list *list,
	const struct timeline *timeline, struct error *error);

#endif
