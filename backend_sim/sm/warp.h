#ifndef NEARFAR_WARP_H
#define NEARFAR_WARP_H

/*
 * Warps, which execute the kernel, and the blocks that they belong to.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/core/request.h"

enum warp_state {
	WARP_READY,    /* has an event */
	WARP_VALUES,   /* waits for its loads */
	WARP_ANSWERED, /* and for copies into shared memory */
	WARP_DRAINED,  /* waits for everything, also stores */
	WARP_REACHED,  /* and for those that have left the chip */
	WARP_BARRIER,
	WARP_CREDIT, /* on its SM's list */
	WARP_ASLEEP, /* kernels: at an asynchronous barrier */
	WARP_COPIES, /* kernels: until bulk copies are over */
	WARP_GRID,   /* kernels: until another launch is over */
	WARP_DONE,
};

/* What each event looks at comes first: a line of the host's cache. */
struct warp {
	_Alignas(64) uint64_t ready; /* cycle of the next issue */
	uint32_t loose, far;  /* stores under way; that have left the chip */
	uint32_t block_index; /* in execution.blocks */
	uint32_t next;        /* on a credit or barrier list */
	uint32_t index;       /* in its block */
	uint16_t sm;
	uint8_t state;
	uint8_t scheduler;    /* of its SM */
	bool issued;          /* has its slot of the scheduler */
	bool booked;          /* has its slot in the load/store pipe */
	uint32_t global;      /* of the launch: block * warps + index */
	uint32_t way_ticks;   /* that the last access has booked of that way */
	uint64_t asked;       /* cycle: ready for the access that it issues */
	uint64_t stored_at;   /* cycle of its last store, */
	uint32_t stored;      /* what that was: a key, 0: none; */
	uint32_t stored_from; /* its first line, counted in the SM */
	uint32_t store_turn;  /* of the scheduler's stores, which it was */
	uint64_t kernel_policy; /* of the access that a kernel's warp issues, if
				   it has one, as policy.h has it */
	/* kernels: the cycle in which its fence is over, at the earliest, 0: it
	   has none; it empties L1, too */
	uint64_t fence_over;
	bool fence_empties;
};

struct block {
	uint32_t index, first_warp, live;
	/* at the barrier: a list of warps, and the cycle of the last arrival;
	   once it has ended, the next place of its SM that is free, and from
	   when on this one may be taken */
	uint32_t waiting;
	uint64_t met;
	uint16_t sm;
};

#endif
