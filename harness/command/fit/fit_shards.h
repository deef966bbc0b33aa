#ifndef NEARFAR_FIT_SHARDS_H
#define NEARFAR_FIT_SHARDS_H

/* A fit to files of series, in shards. */
#include <stdio.h>

#include "harness/command/fit/fit_options.h"
#include "harness/split/split.h"

/* Whether the words of a plan can be run; `points` that the targets hold. */
int calibrate_plan(
	const struct split *split, size_t *points, struct error *error);

/* `nearfar run --shard DIR/N` and `nearfar merge DIR -o MACHINE.yaml` where
   DIR is of a calibration (harness/calibrate/shards.h). */
int calibrate_shard(
	const struct split_place *place, unsigned jobs, struct error *error);
int calibrate_merge(const char *folder, const struct split *split,
	const char *output, FILE *out, struct error *error);

#endif
