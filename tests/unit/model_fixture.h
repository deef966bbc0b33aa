#ifndef NEARFAR_MODEL_FIXTURE_H
#define NEARFAR_MODEL_FIXTURE_H

/* Runs of the model for tests that count what it did. */
#include <stdbool.h>

#include "backend_sim/machine/machine.h"
#include "harness/contract/backend.h"

/* For the runs that follow: a parameter's NAME=VALUE. The text is borrowed; a
   test is a process of its own, so its settings end with it. */
void model_set(const char *setting);
bool model_is_set(void); /* anything */

/* Runs the program that the format makes on `machine` (NULL: the default); a
   program that cannot be run fails the test. The caller frees the result. */
void model_run(const char *machine, struct result *result, const char *format,
	...) __attribute__((format(printf, 3, 4)));

/* The same, with counters less those of the same launches whose roles access
   nothing: what the bodies of the roles add. This run and those that follow do
   not count what the chip itself reads for a launch (kernel_code_sectors,
   kernel_other_sectors). */
void model_run_added(const char *machine, struct result *result,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The cycles from the first start to the last end of the first region; the
   format makes a program's text without its head. */
double model_cycles(const char *machine, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The mean of a region's samples in a run on the default machine; the text is a
   program's without its head. */
double model_mean(unsigned region, const char *text);

/* Cycles of the last warp of two SMs, where SMs `first` to `first` + `sms` - 1
   store to lines of their own; `memory` is empty or as a buffer has it. */
void model_stores(const char *machine, const char *memory, unsigned first,
	unsigned sms, const unsigned sm[2], double cycles[2]);

/* A parameter of a machine, as its file has it. */
double model_parameter(const char *machine, enum parameter parameter);

/* A counter of a result; one that is not there fails the test. */
double model_counter(const struct result *result, const char *name);

#endif
