#ifndef NEARFAR_CUDA_STEPS_H
#define NEARFAR_CUDA_STEPS_H

/* What the host does between launches, of programs and of jobs. */
#include "backend_cuda/launch.h"
#include "harness/program/program.h"

/* A flush, a reset, a granularity or a carve-out. ERR_SKIPPED for what the
   device has not. */
int cuda_step_act(struct backend *b, const struct step *step,
	const struct cuda_launch *flush, struct error *error);

/* The window of the step, over a buffer that is at an address; of no bytes if
   it says none. ERR_SKIPPED where the device's windows are smaller. */
int cuda_step_window(struct backend *b, const struct step *step,
	CUdeviceptr buffer, struct cuda_access_policy_window *window,
	struct error *error);

struct cuda_copy {
	CUdeviceptr from, to;
	uint64_t bytes;
};

/* Copies that go at the same time, until they have ended. */
int cuda_step_copies(struct backend *b, const struct cuda_copy *copies,
	size_t count, struct copied *copied, struct error *error);

/* The device's own limits again, of those that steps changed. A device that
   refuses them is lost. */
int cuda_limits_restore(struct backend *b, bool granularity, bool carveout,
	struct error *error);

#endif
