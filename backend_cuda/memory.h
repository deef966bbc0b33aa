#ifndef NEARFAR_CUDA_MEMORY_H
#define NEARFAR_CUDA_MEMORY_H

/*
 * Device memory, kept from run to run: each use (a program's buffer number,
 * the scratch memory of flushes, the arena of controls and outputs) and kind
 * of memory has one block, which is replaced only when a bigger one is
 * needed. Repeats of a program therefore see the same addresses. A program's
 * first buffer lies in a block of a GiB, so that smaller ones see the same
 * physical memory, from one process to the next as a rule. Blocks are
 * whole pages of 2 MiB, so that a buffer's offsets are a page's offsets.
 *
 * A place is a kind of memory, but for peers behind the one of the run, which
 * are places of their own (peer.h). The host's is pinned and mapped; it
 * comes from the NUMA node that the calling thread is bound to, and whoever
 * runs programs binds it near the GPU (host.bound says where).
 */
#include <stdbool.h>

#include "backend_cuda/driver/abi.h"
#include "backend_cuda/peer.h"
#include "harness/base/error.h"
#include "harness/program/program.h"

enum cuda_use {
	CUDA_USE_BUFFER, /* + the buffer's number */
	CUDA_USE_SCRATCH = PROGRAM_BUFFERS_MAX,
	CUDA_USE_ARENA,
	CUDA_USE_COUNT
};

/* One for each kind of memory and for each further peer. */
#define CUDA_PLACES (MEMORY_COUNT + CUDA_PEERS_MAX - 1)

struct cuda_block {
	CUdeviceptr address; /* 0: none */
	uint64_t bytes;
	unsigned place;
	CUmemGenericAllocationHandle handle; /* compressible memory */
	void *host;                          /* the host's: its own address */
	bool taken;                          /* by the run under way */
};

struct cuda_memory {
	struct cuda_block blocks[CUDA_USE_COUNT][CUDA_PLACES];
};

struct backend;

/*
 * At least `bytes` of memory. ERR_SKIPPED where the device does not have
 * that much free, or no memory of that kind.
 */
int cuda_memory_take(struct backend *b, unsigned int use, unsigned place,
	uint64_t bytes, CUdeviceptr *address, struct error *error);

/* A block that is not kept for other runs; cuda_block_free() ends it. Errors of
   cuda_memory_take(). */
int cuda_block_make(struct backend *b, unsigned place, uint64_t bytes,
	struct cuda_block *block, struct error *error);
void cuda_block_free(struct backend *b, struct cuda_block *block);

/* Writes zeros to the first bytes of a block, from where the memory is, and
   waits if that is not this GPU. */
int cuda_block_zero(struct backend *b, const struct cuda_block *block,
	uint64_t bytes, struct error *error);

/* Writes zeros to the first bytes of what was taken, from where the memory
   is, and waits if that is not this GPU. */
int cuda_memory_zero(struct backend *b, unsigned int use, unsigned place,
	uint64_t bytes, struct error *error);

/* Whether the run under way has memory there. */
bool cuda_memory_in_use(const struct backend *b, unsigned place);

/* Every block may be replaced again. */
void cuda_memory_give_back(struct backend *b);

void cuda_memory_free(struct backend *b);

#endif
