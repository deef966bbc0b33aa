#ifndef NEARFAR_SIM_FAR_TURNS_H
#define NEARFAR_SIM_FAR_TURNS_H

/*
 * Requests that wait for a place on a link. To the peer the sides of the chip
 * take turns; of a side, the CPCs: next is who had its turn the longest ago,
 * and of those that had none the first. Within a CPC the first that came is the
 * first. To the host all wait in one line.
 */
#include "backend_sim/core/queue.h"

struct far_queue {
	struct request_queue requests;
	uint64_t turn; /* when it had its last one; 0: none */
};

struct far_turns {
	uint32_t waiting;
	uint64_t count, side[2]; /* turns until now; the last one of a side */
	struct far_queue queues[GPCS_MAX * GPC_CPCS];
};

void far_turns_cold(struct far_turns *t);
void far_turns_add(
	struct far_turns *t, struct core *core, uint32_t request, bool in_turn);

/* Whose turn it is, taken out; one waits at least. */
uint32_t far_turns_next(struct far_turns *t, struct core *core);

#endif
