#ifndef NEARFAR_JOB_OCCUPANCY_H
#define NEARFAR_JOB_OCCUPANCY_H

/*
 * How full the SMs were in a launch: blocks and warps that an SM holds by what
 * limits them, and those that were there. An SM works while a warp of the
 * launch is resident on it.
 */
#include <stdint.h>

/* What limits the blocks that an SM holds at once. */
#define JOB_LIMITS(L)                                                          \
	L(WARPS, "warps")                                                      \
	L(REGISTERS, "registers")                                              \
	L(SHARED, "shared_memory")                                             \
	L(BLOCKS, "blocks")

enum job_limit {
#define JOB_LIMIT_ENUM(name, text) JOB_LIMIT_##name,
	JOB_LIMITS(JOB_LIMIT_ENUM)
#undef JOB_LIMIT_ENUM
		JOB_LIMIT_COUNT
};

extern const char *const job_limit_names[JOB_LIMIT_COUNT];

#define JOB_SPANS 64u

/* A part of the launch's time. */
struct job_span {
	double warps; /* that were resident on the chip, on the mean */
	uint32_t sms; /* that worked in it, were it for a cycle */
};

struct job_occupancy {
	uint32_t sms;          /* of the chip; 0: nothing is known */
	uint32_t warps_per_sm; /* that one holds at most */
	uint32_t block_threads, block_warps;
	uint32_t cluster_blocks; /* 1: there are no clusters */
	uint32_t registers;      /* of a thread */
	uint64_t shared_bytes;   /* of a block, the driver's among them */
	uint64_t blocks;         /* of the grid */
	uint32_t blocks_per_sm;  /* that one holds at once: the least of */
	uint32_t limits[JOB_LIMIT_COUNT];
	uint32_t sms_used;
	double cycles;       /* from the first resident warp to the last end */
	double drain_cycles; /* after that, until all that was asked for has
				been answered */
	double warp_cycles;  /* resident warps, summed over these */
	double tail_cycles;  /* from the first SM that has nothing to do any
				more to the last end */
	double idle_cycles;  /* of SMs that had none yet or none any more; the
				sum over all SMs */
	double start_cycles; /* of these, those of SMs that had none yet */
	double span_cycles;  /* of each span */
	uint32_t span_count;
	struct job_span spans[JOB_SPANS];
};

#endif
