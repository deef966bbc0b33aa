#ifndef NEARFAR_SIM_MERGE_H
#define NEARFAR_SIM_MERGE_H

/*
 * Loads that meet in a GPC: one that asks for what another SM has asked for a
 * moment ago waits for that reply.
 */
#include "backend_sim/memory/network.h"

/* Whether the load waits for another one's reply; if not, others may wait for
   its own. */
bool merge_waits(struct network *n, uint32_t request);

#endif
