#ifndef NEARFAR_SLOTS_H
#define NEARFAR_SLOTS_H

/*
 * Issue slots of a scheduler. Accesses take them in turn. Arithmetic - the ends
 * of iterations, random addresses, the first and the last instructions of a
 * program's kernel - takes those that are left, behind all others: a warp that
 * has an access to issue does not wait until others have gone round.
 */
#include "backend_sim/core/server.h"
#include "backend_sim/sm/execution.h"

/* The cycle at which `ticks` of slots in turn are over. */
static inline uint64_t slots_take(
	struct sm *sm, uint32_t scheduler, uint64_t now, uint64_t ticks)
{
	serve(&sm->spare_free[scheduler], now, ticks);
	return serve(&sm->issue_free[scheduler], now, ticks);
}

/* The cycle at which `ticks` of the slots that are left are over. */
static inline uint64_t slots_spare(
	struct sm *sm, uint32_t scheduler, uint64_t now, uint64_t ticks)
{
	return serve(&sm->spare_free[scheduler], now, ticks);
}

#endif
