#ifndef NEARFAR_SERVER_H
#define NEARFAR_SERVER_H

/*
 * A server does one job after the other. It is kept as the time at which it is
 * next free, in ticks, so that a rate need not be a whole number of cycles;
 * events happen at whole cycles.
 */
#include <stdint.h>

#include "backend_sim/machine/costs.h"

/* Books `ticks` of a server at cycle `now`; the cycle at which they are
   over. */
static inline uint64_t serve(uint64_t *free_at, uint64_t now, uint64_t ticks)
{
	uint64_t start = now * TICKS_A_CYCLE;

	if (*free_at > start)
		start = *free_at;
	*free_at = start + ticks;
	return (*free_at + TICKS_A_CYCLE - 1) / TICKS_A_CYCLE;
}

#endif
