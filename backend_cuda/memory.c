#include <string.h>

#include "backend_cuda/backend.h"

#define PAGE_BYTES (UINT64_C(2) << 20)
/* The first buffer's block has as much where there is so much, or this share of
   the memory: so that programs of all sizes, and of other processes, find it at
   the same physical address, where lines have the same homes and slices. */
#define LEAST_BYTES (UINT64_C(1) << 30)
#define LEAST_SHARE 64

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* ---- giving back ---- */

static void release_plain(struct backend *b, const struct cuda_block *block)
{
	b->driver.cuMemFree(block->address);
}

static void release_compressible(
	struct backend *b, const struct cuda_block *block)
{
	b->driver.cuMemUnmap(block->address, block->bytes);
	b->driver.cuMemRelease(block->handle);
	b->driver.cuMemAddressFree(block->address, block->bytes);
}

static void release_peer(struct backend *b, const struct cuda_block *block)
{
	b->driver.cuCtxSetCurrent(cuda_peer_at(b, block->place)->context);
	b->driver.cuMemFree(block->address);
	b->driver.cuCtxSetCurrent(b->context);
}

static void release_host(struct backend *b, const struct cuda_block *block)
{
	b->driver.cuMemFreeHost(block->host);
}

static enum memory_kind kind_of(unsigned place)
{
	return place < MEMORY_COUNT ? place : MEMORY_PEER;
}

void cuda_block_free(struct backend *b, struct cuda_block *block)
{
	static void (*const kinds[MEMORY_COUNT])(
		struct backend * b, const struct cuda_block *block) = {
		[MEMORY_PLAIN] = release_plain,
		[MEMORY_COMPRESSIBLE] = release_compressible,
		[MEMORY_PEER] = release_peer,
		[MEMORY_HOST] = release_host,
	};

	if (!block->address)
		return;
	kinds[kind_of(block->place)](b, block);
	memset(block, 0, sizeof(*block));
}

static void release_idle(struct backend *b)
{
	unsigned int use, place;

	for (use = 0; use < CUDA_USE_COUNT; use++)
		for (place = 0; place < CUDA_PLACES; place++) {
			struct cuda_block *block =
				&b->memory.blocks[use][place];

			if (!block->taken)
				cuda_block_free(b, block);
		}
}

/* ---- taking ---- */

static uint64_t least_bytes(const struct backend *b)
{
	const uint64_t share = b->device.memory_bytes / LEAST_SHARE;

	return share < LEAST_BYTES ? share / PAGE_BYTES * PAGE_BYTES
				   : LEAST_BYTES;
}

static cuda_result allocate_plain(
	struct backend *b, uint64_t bytes, struct cuda_block *block)
{
	cuda_result result;

	block->bytes = round_up(bytes, PAGE_BYTES);
	result = b->driver.cuMemAlloc(&block->address, block->bytes);
	if (result)
		memset(block, 0, sizeof(*block));
	return result;
}

/* Whether the driver kept the compression it was asked for. */
static cuda_result confirm_compression(
	struct backend *b, CUmemGenericAllocationHandle handle)
{
	struct cuda_mem_allocation_prop prop;
	cuda_result result;

	memset(&prop, 0, sizeof(prop));
	result =
		b->driver.cuMemGetAllocationPropertiesFromHandle(&prop, handle);
	if (result)
		return result;
	return prop.allocFlags.compressionType == CU_MEM_ALLOCATION_COMP_GENERIC
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_NOT_SUPPORTED;
}

static cuda_result map_block(struct backend *b, struct cuda_block *block)
{
	const struct driver *d = &b->driver;
	struct cuda_mem_access_desc access = {
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, b->handle},
		.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
	};
	cuda_result result;

	result = d->cuMemAddressReserve(
		&block->address, block->bytes, PAGE_BYTES, 0, 0);
	if (result)
		return result;
	result = d->cuMemMap(block->address, block->bytes, 0, block->handle, 0);
	if (result)
		goto free_address;
	result = d->cuMemSetAccess(block->address, block->bytes, &access, 1);
	if (!result)
		return CUDA_SUCCESS;
	d->cuMemUnmap(block->address, block->bytes);
free_address:
	d->cuMemAddressFree(block->address, block->bytes);
	return result;
}

static cuda_result allocate_compressible(
	struct backend *b, uint64_t bytes, struct cuda_block *block)
{
	const struct driver *d = &b->driver;
	struct cuda_mem_allocation_prop prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, b->handle},
		.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC,
	};
	size_t granularity_bytes = PAGE_BYTES;
	cuda_result result;

	result = d->cuMemGetAllocationGranularity(&granularity_bytes, &prop,
		CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
	if (result)
		return result;
	block->bytes = round_up(round_up(bytes, PAGE_BYTES), granularity_bytes);
	result = d->cuMemCreate(&block->handle, block->bytes, &prop, 0);
	if (result)
		goto out;
	result = confirm_compression(b, block->handle);
	if (!result)
		result = map_block(b, block);
	if (result)
		d->cuMemRelease(block->handle);
out:
	if (result)
		memset(block, 0, sizeof(*block));
	return result;
}

static bool compressible(const struct backend *b)
{
	const struct driver *d = &b->driver;

	return b->attributes.compression && b->attributes.virtual_memory &&
	       d->cuMemGetAllocationGranularity && d->cuMemCreate &&
	       d->cuMemRelease && d->cuMemAddressReserve &&
	       d->cuMemAddressFree && d->cuMemMap && d->cuMemUnmap &&
	       d->cuMemSetAccess && d->cuMemGetAllocationPropertiesFromHandle;
}

