#ifndef NEARFAR_CUDA_PEER_H
#define NEARFAR_CUDA_PEER_H

/*
 * Other GPUs, whose memory peer buffers have. Which one is the peer of the run,
 * and what links it to the own one, is known from the start; further ones are
 * found when a program asks for them. The memory of a peer is opened by the
 * first program that has such a buffer, in the device's primary context, and
 * nothing else is done to it: no kernel of ours runs there.
 */
#include <stdbool.h>

#include "backend_cuda/driver/identity.h"

struct cuda_peer {
	bool there; /* there is such a device */
	int index;
	CUdevice handle;
	struct cuda_identity identity;
	uint64_t l2_bytes;
	int reaches;          /* the own device its memory */
	int performance_rank; /* of links to it, 0 the best */
	int native_atomics;   /* over the link: as NVLink has */
	CUcontext context;    /* its primary one; NULL: not open */
};

#define CUDA_PEERS_MAX 16

struct backend;

/* Finds the peer of the run, by `number` as in struct backend_config. ERR_USAGE
   if there is no such device, or it is the own one. */
int cuda_peer_find(struct backend *b, int number, struct error *error);

/* The place (memory.h) of a buffer, by its name, kind of memory and peer; its
   peer's memory is opened, if it is not open. ERR_SKIPPED where there is no
   such peer, or its memory is out of reach. */
int cuda_peer_place(struct backend *b, const char *name, unsigned memory,
	unsigned peer, unsigned *place, struct error *error);
/* The peer whose memory a place is; NULL: it is no peer's. */
struct cuda_peer *cuda_peer_at(struct backend *b, unsigned place);
void cuda_peer_close(struct backend *b);

/* Writes `bytes` of a peer's memory from the peer itself, and waits. */
int cuda_peer_set(struct backend *b, const struct cuda_peer *peer,
	CUdeviceptr address, uint64_t bytes, const char *what,
	struct error *error);

#endif
