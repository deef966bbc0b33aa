#ifndef NEARFAR_CUDA_PEER_H
#define NEARFAR_CUDA_PEER_H

/*
 * The second GPU, whose memory peer buffers have. It is opened by the first
 * program that has such a buffer, in the device's primary context, and nothing
 * else is done to it: no kernel of ours runs there.
 */
#include <stdbool.h>

#include "backend_cuda/identity.h"

struct cuda_peer {
	int index;
	CUdevice handle;
	CUcontext context; /* its primary one; NULL: not open */
	struct cuda_identity identity;
	uint64_t l2_bytes;
	int performance_rank; /* of links to it, 0 the best */
	int native_atomics;   /* over the link: as NVLink has */
};

struct backend;

/* Which device it will be: `number` as in struct backend_config. ERR_USAGE if
   there is no such device, or it is the own one. */
int cuda_peer_choose(struct backend *b, int number, struct error *error);

/* Opens it, if it is not open. ERR_SKIPPED where there is none, or its memory
   is out of reach. */
int cuda_peer_open(struct backend *b, struct error *error);
void cuda_peer_close(struct backend *b);

/* Writes `bytes` of the peer's memory from the peer itself, and waits. */
int cuda_peer_set(struct backend *b, CUdeviceptr address, uint64_t bytes,
	const char *what, struct error *error);

#endif
