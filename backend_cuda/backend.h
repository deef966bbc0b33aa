#ifndef NEARFAR_CUDA_BACKEND_H
#define NEARFAR_CUDA_BACKEND_H

/*
 * One open GPU, shared by the files of this backend. Everything runs on the
 * default stream, so operations are ordered as they are written; nothing is
 * ever waited for without the watchdog.
 */
#include <stdbool.h>

#include "harness/contract/backend.h"
#include "backend_cuda/driver/attributes.h"
#include "backend_cuda/driver/identity.h"
#include "backend_cuda/memory.h"
#include "backend_cuda/module.h"
#include "backend_cuda/peer.h"
#include "backend_cuda/driver/driver.h"
#include "backend_cuda/driver/nvml.h"

struct backend {
	struct driver driver;
	struct nvml nvml;
	CUdevice handle;
	CUcontext context;
	struct device device;
	struct cuda_attributes attributes;
	struct cuda_identity identity;
	int index, count; /* of the device; of all that are visible */
	struct cuda_peer peers[CUDA_PEERS_MAX];   /* the first is the run's */
	size_t granularity_bytes, carveout_bytes; /* the limits at open */
	double watchdog_s;
	unsigned int jit_level; /* of the driver's assembler */
	struct cuda_memory memory;
	struct cuda_modules modules;
	double clock_low_hz, clock_high_hz; /* over the runs so far */
	double launched_s, kernels_s; /* when the last kernel was launched; how
					 long all took */
	const char *program;          /* the one that runs, for messages */
	atomic_int *stop;             /* nonzero: do not wait; may be NULL */
	bool lost;                    /* the context is of no more use */
	bool hung;                    /* and a kernel in it does not end */
};

/* A driver call that becomes 0 or ERR_FAILED with the driver's sentence. */
#define CUDA_CALL(b, error, function, ...)                                     \
	driver_check(&(b)->driver, (b)->driver.function(__VA_ARGS__),          \
		#function, (b)->program, error)

/* Appends device, driver and clock facts. */
int cuda_facts(struct backend *b, struct facts *facts);

/* dump.c: the program's kernels as PTX; needs no driver. */
int cuda_dump(const struct program *p, const struct device *device, FILE *out,
	struct error *error);

#endif
