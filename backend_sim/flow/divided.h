#ifndef NEARFAR_DIVIDED_H
#define NEARFAR_DIVIDED_H

/*
 * Blocks that some lanes of a warp may execute while others do not: those
 * between a branch whose predicate may differ from lane to lane and the block
 * where its paths meet. A way to the kernel's end divides nothing: the lanes
 * that take it are gone.
 */
#include "backend_sim/flow/graph.h"

/* Sets `divided` of each block; ERR_FAILED without memory. */
int divided_find(const struct flat *f, const struct graph *g, bool *divided,
	struct error *error);

#endif
