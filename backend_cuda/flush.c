#include <stdlib.h>

#include "backend_cuda/flush.h"
#include "harness/lower/lower.h"

#define FLUSH_L2_MULTIPLE 4u
#define FLUSH_PASSES      2

static unsigned int next_peer(const struct backend *b, unsigned int place)
{
	while (++place < CUDA_PLACES)
		if ((place == MEMORY_PEER || place >= MEMORY_COUNT) &&
			cuda_memory_in_use(b, place))
			break;
	return place;
}

/* As much as the peer writes in a flush. */
int cuda_flush_reaches(struct backend *b, unsigned place, struct error *error)
{
	const struct cuda_peer *peer = cuda_peer_at(b, place);
	CUdeviceptr scratch;

	return peer ? cuda_memory_take(b, CUDA_USE_SCRATCH, place,
			      FLUSH_L2_MULTIPLE * peer->l2_bytes, &scratch,
			      error)
		    : 0;
}

/* Of the peers whose memory is in use. */
static int take_peers(struct backend *b, struct error *error)
{
	unsigned int place = next_peer(b, 0);
	int code = 0;

	for (; !code && place < CUDA_PLACES; place = next_peer(b, place))
		code = cuda_flush_reaches(b, place, error);
	return code;
}

int cuda_flush_prepare(struct backend *b, CUdeviceptr output,
	struct cuda_launch *flush, struct error *error)
{
	uint64_t bytes = FLUSH_L2_MULTIPLE * b->device.l2_bytes;
	struct ptx_kernel kernel = {.text = NULL};
	CUdeviceptr scratch;
	CUfunction function;
	int code;

	code = cuda_memory_take(
		b, CUDA_USE_SCRATCH, MEMORY_PLAIN, bytes, &scratch, error);
	if (!code)
		code = take_peers(b, error);
	if (!code)
		code = ptx_flush(bytes, &b->device, &kernel, error);
	if (!code)
		code = cuda_module_load(b, kernel.text, &function, error);
	if (!code) {
		*flush = cuda_launch_of(&kernel, function, "the flush");
		flush->parameters[CUDA_PARAMETER_OUTPUT] = output;
		flush->parameters[CUDA_PARAMETER_BUFFER] = scratch;
	}
	ptx_kernel_free(&kernel);
	return code;
}

int cuda_reset(struct backend *b, struct error *error)
{
	if (!b->driver.cuCtxResetPersistingL2Cache ||
		!b->device.persisting_bytes_max)
		return 0; /* nothing persists on such a device */
	return CUDA_CALL(b, error, cuCtxResetPersistingL2Cache);
}

/* A peer's L2 is filled with what the peer itself writes: no kernel of ours
   runs there. */
static int flush_peers(struct backend *b, struct error *error)
{
	unsigned int place = next_peer(b, 0);
	int code = 0;

	for (; !code && place < CUDA_PLACES; place = next_peer(b, place)) {
		const struct cuda_peer *peer = cuda_peer_at(b, place);

		code = cuda_peer_set(b, peer,
			b->memory.blocks[CUDA_USE_SCRATCH][place].address,
			FLUSH_L2_MULTIPLE * peer->l2_bytes,
			"the flush of the peer", error);
	}
	return code;
}

/* Persisting lines outlast a stream of normal reads, so they go first. */
int cuda_flush(
	struct backend *b, const struct cuda_launch *flush, struct error *error)
{
	int pass, code = cuda_reset(b, error);

	for (pass = 0; !code && pass < FLUSH_PASSES; pass++)
		code = cuda_launch(b, flush, error);
	return code ? code : flush_peers(b, error);
}
