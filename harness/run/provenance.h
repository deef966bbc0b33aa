#ifndef NEARFAR_PROVENANCE_H
#define NEARFAR_PROVENANCE_H

/* What a series says of how it was made. */
#include "harness/base/facts.h"
#include "harness/run/runner.h"

/*
 * Appends version, backend, what the device says of itself, the settings of
 * the machine, seed, repeats and warm-ups to `facts`. The model's output is the
 * same whenever it runs, so it carries no date unless SOURCE_DATE_EPOCH gives
 * one; and no host, which changes nothing. ERR_FAILED without memory.
 */
int provenance_add(const struct run_config *config, const struct facts *device,
	struct facts *facts);

/* ERR_USAGE for a SOURCE_DATE_EPOCH that is no date: to be asked before the
   first point runs. */
int provenance_check(struct error *error);

#endif