static cuda_result allocate_peer(
	struct backend *b, uint64_t bytes, struct cuda_block *block)
{
	const struct cuda_peer *peer = cuda_peer_at(b, block->place);
	cuda_result result = b->driver.cuCtxSetCurrent(peer->context), back;

	if (result)
		return result;
	result = allocate_plain(b, bytes, block);
	back = b->driver.cuCtxSetCurrent(b->context);
	/* The block is kept, and given back with the others. */
	return result ? result : back;
}

static cuda_result allocate_host(
	struct backend *b, uint64_t bytes, struct cuda_block *block)
{
	const struct driver *d = &b->driver;
	cuda_result result;

	block->bytes = round_up(bytes, PAGE_BYTES);
	result = d->cuMemHostAlloc(&block->host, block->bytes,
		CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
	if (!result) {
		result = d->cuMemHostGetDevicePointer(
			&block->address, block->host, 0);
		if (result)
			d->cuMemFreeHost(block->host);
	}
	if (result)
		memset(block, 0, sizeof(*block));
	return result;
}

static cuda_result allocate_first(
	struct backend *b, uint64_t bytes, struct cuda_block *block)
{
	const uint64_t least = least_bytes(b);
	cuda_result result = CUDA_ERROR_OUT_OF_MEMORY;

	if (bytes < least)
		result = allocate_plain(b, least, block);
	return result == CUDA_ERROR_OUT_OF_MEMORY
		       ? allocate_plain(b, bytes, block)
		       : result;
}

static int allocate(struct backend *b, unsigned int use, unsigned place,
	uint64_t bytes, struct cuda_block *block, struct error *error)
{
	const enum memory_kind memory = kind_of(place);
	static const struct {
		cuda_result (*allocate)(struct backend *b, uint64_t bytes,
			struct cuda_block *block);
		const char *call, *owner;
	} kinds[MEMORY_COUNT] = {
		[MEMORY_PLAIN] = {allocate_plain, "cuMemAlloc", "device"},
		[MEMORY_COMPRESSIBLE] = {allocate_compressible, "cuMemCreate",
			"device"},
		[MEMORY_PEER] = {allocate_peer, "cuMemAlloc of the peer",
			"peer device"},
		[MEMORY_HOST] = {allocate_host, "cuMemHostAlloc", "host"},
	};
	/* The first buffers of programs: the place is the same for all. */
	cuda_result (*const make)(
		struct backend * b, uint64_t bytes, struct cuda_block * block) =
		use == CUDA_USE_BUFFER && memory == MEMORY_PLAIN
			? allocate_first
			: kinds[memory].allocate;
	cuda_result result;

	block->place = place;
	result = make(b, bytes, block);
	if (result == CUDA_ERROR_OUT_OF_MEMORY) {
		release_idle(b);
		block->place = place;
		result = make(b, bytes, block);
	}
	if (result == CUDA_ERROR_OUT_OF_MEMORY)
		return error_set(error, ERR_SKIPPED,
			"the %s has no %.3g GiB of free memory for program "
			"'%s'",
			kinds[memory].owner, (double)bytes / (1 << 30),
			b->program);
	if (result == CUDA_ERROR_NOT_SUPPORTED)
		return error_set(error, ERR_SKIPPED,
			"the device gave no compressible memory for program "
			"'%s'",
			b->program);
	return driver_check(
		&b->driver, result, kinds[memory].call, b->program, error);
}

static int make_block(struct backend *b, unsigned int use, unsigned place,
	uint64_t bytes, struct cuda_block *block, struct error *error)
{
	if (place == MEMORY_COMPRESSIBLE && !compressible(b))
		return error_set(error, ERR_SKIPPED,
			"the device has no compressible memory");
	return allocate(b, use, place, bytes, block, error);
}

int cuda_block_make(struct backend *b, unsigned place, uint64_t bytes,
	struct cuda_block *block, struct error *error)
{
	return make_block(b, CUDA_USE_COUNT, place, bytes, block, error);
}

int cuda_memory_take(struct backend *b, unsigned int use, unsigned place,
	uint64_t bytes, CUdeviceptr *address, struct error *error)
{
	struct cuda_block *block = &b->memory.blocks[use][place];
	int code;

	if (block->bytes < bytes) {
		cuda_block_free(b, block);
		code = make_block(b, use, place, bytes, block, error);
		if (code)
			return code;
	}
	block->taken = true;
	*address = block->address;
	return 0;
}

int cuda_block_zero(struct backend *b, const struct cuda_block *block,
	uint64_t bytes, struct error *error)
{
	const struct cuda_peer *peer = cuda_peer_at(b, block->place);

	if (peer)
		return cuda_peer_set(b, peer, block->address, bytes,
			"the fill of the peer", error);
	if (block->place == MEMORY_HOST) {
		memset(block->host, 0, bytes);
		return 0;
	}
	return CUDA_CALL(b, error, cuMemsetD8, block->address, 0, bytes);
}

int cuda_memory_zero(struct backend *b, unsigned int use, unsigned place,
	uint64_t bytes, struct error *error)
{
	return cuda_block_zero(b, &b->memory.blocks[use][place], bytes, error);
}

bool cuda_memory_in_use(const struct backend *b, unsigned place)
{
	unsigned int use;

	for (use = 0; use < CUDA_USE_COUNT; use++)
		if (b->memory.blocks[use][place].taken)
			return true;
	return false;
}

void cuda_memory_give_back(struct backend *b)
{
	unsigned int use, place;

	for (use = 0; use < CUDA_USE_COUNT; use++)
		for (place = 0; place < CUDA_PLACES; place++)
			b->memory.blocks[use][place].taken = false;
}

void cuda_memory_free(struct backend *b)
{
	cuda_memory_give_back(b);
	release_idle(b);
}
