#ifndef NEARFAR_CUDA_IDENTITY_H
#define NEARFAR_CUDA_IDENTITY_H

/* Which GPU it is. */
#include "backend_cuda/driver/abi.h"
#include "harness/base/error.h"

struct cuda_identity {
	char name[96];
	char uuid[48];   /* "GPU-..."; "unknown": an old driver */
	char bus_id[32]; /* on PCI */
};

struct backend;

int cuda_identify(struct backend *b, CUdevice device,
	struct cuda_identity *identity, struct error *error);

#endif
