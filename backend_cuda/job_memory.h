#ifndef NEARFAR_CUDA_JOB_MEMORY_H
#define NEARFAR_CUDA_JOB_MEMORY_H

/* The buffers of a job: a block each, in whole pages of 2 MiB; and its tensor
   maps, encoded by the driver, and in one allocation. */
#include "backend_cuda/backend.h"

/* Allocates and fills all buffers; `blocks` and `addresses` have room for one
   each and are zero. ERR_SKIPPED where the device has not that much memory, or
   none of the kind. On failure, too, cuda_job_memory_free(). */
int cuda_job_memory(struct backend *b, const struct job *job,
	struct cuda_block *blocks, uint64_t *addresses, struct error *error);

/* Copies all contents into the result. */
int cuda_job_contents(struct backend *b, const struct job *job,
	const struct cuda_block *blocks, struct job_result *result,
	struct error *error);

void cuda_job_memory_free(
	struct backend *b, const struct job *job, struct cuda_block *blocks);

/* ---- job_maps.c ---- */

struct cuda_job_maps {
	CUdeviceptr memory;                       /* 0: none */
	unsigned char (*bytes)[TENSOR_MAP_BYTES]; /* of each; owned */
	uint64_t *addresses;                      /* in `memory`; owned */
};

/* `buffers` has the address of each buffer. ERR_SKIPPED where the driver has no
   tensor maps, ERR_USAGE for a map that it refuses. On failure, too,
   cuda_job_maps_free(). */
int cuda_job_maps_make(struct backend *b, const struct job *job,
	const uint64_t *buffers, struct cuda_job_maps *maps,
	struct error *error);
void cuda_job_maps_free(struct backend *b, struct cuda_job_maps *maps);

#endif
