#include <stdlib.h>
#include <string.h>

#include "backend_cuda/job_memory.h"

static int encode(struct backend *b, const struct job_map *map,
	uint64_t address, unsigned char *bytes, struct error *error)
{
	const struct tensor_map *m = &map->tensor;
	struct cuda_tensor_map made;
	cuda_result result = b->driver.cuTensorMapEncodeTiled(&made, m->type,
		m->rank, (void *)(uintptr_t)address, m->dims, m->strides,
		m->box, m->elements, m->interleave, m->swizzle, m->promotion,
		m->fill);

	if (result == CUDA_ERROR_INVALID_VALUE)
		return error_set(error, ERR_USAGE,
			"the driver refuses tensormap '%s' of job '%s'",
			map->name, b->program);
	memcpy(bytes, made.opaque, TENSOR_MAP_BYTES);
	return driver_check(&b->driver, result, "cuTensorMapEncodeTiled",
		b->program, error);
}

static int allocate(struct backend *b, const struct job *job,
	struct cuda_job_maps *maps, struct error *error)
{
	maps->bytes = calloc(job->map_count, sizeof(*maps->bytes));
	maps->addresses = calloc(job->map_count, sizeof(*maps->addresses));
	if (!maps->bytes || !maps->addresses)
		return error_set(error, ERR_FAILED,
			"no memory for the tensormaps of job '%s'", job->name);
	return CUDA_CALL(b, error, cuMemAlloc, &maps->memory,
		job->map_count * TENSOR_MAP_BYTES);
}

int cuda_job_maps_make(struct backend *b, const struct job *job,
	const uint64_t *buffers, struct cuda_job_maps *maps,
	struct error *error)
{
	size_t i;
	int code;

	*maps = (struct cuda_job_maps){0};
	if (!job->map_count)
		return 0;
	if (!b->driver.cuTensorMapEncodeTiled)
		return error_set(error, ERR_SKIPPED,
			"the driver has no tensor maps: CUDA 12.0 has them");
	code = allocate(b, job, maps, error);
	for (i = 0; !code && i < job->map_count; i++) {
		maps->addresses[i] = maps->memory + i * TENSOR_MAP_BYTES;
		code = encode(b, &job->maps[i], buffers[job->maps[i].buffer],
			maps->bytes[i], error);
	}
	return code ? code
		    : CUDA_CALL(b, error, cuMemcpyHtoD, maps->memory,
			      maps->bytes, job->map_count * TENSOR_MAP_BYTES);
}

void cuda_job_maps_free(struct backend *b, struct cuda_job_maps *maps)
{
	if (maps->memory && !b->lost)
		b->driver.cuMemFree(maps->memory);
	free(maps->bytes);
	free(maps->addresses);
	*maps = (struct cuda_job_maps){0};
}
