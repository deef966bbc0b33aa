#include <string.h>

#include "backend_cuda/launch.h"

static int choose(
	struct backend *b, int number, int *index, struct error *error)
{
	*index = number ? number - 1 : (b->index + 1) % b->count;
	if (number && (*index < 0 || *index >= b->count))
		return error_set(error, ERR_USAGE,
			"no CUDA device '%d' to be the peer: %d %s visible",
			*index, b->count, b->count == 1 ? "is" : "are");
	if (number && *index == b->index)
		return error_set(error, ERR_USAGE,
			"CUDA device '%d' cannot be its own peer", *index);
	return 0;
}

static int read_link(
	struct backend *b, struct cuda_peer *peer, struct error *error)
{
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

static int find(struct backend *b, struct cuda_peer *peer, int index,
	struct error *error)
{
	int l2_bytes = 0, code;

	peer->index = index;
	peer->there = index != b->index;
	if (!peer->there)
		return 0;
	code = CUDA_CALL(b, error, cuDeviceGet, &peer->handle, peer->index);
	if (!code)
		code = cuda_identify(
			&b->driver, peer->handle, &peer->identity, error);
	if (!code)
		code = CUDA_CALL(b, error, cuDeviceGetAttribute, &l2_bytes,
			CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, peer->handle);
	peer->l2_bytes = (uint64_t)l2_bytes;
	return code ? code : read_link(b, peer, error);
}

int cuda_peer_find(struct backend *b, int number, struct error *error)
{
	int index, code = choose(b, number, &index, error);

	return code ? code : find(b, &b->peers[0], index, error);
}

/* ---- places ---- */

static unsigned place_of(unsigned slot)
{
	return slot ? MEMORY_COUNT + slot - 1 : MEMORY_PEER;
}

struct cuda_peer *cuda_peer_at(struct backend *b, unsigned place)
{
	if (place >= MEMORY_COUNT)
		return &b->peers[place - MEMORY_COUNT + 1];
	return place == MEMORY_PEER ? &b->peers[0] : NULL;
}

static int open_memory(
	struct backend *b, struct cuda_peer *peer, struct error *error)
{
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

/* The slot of a device, which is found if nobody asked for it before. */
static int find_slot(
	struct backend *b, int index, unsigned *slot, struct error *error)
{
	for (*slot = 0; *slot < CUDA_PEERS_MAX; ++*slot) {
		struct cuda_peer *peer = &b->peers[*slot];

		if (peer->there && peer->index == index)
			return 0;
		if (*slot && !peer->there)
			return find(b, peer, index, error);
	}
	return error_set(error, ERR_SKIPPED,
		"the memory of more than %d peers is in use", CUDA_PEERS_MAX);
}

int cuda_peer_place(struct backend *b, const char *name, unsigned memory,
	unsigned peer, unsigned *place, struct error *error)
{
	unsigned slot = 0;
	int code = 0;

	*place = memory;
	if (memory != MEMORY_PEER)
		return 0;
	if (peer >= (unsigned)b->count)
		return error_set(error, ERR_SKIPPED,
			"buffer '%s' is in the memory of peer %u, and of '%s' "
			"there %s %d",
			name, peer, b->device.name,
			b->count == 2 ? "is" : "are", b->count - 1);
	if (peer)
		code = find_slot(
			b, (b->index + (int)peer) % b->count, &slot, error);
	if (!code)
		code = open_memory(b, &b->peers[slot], error);
	if (!code)
		*place = place_of(slot);
	return code;
}

void cuda_peer_close(struct backend *b)
{
	unsigned i;

	for (i = 0; i < CUDA_PEERS_MAX; i++) {
		if (b->peers[i].context)
			b->driver.cuDevicePrimaryCtxRelease(b->peers[i].handle);
		b->peers[i].context = NULL;
	}
}

int cuda_peer_set(struct backend *b, const struct cuda_peer *peer,
	CUdeviceptr address, uint64_t bytes, const char *what,
	struct error *error)
{
	int code = CUDA_CALL(b, error, cuCtxSetCurrent, peer->context);
	int back;

	if (code)
		return code;
	code = CUDA_CALL(b, error, cuMemsetD8, address, 0, bytes);
	if (!code)
		code = cuda_launch_wait(b, what, error);
	back = CUDA_CALL(b, code ? NULL : error, cuCtxSetCurrent, b->context);
	return code ? code : back;
}
