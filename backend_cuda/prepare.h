#ifndef NEARFAR_CUDA_PREPARE_H
#define NEARFAR_CUDA_PREPARE_H

/* What a run needs before its first step: memory, data, kernels. */
#include "backend_cuda/flush.h"
#include "backend_cuda/launch.h"
#include "harness/lower/lower.h"

#define CUDA_LAUNCH_NAME_BYTES (PROGRAM_NAME_BYTES + 16)

/* A STEP_LAUNCH, compiled, with its place in the arena. */
struct cuda_step {
	struct ptx_kernel kernel;
	struct cuda_launch launch;
	char name[CUDA_LAUNCH_NAME_BYTES];
	uint64_t output_offset; /* in the arena */
};

struct cuda_prepared {
	const struct program *program;
	CUdeviceptr buffers[PROGRAM_BUFFERS_MAX];
	unsigned places[PROGRAM_BUFFERS_MAX]; /* where they are (memory.h) */
	CUdeviceptr arena;
	uint64_t arena_bytes;
	struct cuda_step steps[PROGRAM_STEPS_MAX]; /* launches only */
	struct cuda_launch flush;
};

/* On failure nothing is left to free. */
int cuda_prepare(struct backend *b, const struct program *program,
	struct cuda_prepared *prepared, struct error *error);

void cuda_prepared_free(struct cuda_prepared *prepared);

#endif
