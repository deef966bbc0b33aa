#ifndef NEARFAR_CUDA_LAUNCH_H
#define NEARFAR_CUDA_LAUNCH_H

/* Kernels on the default stream, and waiting for them. */
#include "backend_cuda/backend.h"
#include "harness/lower/lower.h"

/* The parameters of every kernel, as lower.h lists them. */
enum cuda_parameter {
	CUDA_PARAMETER_CONTROL,
	CUDA_PARAMETER_OUTPUT,
	CUDA_PARAMETER_TABLE,
	CUDA_PARAMETER_OPAQUE, /* always zero */
	CUDA_PARAMETER_BUFFER, /* + the buffer's number */
	CUDA_PARAMETERS_MAX = CUDA_PARAMETER_BUFFER + PROGRAM_BUFFERS_MAX
};

struct cuda_launch {
	const char *name; /* for messages: "launch 'measure'" */
	CUfunction function;
	uint32_t grid, threads, shared_bytes;
	uint32_t blocks_per_sm; /* that an SM holds at once */
	uint64_t parameters[CUDA_PARAMETERS_MAX];
	const struct cuda_access_policy_window *window; /* or NULL */
};

/* Of a kernel that we wrote; its parameters are zero. */
struct cuda_launch cuda_launch_of(
	const struct ptx_kernel *kernel, CUfunction function, const char *name);

/* Sets the function's shares of shared memory and L1. Besides, drivers that
   load functions lazily load it now, so a run does this before its first
   step; starting the kernel does it again, for another launch may have the
   same function. */
int cuda_launch_configure(struct backend *b, const struct cuda_launch *launch,
	struct error *error);

/* What the function takes: registers of a thread, and blocks that an SM holds
   at once. */
int cuda_launch_occupancy(struct backend *b, const struct cuda_launch *launch,
	int *registers, int *blocks, struct error *error);

/* Starts the kernel; ERR_SKIPPED if a window is asked of a driver that has no
   cuLaunchKernelEx. */
int cuda_launch_start(struct backend *b, const struct cuda_launch *launch,
	struct error *error);

/*
 * Waits until the stream is empty. A kernel that outlasts the watchdog or
 * fails takes the context with it: the backend is then lost.
 */
int cuda_launch_wait(struct backend *b, const char *name, struct error *error);

/* Both. */
int cuda_launch(struct backend *b, const struct cuda_launch *launch,
	struct error *error);

#endif
