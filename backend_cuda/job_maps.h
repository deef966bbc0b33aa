#ifndef NEARFAR_CUDA_JOB_MAPS_H
#define NEARFAR_CUDA_JOB_MAPS_H

/* The tensor maps of a job: encoded by the driver, and in one allocation. */
#include "backend_cuda/backend.h"

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
