#ifndef NEARFAR_TRACE_CLUSTER_H
#define NEARFAR_TRACE_CLUSTER_H

/* Clusters of a trace, which says each block's place in its own. Both return 0,
   or ERR_USAGE with a sentence. */
#include "backend_sim/trace/trace_kernel.h"

/* A cluster reaches as far as its blocks' places. All of its addresses are read
   with what is known of it: the blocks of the first cluster are not the first
   of the grid, so that places are looked for before. `from` stands behind the
   head. */
int trace_find_cluster(struct trace_kernel *k, const struct trace_reader *from);

/* The place that the line at `at` gives the block. */
int trace_check_place(const struct trace_kernel *k,
	const struct trace_reader *at, const uint32_t block[3],
	const uint32_t place[3]);

#endif
