#ifndef NEARFAR_CUDA_RUN_H
#define NEARFAR_CUDA_RUN_H

/*
 * The execution of a program: everything that touches device memory from the
 * host (allocation, fills, compiling, zeroed outputs) happens first, then the
 * caches are flushed, then the steps run without anything between them, and
 * the outputs come back at the end.
 */
#include "backend_cuda/backend.h"

int cuda_run(struct backend *b, const struct program *program,
	struct result *result, struct error *error);

#endif
