#ifndef NEARFAR_ROOM_H
#define NEARFAR_ROOM_H

/* How many blocks of a launch are resident at once, and on which SMs; what an
   SM has for them. */
#include "backend_sim/grid/grid.h"

/* Of shared memory that an SM sets aside for the system, a block. */
#define RESERVED_BYTES 1024u

/* Fences of an SM (kernel/fence.c). All zero: none. */
struct fences {
	uint32_t under_way[2]; /* stores, of the phase and of the one before */
	uint8_t phase;         /* of stores that are issued now: 0 or 1 */
	bool accessed;         /* memory, in this phase */
	uint32_t count;        /* fences of the round that is going */
	/* lists of warps + 1, by warp.next: those of the round whose stores
	   have not arrived, and those of the next round */
	uint32_t closing, next;
	uint64_t over; /* the round is, at the earliest */
};

/* Of an SM: launches that are alive at the same time share it. */
struct kernel_sm {
	struct server pipes[SCHEDULERS_MAX][PIPE_COUNT];
	/* to other SMs' memory; of warps that fence; where warps wait */
	struct server remote, fence, meeting;
	struct fences fences;
};

/* Registers of a thread: as the job or the module says, or what is alive at
   once and a few that the assembler keeps besides. An estimate. */
void room_registers(struct grid *g, const struct costs *cost);

/* How many blocks an SM has room for by each of what they take, and the shared
   memory that it sets aside for one. */
void room_limits(const struct grid *g, const struct execution *x,
	uint32_t limits[JOB_LIMIT_COUNT], uint64_t *shared_bytes);

/* What the launch wants an SM to set aside for shared memory at least: what it
   prefers, and one block; 0: the driver chooses. Source: CUDA's occupancy
   calculator, of which a preference bounds the blocks of an SM. */
uint64_t room_carveout(const struct grid *g, const struct execution *x);
/* What its blocks have of it in an SM, and no less than it prefers. */
uint64_t room_shared(const struct grid *g, const struct execution *x);

/* grid.blocks_per_sm; ERR_SKIPPED where an SM has no room for a block. */
int room_of_sm(struct grid *g, const struct execution *x, struct error *error);

/* grid.slot_count and the SM of each slot; ERR_SKIPPED where no GPC has room
   for a cluster. */
int room_places(struct grid *g, struct execution *x, struct error *error);

#endif
