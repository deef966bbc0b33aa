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

/* The cycle at which `ticks` of the slots that are left are over. */
static inline uint64_t slots_spare(
	struct sm *sm, struct warp *w, uint64_t now, uint64_t ticks)
{
	sm->taken_ticks[w->scheduler] += ticks;
	w->own_ticks += ticks;
	return line_serve(&sm->spare_over[w->scheduler], now, ticks);
}

/* The cycle at which `ticks` of slots in turn are over. */
static inline uint64_t slots_take(struct sm *sm, struct warp *w,
	struct sender sender, uint64_t now, uint64_t ticks)
{
	slots_spare(sm, w, now, ticks);
	return serve(&sm->issue[w->scheduler], sender, now, ticks);
}

/* What others take counts from now on: a loop begins, or its iteration ends. */
static inline void slots_count(
	const struct sm *sm, struct warp *w, uint64_t now)
{
	w->counted_cycle = now;
	w->before_ticks = sm->taken_ticks[w->scheduler];
	w->own_ticks = 0;
}

/*
 * Cycles by which instructions of the warp that wait for each other, `ticks` of
 * slots, are late because others are in their way. Others have taken a share of
 * the slots since slots_count: an instruction that comes at any time waits
 * share / 2 (1 - share) of its own time for them (the mean of an M/D/1 queue).
 * Measured on an H200 (results/probes/sm_warps.tsv): loads of 4 B a lane from
 * L1, one in an iteration, take 65, 66, 70, 74, 81 and 91 cycles by one to six
 * warps of a scheduler, each of which takes 15 slots, and 117 by eight. A share
 * beyond seven eighths counts as that much: the slots are full then, and their
 * server says how long that takes. (Three quarters fit as well, 0.95 does not.)
 */
static inline uint64_t slots_late(
	const struct sm *sm, const struct warp *w, uint64_t now, uint64_t ticks)
{
	uint64_t all = (now - w->counted_cycle) * TICKS_A_CYCLE;
	uint64_t others =
		sm->taken_ticks[w->scheduler] - w->before_ticks - w->own_ticks;

	if (!all)
		return 0;
	if (others > all - all / 8)
		others = all - all / 8;
	return (ticks * others / (all - others) / 2 + TICKS_A_CYCLE / 2) /
	       TICKS_A_CYCLE;
}

#endif
