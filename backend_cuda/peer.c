#include <string.h>

#include "backend_cuda/launch.h"

static int choose(struct backend *b, int number, struct error *error)
{
	const int index = number ? number - 1 : (b->index + 1) % b->count;

	if (number && (index < 0 || index >= b->count))
		return error_set(error, ERR_USAGE,
			"no CUDA device '%d' to be the peer: %d %s visible",
			index, b->count, b->count == 1 ? "is" : "are");
	if (number && index == b->index)
		return error_set(error, ERR_USAGE,
			"CUDA device '%d' cannot be its own peer", index);
	b->peer.index = index;
	b->peer.there = index != b->index;
	return 0;
}

static int read_link(struct backend *b, struct error *error)
{
	struct cuda_peer *peer = &b->peer;
	int code = CUDA_CALL(b, error, cuDeviceCanAccessPeer, &peer->reaches,
		b->handle, peer->handle);

	if (!code && peer->reaches)
		code = CUDA_CALL(b, error, cuDeviceGetP2PAttribute,
			&peer->performance_rank,
			CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, b->handle,
			peer->handle);
	if (!code && peer->reaches)
		code = CUDA_CALL(b, error, cuDeviceGetP2PAttribute,
			&peer->native_atomics,
			CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
			b->handle, peer->handle);
	return code;
}

int cuda_peer_find(struct backend *b, int number, struct error *error)
{
	struct cuda_peer *peer = &b->peer;
	int l2_bytes = 0, code = choose(b, number, error);

	if (code || !peer->there)
		return code;
	code = CUDA_CALL(b, error, cuDeviceGet, &peer->handle, peer->index);
	if (!code)
		code = cuda_identify(
			&b->driver, peer->handle, &peer->identity, error);
	if (!code)
		code = CUDA_CALL(b, error, cuDeviceGetAttribute, &l2_bytes,
			CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, peer->handle);
	peer->l2_bytes = (uint64_t)l2_bytes;
	return code ? code : read_link(b, error);
}

int cuda_peer_open(struct backend *b, struct error *error)
{
	struct cuda_peer *peer = &b->peer;
	CUcontext context = NULL;
	int code;

	if (peer->context)
		return 0;
	if (!peer->there)
		return error_set(error, ERR_SKIPPED,
			"peer memory needs a second GPU, and '%s' is the only "
			"one that is visible",
			b->device.name);
	if (!peer->reaches)
		return error_set(error, ERR_SKIPPED,
			"'%s' (device %d) cannot reach the memory of '%s' "
			"(device %d)",
			b->device.name, b->index, peer->identity.name,
			peer->index);
	code = CUDA_CALL(
		b, error, cuDevicePrimaryCtxRetain, &context, peer->handle);
	if (code)
		return code;
	code = CUDA_CALL(b, error, cuCtxEnablePeerAccess, context, 0);
	if (code)
		b->driver.cuDevicePrimaryCtxRelease(peer->handle);
	else
		peer->context = context;
	return code;
}

void cuda_peer_close(struct backend *b)
{
	if (b->peer.context)
		b->driver.cuDevicePrimaryCtxRelease(b->peer.handle);
	b->peer.context = NULL;
}

int cuda_peer_set(struct backend *b, CUdeviceptr address, uint64_t bytes,
	const char *what, struct error *error)
{
	int code = CUDA_CALL(b, error, cuCtxSetCurrent, b->peer.context);
	int back;

	if (code)
		return code;
	code = CUDA_CALL(b, error, cuMemsetD8, address, 0, bytes);
	if (!code)
		code = cuda_launch_wait(b, what, error);
	back = CUDA_CALL(b, code ? NULL : error, cuCtxSetCurrent, b->context);
	return code ? code : back;
}
