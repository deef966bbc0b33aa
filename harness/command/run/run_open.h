#ifndef NEARFAR_RUN_OPEN_H
#define NEARFAR_RUN_OPEN_H

/* The devices of a run, and how its points are run. */
#include "harness/command/run/run_options.h"

/* Device 0 is there as soon as they are open. */
struct run_opened {
	struct opened *items; /* owned */
	size_t count;
	struct backend_progress *progress; /* of the model's; owned */
};

/* Opens the model, or all GPUs that the options name, on which plans are made.
   With `only_looking`, for a GPU that is not here, plans are made for the
   model's device. The errors of opened_open(). On failure, too,
   run_open_close. */
int run_open(const struct run_options *o, bool only_looking, atomic_int *stop,
	struct run_opened *opened, struct error *error);
void run_open_close(struct run_opened *opened);

/* All but the journal; it borrows from both. */
struct run_config run_open_config(const struct run_options *o,
	const struct run_opened *opened, atomic_int *stop);

#endif
