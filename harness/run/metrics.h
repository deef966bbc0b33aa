#ifndef NEARFAR_METRICS_H
#define NEARFAR_METRICS_H

/*
 * From the samples of one run to the values of each metric.
 *
 * latency_cycles   cycles of a sample over the accesses that one thread makes
 *                  in it one after the other (a chase's links), in region
 *                  "latency" if the program has one, else "measure"
 * latency_ns       the same over the SM clock of the run
 * lone_latency_cycles  as latency_cycles, of region "lone"
 * *_gb_per_s       bytes (useful: what lanes asked for; moved: whole sectors)
 *                  over the span of region "measure", 1e9 bytes a second
 * bytes_per_cycle  useful bytes over the span in SM cycles
 * sectors_per_request  counted from the program (account.h)
 * loads_per_cycle  lane accesses over the span
 * atomics_per_cycle  lane atomics over the span; with shared-memory partial
 *                  sums, those of the partial sums
 * share_*          where the probes of region "measure" were answered
 *                  (levels.h)
 * load_gb_per_s    useful bytes over the span of region "load", for all warps
 *                  of that region and of the background roles of its launch,
 *                  which run the same body and are taken to go at the same
 *                  rate; 0 if the program has no such region
 * useful_share     useful bytes over moved bytes of region "measure", counted
 *                  from the program; over 1 where lanes ask for the same bytes
 * copy_*           of the copy engine's last copies, or of region "measure",
 *                  each byte of which is loaded and stored
 * elapsed_*        of a job's launch (job_result.h), not of a program
 */
#include "harness/contract/backend.h"
#include "harness/contract/bench.h"
#include "harness/stats/values.h"

/* Appends this run's values of every metric in the set. */
int metrics_add(const struct program *p, const struct result *result,
	const struct device *device, uint32_t metrics,
	struct values values[METRIC_COUNT], struct error *error);

#endif
