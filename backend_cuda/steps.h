#ifndef NEARFAR_CUDA_STEPS_H
#define NEARFAR_CUDA_STEPS_H

/* What the host does between launches, of programs and of jobs. */
#include "backend_cuda/launch.h"
#include "harness/program/program.h"

/* A flush, a reset, a granularity or a carve-out; others do nothing.
   ERR_SKIPPED for what the device has not. */
int cuda_step_act(struct backend *b, const struct step *step,
	const struct cuda_launch *flush, struct error *error);

/* The window of the step, over the buffer at an address; of no bytes for
   `window none`. ERR_SKIPPED where the device's windows are smaller. */
int cuda_step_window(struct backend *b, const struct step *step,
	CUdeviceptr buffer, struct cuda_access_policy_window *window,
	struct error *error);

struct cuda_copy {
	CUdeviceptr from, to;
	uint64_t bytes;
};

/* Copies at the same time; waits until all have ended. `copied`: the bytes of
   all, and the time between events before and after them. ERR_FAILED without
   memory. */
int cuda_step_copies(struct backend *b, const struct cuda_copy *copies,
	size_t count, struct copied *copied, struct error *error);

/* Sets the device's own fetch granularity, or its own carve-out, again. A
   device that refuses it is lost. */
int cuda_limits_restore(struct backend *b, bool granularity, bool carveout,
	struct error *error);

#endif
