#ifndef NEARFAR_ROOM_H
#define NEARFAR_ROOM_H

/* How many blocks of a launch are resident at once, and on which SMs; what an
   SM has for them. */
#include "backend_sim/grid/grid.h"

/* Fences of an SM (kernel/fence.c). All zero: none. */
#define FENCE_WORDS 4u
struct fences {
	/* stores under way, of two phases; the phase of those that are issued
	   now, and of those that the round waits for */
	uint32_t under_way[2];
	uint8_t phase, waits;
	uint64_t begun; /* the round, which may wait for its stores */
	uint64_t over;  /* the round is; 0: it waits */
	uint64_t asked; /* the first fence of the next round came */
	uint32_t count; /* fences of the round that are not over */
	bool idle;      /* the round found no slice accessed */
	/* lists of warps + 1, by warp.next: those of the round that waits, and
	   of the next round */
	uint32_t waiting, next;
	uint64_t slices[FENCE_WORDS]; /* that have answered, bits by number */
};

/* Of an SM: launches that are alive at the same time share it. */
struct kernel_sm {
	struct server pipes[SCHEDULERS_MAX][PIPE_COUNT];
	/* to other SMs' memory; where warps wait */
	struct server remote, meeting;
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
