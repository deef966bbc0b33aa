#include <stdlib.h>
#include <string.h>

#include "backend_cuda/flush.h"
#include "backend_cuda/job_memory.h"
#include "harness/kernel/fill.h"

#define CHUNK_BYTES (UINT64_C(16) << 20)

static int allocate(struct backend *b, const struct job_buffer *buffer,
	struct cuda_block *block, struct error *error)
{
	unsigned place = MEMORY_PLAIN;
	int code = cuda_peer_place(
		b, buffer->name, buffer->memory, buffer->peer, &place, error);

	if (code)
		return code;
	code = cuda_block_make(b, place, buffer->bytes, block, error);
	if (code)
		return error_prefix(error, code, "buffer '%s': ", buffer->name);
	return cuda_flush_reaches(b, place, error);
}

static int write_chunk(struct backend *b, const struct cuda_block *block,
	uint64_t offset, const void *chunk, uint64_t bytes, struct error *error)
{
	if (block->host) {
		memcpy((char *)block->host + offset, chunk, bytes);
		return 0;
	}
	return CUDA_CALL(
		b, error, cuMemcpyHtoD, block->address + offset, chunk, bytes);
}

static int fill(struct backend *b, const struct job_buffer *buffer,
	const struct cuda_block *block, void *chunk, struct error *error)
{
	uint64_t offset, bytes;
	int code = 0;

	if (buffer->fill == JOB_FILL_ZERO)
		return cuda_block_zero(b, block, buffer->bytes, error);
	for (offset = 0; !code && offset < buffer->bytes; offset += bytes) {
		bytes = buffer->bytes - offset;
		if (bytes > CHUNK_BYTES)
			bytes = CHUNK_BYTES;
		fill_write(buffer, offset, bytes, chunk);
		code = write_chunk(b, block, offset, chunk, bytes, error);
	}
	return code;
}

int cuda_job_memory(struct backend *b, const struct job *job,
	struct cuda_block *blocks, uint64_t *addresses, struct error *error)
{
	void *chunk = malloc(CHUNK_BYTES);
	size_t i;
	int code = 0;

	if (!chunk)
		return error_set(error, ERR_FAILED,
			"no memory to fill the buffers of job '%s'", job->name);
	for (i = 0; !code && i < job->buffer_count; i++) {
		code = allocate(b, &job->buffers[i], &blocks[i], error);
		addresses[i] = blocks[i].address;
	}
	for (i = 0; !code && i < job->buffer_count; i++)
		code = fill(b, &job->buffers[i], &blocks[i], chunk, error);
	free(chunk);
	return code;
}

int cuda_job_contents(struct backend *b, const struct job *job,
	const struct cuda_block *blocks, struct job_result *result,
	struct error *error)
{
	size_t i;
	int code = 0;

	if (job_result_contents(result, job))
		return error_set(error, ERR_FAILED,
			"no memory for the buffers of job '%s'", job->name);
	for (i = 0; !code && i < job->buffer_count; i++)
		if (blocks[i].host)
			memcpy(result->contents[i], blocks[i].host,
				job->buffers[i].bytes);
		else
			code = CUDA_CALL(b, error, cuMemcpyDtoH,
				result->contents[i], blocks[i].address,
				job->buffers[i].bytes);
	return code;
}

void cuda_job_memory_free(
	struct backend *b, const struct job *job, struct cuda_block *blocks)
{
	size_t i;

	for (i = 0; !b->lost && i < job->buffer_count; i++)
		cuda_block_free(b, &blocks[i]);
}
