#ifndef NEARFAR_FIT_DEVICE_H
#define NEARFAR_FIT_DEVICE_H

/* What the driver said of a device, as a file: a JSON object with the fields
   of struct device by name. */
#include "harness/contract/backend.h"

int device_write(
	const struct device *device, const char *path, struct error *error);

/* ERR_USAGE for a field that is missing or no number. */
int device_read(struct device *device, const char *path, struct error *error);

#endif
