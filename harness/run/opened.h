#ifndef NEARFAR_OPENED_H
#define NEARFAR_OPENED_H

/* A backend that is open, with what its device is: opened once a run. */
#include "harness/contract/backend.h"

struct opened {
	const struct backend_ops *ops;
	struct backend *backend;
	struct device device;
	struct facts facts; /* what identifies the device; owned */
};

/* The errors of the backend's open() and describe(). */
int opened_open(struct opened *opened, const struct backend_ops *ops,
	const struct backend_config *config, struct error *error);
/* An opened that is zero is closed already. */
void opened_close(struct opened *opened);

#endif
