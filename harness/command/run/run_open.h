#ifndef NEARFAR_RUN_OPEN_H
#define NEARFAR_RUN_OPEN_H

/* The backend of a run, and how its points are run. */
#include "harness/command/run/run_options.h"

/* Opens the backend, on whose device plans are made. With `only_looking`, for a
   GPU that is not here, plans are made for the model's device. The errors of
   opened_open(). */
int run_open(const struct run_options *o, bool only_looking, atomic_int *stop,
	struct opened *opened, struct error *error);

/* All but the journal; it borrows from the options. */
struct run_config run_open_config(const struct run_options *o,
	const struct opened *opened, atomic_int *stop);

#endif
