#ifndef NEARFAR_CUDA_PEER_H
#define NEARFAR_CUDA_PEER_H

/*
 * The second GPU, whose memory peer buffers have. What it is, and what links it
 * to the own one, is known from the start. Its memory is opened by the first
 * program that has such a buffer, in the device's primary context, and nothing
 * else is done to it: no kernel of ours runs there.
 */
#include <stdbool.h>

#include "backend_cuda/driver/identity.h"

struct cuda_peer {
	bool there; /* there is a second device */
	int index;
	CUdevice handle;
	struct cuda_identity identity;
	uint64_t l2_bytes;
	int reaches;          /* the own device its memory */
	int performance_rank; /* of links to it, 0 the best */
	int native_atomics;   /* over the link: as NVLink has */
	CUcontext context;    /* its primary one; NULL: not open */
};

struct backend;

/* Finds it, by `number` as in struct backend_config. ERR_USAGE if there is no
   such device, or it is the own one. */
int cuda_peer_find(struct backend *b, int number, struct error *error);

/* Opens its memory, if it is not open. ERR_SKIPPED where there is no peer, or
   its memory is out of reach. */
int cuda_peer_open(struct backend *b, struct error *error);
void cuda_peer_close(struct backend *b);

/* Writes `bytes` of the peer's memory from the peer itself, and waits. */
int cuda_peer_set(struct backend *b, CUdeviceptr address, uint64_t bytes,
	const char *what, struct error *error);

#endif
