#include <stdlib.h>

#include "backend_cuda/job_memory.h"
#include "harness/kernel/fill.h"

#define CHUNK_BYTES (UINT64_C(16) << 20)

static int allocate(struct backend *b, const struct job_buffer *buffer,
	uint64_t *address, struct error *error)
{
	const uint64_t bytes = (buffer->bytes + JOB_PAGE_BYTES - 1) /
			       JOB_PAGE_BYTES * JOB_PAGE_BYTES;
	CUdeviceptr pointer = 0;
	cuda_result result = b->driver.cuMemAlloc(&pointer, bytes);

	if (result == CUDA_ERROR_OUT_OF_MEMORY)
		return error_set(error, ERR_SKIPPED,
			"the device has no %.3g GiB of free memory for buffer "
			"'%s' of job '%s'",
			(double)bytes / (1 << 30), buffer->name, b->program);
	*address = result ? 0 : pointer;
	return driver_check(
		&b->driver, result, "cuMemAlloc", b->program, error);
}

static int fill(struct backend *b, const struct job_buffer *buffer,
	uint64_t address, void *chunk, struct error *error)
{
	uint64_t offset, bytes;
	int code = 0;

	if (buffer->fill == JOB_FILL_ZERO)
		return CUDA_CALL(
			b, error, cuMemsetD8, address, 0, buffer->bytes);
	for (offset = 0; !code && offset < buffer->bytes; offset += bytes) {
		bytes = buffer->bytes - offset;
		if (bytes > CHUNK_BYTES)
			bytes = CHUNK_BYTES;
		fill_write(buffer, offset, bytes, chunk);
		code = CUDA_CALL(
			b, error, cuMemcpyHtoD, address + offset, chunk, bytes);
	}
	return code;
}

int cuda_job_memory(struct backend *b, const struct job *job,
	uint64_t *addresses, struct error *error)
{
	void *chunk = malloc(CHUNK_BYTES);
	size_t i;
	int code = 0;

	if (!chunk)
		return error_set(error, ERR_FAILED,
			"no memory to fill the buffers of job '%s'", job->name);
	for (i = 0; !code && i < job->buffer_count; i++)
		code = allocate(b, &job->buffers[i], &addresses[i], error);
	for (i = 0; !code && i < job->buffer_count; i++)
		code = fill(b, &job->buffers[i], addresses[i], chunk, error);
	free(chunk);
	return code;
}

int cuda_job_contents(struct backend *b, const struct job *job,
	const uint64_t *addresses, struct job_result *result,
	struct error *error)
{
	size_t i;
	int code = 0;

	if (job_result_contents(result, job))
		return error_set(error, ERR_FAILED,
			"no memory for the buffers of job '%s'", job->name);
	for (i = 0; !code && i < job->buffer_count; i++)
		code = CUDA_CALL(b, error, cuMemcpyDtoH, result->contents[i],
			addresses[i], job->buffers[i].bytes);
	return code;
}

void cuda_job_memory_free(
	struct backend *b, const struct job *job, const uint64_t *addresses)
{
	size_t i;

	for (i = 0; !b->lost && i < job->buffer_count; i++)
		if (addresses[i])
			b->driver.cuMemFree(addresses[i]);
}
