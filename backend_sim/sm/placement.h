#ifndef NEARFAR_PLACEMENT_H
#define NEARFAR_PLACEMENT_H

/*
 * Which SM has which block of a plain grid at first, in the order in which an
 * H200 places them (48 grids, %smid of each block): blocks go round the SMs,
 * one each. A round that does not reach all SMs goes first to the SMs that the
 * rotation of GPCs leaves over, then to one SM of each TPC, then to the others,
 * by number. The blocks of a round are numbered GPC by GPC, the SMs left over
 * first.
 */
#include "backend_sim/sm/execution.h"

/* `sms` has room for `blocks`: the SM of each. ERR_FAILED without memory. */
int placement_deal(const struct execution *x, uint32_t blocks, uint16_t *sms);

/*
 * The same for clusters of `size` blocks, as an H200 places them (%smid of each
 * block, grids of clusters of 1 to 16). A cluster's blocks have SMs of one GPC
 * to themselves, one each, in the order of their numbers; a TPC that the
 * rotation of GPCs leaves over is a GPC of its own. Clusters go round the GPCs,
 * TPCs left over first; an SM gets a second block when no GPC has SMs enough
 * for a first one.
 *
 * `sms` has room for `most` clusters, rank after rank; an SM holds `per_sm`
 * blocks. How many clusters have a place, which is as
 * cuOccupancyMaxActiveClusters says for every size; ERR_FAILED without memory.
 */
int64_t placement_clusters(const struct execution *x, uint32_t size,
	uint32_t per_sm, uint64_t most, uint16_t *sms);

#endif
