#ifndef NEARFAR_RUN_WHAT_IF_H
#define NEARFAR_RUN_WHAT_IF_H

/* The words of --set, --var and -x into the options of a run. ERR_USAGE for
   what cannot be read. */
#include "harness/command/run/run_options.h"

/* Those of one value are the run's own machine, too. */
int run_what_if_set(
	struct run_options *o, const char *text, struct error *error);
int run_what_if_variable(
	struct run_options *o, const char *text, struct error *error);
int run_what_if_points(
	struct run_options *o, const char *text, struct error *error);

#endif
