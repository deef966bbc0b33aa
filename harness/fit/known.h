#ifndef NEARFAR_FIT_KNOWN_H
#define NEARFAR_FIT_KNOWN_H

/* The known machines of the model, and which of them is nearest to a device:
   of its compute capability if there is one, else of the next lower, else of
   the next; of these the nearest in SMs, L2 and clock. */
#include "harness/contract/backend.h"

/*
 * Loads a machine's parameters: `wanted`, or the nearest if it is NULL; its
 * name, or its file's, to `name` unless that is NULL, for the caller to free.
 * model_parameters_free() after success.
 */
int known_nearest(const struct backend_ops *model, const char *wanted,
	const struct device *device, char **name,
	struct model_parameters *known, struct error *error);

#endif
