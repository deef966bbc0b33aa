#ifndef NEARFAR_ROOM_H
#define NEARFAR_ROOM_H

/* How many blocks of a launch are resident at once, and on which SMs. */
#include "backend_sim/grid/grid.h"

/* Registers of a thread: as the job or the module says, or what is alive at
   once and a few that the assembler keeps besides. An estimate. */
void room_registers(struct grid *g, const struct costs *cost);

/* How many blocks an SM has room for by each of what they take, and the shared
   memory that it sets aside for one. */
void room_limits(const struct grid *g, const struct execution *x,
	uint32_t limits[JOB_LIMIT_COUNT], uint64_t *shared_bytes);

/* grid.blocks_per_sm; ERR_SKIPPED where an SM has no room for a block. */
int room_of_sm(struct grid *g, const struct execution *x, struct error *error);

/* grid.slot_count and the SM of each slot; ERR_SKIPPED where no GPC has room
   for a cluster. */
int room_places(struct grid *g, struct execution *x, struct error *error);

#endif
