#ifndef NEARFAR_CUDA_IDENTITY_H
#define NEARFAR_CUDA_IDENTITY_H

/* Which GPU it is. */
#include "backend_cuda/driver/driver.h"

struct cuda_identity {
	char name[96];
	char uuid[48];   /* "GPU-..."; "unknown": an old driver */
	char bus_id[32]; /* on PCI */
};

int cuda_identify(const struct driver *driver, CUdevice device,
	struct cuda_identity *identity, struct error *error);

#endif
