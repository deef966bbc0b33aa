#ifndef NEARFAR_LOWER_BODY_H
#define NEARFAR_LOWER_BODY_H

/*
 * The body of one role as PTX. The code keeps to the execution rules of
 * program.h: the values of an iteration's loads are all folded into
 * accumulators before the next iteration, whose addresses depend on them by
 * way of a zero that only the device knows, so that no assembler can overlap,
 * hoist or drop a load.
 */
#include "harness/program/address.h"
#include "harness/lower/writer.h"

/* Control words, as byte offsets in the control buffer. */
enum {
	PTX_CONTROL_ARRIVED = 0,
	PTX_CONTROL_DONE = 128,
	PTX_CONTROL_TURN = 256,
	PTX_CONTROL_ROLES = 384, /* claims of PLACE_BLOCKS roles */
	PTX_CONTROL_SMS = 1024,  /* claims per SM */
};

#define PTX_RELEASE_FENCE_VERSION 86 /* PTX 8.6 */
#define PTX_WARP_BARRIER_VERSION  60
#define PTX_FENCE_ARCH            70
#define PTX_SLEEP_ARCH            70

/* What the instructions of a role can refer to; registers by number. */
struct ptx_body {
	struct ptx_writer *w;
	const struct program *p;
	const struct role *role;
	unsigned base[PROGRAM_BUFFERS_MAX];    /* d: buffer addresses */
	unsigned chase[PROGRAM_BUFFERS_MAX];   /* d: current link (address),
						  one for each ring */
	unsigned policy[PROGRAM_POLICIES_MAX]; /* d */
	unsigned tid, lane, warp, block;       /* r */
	unsigned global_warp;                  /* r: block * warps + warp */
	unsigned lane0, thread0;               /* p */
	unsigned sum32, sum64;                 /* accumulators */
	unsigned zero;    /* d: a zero that the assembler cannot know, nor
			     that it is the same in every lane: it would turn
			     a warp's atomics on one word into a single one */
	unsigned zero32;  /* r: its low half */
	uint32_t chased;  /* bit i: the role chases the ring that begins in
			     buffer i */
	unsigned output;  /* d */
	unsigned stage;   /* r: the thread's 4 bytes of shared memory */
	uint32_t samples; /* static shared offset: 4 B a sample */
	uint32_t blocks;  /* of the role */
	const struct ptx_kernel *kernel; /* the regions' places */
	const struct region *regions;    /* of the program */
	size_t region_count;
	uint32_t drain_first; /* the first block that waits for what a region
				 wrote; 0: all, for all are there at once */
	bool release_fences;  /* PTX 8.6 for sm_90 has them */
	bool fences;          /* sm_70 has them; before that membar */
	bool at_barrier;      /* nothing since the last bar.sync waits for it */
	/* regions that are done, whose records the end of the role writes */
	struct ptx_timed {
		const struct ptx_region *place;
		unsigned start, stop; /* d: clocks */
	} timed[PROGRAM_REGIONS_MAX];
	size_t timed_count;
	/* while inside loops */
	unsigned depth;
	unsigned counter[PROGRAM_DEPTH_MAX]; /* r */
};

/* Do instructions [first, end) leave writes that nothing waits for? */
bool ptx_writes(const struct program *p, uint32_t first, uint32_t end);

/* Emits instructions [first, end) of the program at the current depth. */
void ptx_body_range(struct ptx_body *b, uint32_t first, uint32_t end);

#endif
