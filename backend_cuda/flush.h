#ifndef NEARFAR_CUDA_FLUSH_H
#define NEARFAR_CUDA_FLUSH_H

/* A cold L2: persisting lines become normal ones, and a kernel reads four
   times as much as L2 holds, twice. */
#include "backend_cuda/launch.h"

/* Takes the memory and compiles the kernel; `output` has room for its four
   bytes. */
int cuda_flush_prepare(struct backend *b, CUdeviceptr output,
	struct cuda_launch *flush, struct error *error);

/* A block of cuda_block_make() is in the memory of a place: if that is a
   peer's, flushes empty that peer's L2, too. Before cuda_flush_prepare().
   Errors of cuda_memory_take(). */
int cuda_flush_reaches(struct backend *b, unsigned place, struct error *error);

int cuda_flush(struct backend *b, const struct cuda_launch *flush,
	struct error *error);

/* Turns persisting lines back to normal. */
int cuda_reset(struct backend *b, struct error *error);

#endif
