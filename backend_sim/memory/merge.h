#ifndef NEARFAR_SIM_MERGE_H
#define NEARFAR_SIM_MERGE_H

/*
 * Loads that meet before a slice: one that asks for the sectors that another
 * one of its GPC has asked for a moment ago waits for that reply. Silicon calls
 * the unit LRC, and Nsight counts what it does (lrc__*).
 */
#include "backend_sim/memory/network.h"

/* Whether a load that has come to its slice waits for another one's reply; if
   not, others may wait for its own. Its lookup has its turn in the cycle
   `turn`: who stands in line before the slice shares when the turn comes. */
bool merge_waits(struct network *n, uint32_t request, uint64_t turn);
/* The slice has what the load asked for, which leaves it in the cycle `leaves`:
   others may wait for it until then, or for gpc_merge_cycles since its turn,
   and no longer. */
void merge_answered(struct network *n, uint32_t request, uint64_t leaves);
/* The reply has come to the GPC: those that waited for it go on to their SMs,
   or need a reply of their own. */
void merge_reply(struct network *n, uint32_t request);

#endif
