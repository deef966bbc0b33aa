#ifndef NEARFAR_RUN_TRACE_H
#define NEARFAR_RUN_TRACE_H

/* `nearfar run --trace FILE`: what is traced, and the file. */
#include <stdbool.h>
#include <stdint.h>

#include "harness/contract/timeline.h"
#include "harness/run/plan.h"
#include "harness/series/series.h"

struct run_options;

/* Of the command line; all zero: everything. */
struct run_trace {
	const char *path;   /* --trace; NULL: nothing is traced */
	double from, until; /* cycles; `until` 0: no end */
	bool some_sms;
	uint64_t sms[TIMELINE_SMS_MAX / 64];
	bool has_warp;
	uint32_t warp, line, limit; /* `line` 0: all; `limit` 0: the usual one
				     */
	const char *other; /* the last of its other options; NULL: none */
};

/* One of the options KEY_TRACE to KEY_TRACE_LIMIT; ERR_USAGE. */
int run_trace_take(struct run_trace *trace, int key, const char *text,
	struct error *error);
/* Whether it goes with the rest of the command line; ERR_USAGE. */
int run_trace_check(
	const struct run_options *o, bool is_jobs, struct error *error);
/* Whether there is one point; ERR_USAGE. */
int run_trace_check_points(const struct run_options *o,
	const struct plan *plans, size_t plan_count, struct error *error);

void run_trace_begin(const struct run_trace *trace, struct timeline *timeline);
/* Writes the file, if anything was traced, also after a run that failed; says
   on standard error what was left out. ERR_FAILED. */
int run_trace_finish(const struct run_options *o, const struct plan *plan,
	const struct series_list *list, const struct timeline *timeline,
	struct error *error);

#endif
