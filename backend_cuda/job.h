#ifndef NEARFAR_CUDA_JOB_H
#define NEARFAR_CUDA_JOB_H

/*
 * The execution of a user's kernels as they are. Memory, contents and modules
 * come first; then the caches are flushed and the launches run in order.
 *
 * Nothing can be put into a user's kernel that reads a clock, so a launch is
 * timed by two events around it, and its cycles are that time times the SM
 * clock that NVML tells then. Launches on streams: job_launch.h. The time
 * between two events is a few microseconds longer than the kernel: Nsight
 * Compute's sm__cycles_elapsed.max is the judge (tests/hardware/kernels.py
 * reads it).
 */
#include "backend_cuda/backend.h"

int cuda_job(struct backend *b, const struct job *job,
	const struct job_wishes *wishes, struct job_result *result,
	struct error *error);

#endif
