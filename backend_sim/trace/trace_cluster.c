/* Clusters of a trace. */
#include <string.h>

#include "backend_sim/trace/trace_cluster.h"

#define CLUSTER_MAX 16u

/* The next line of a block's place in its cluster; false: there is none, or
   none that can be read, of which the blocks' reader says so. */
static bool next_place(struct trace_reader *r, struct trace_part *part)
{
	const char *begin;

	while ((r->at = strstr(r->at, "cluster"))) {
		for (begin = r->at; begin[-1] == ' ' || begin[-1] == '\t';)
			begin--;
		if (begin[-1] != '\n')
			r->at++;
		else if (trace_read_part(r, part))
			return false;
		else if (part->is_place)
			return true;
	}
	return false;
}

int trace_find_cluster(struct trace_kernel *k, const struct trace_reader *from)
{
	struct trace_reader r = *from;
	struct trace_part part;
	int i;

	for (i = 0; i < 3; i++)
		k->cluster[i] = 1;
	while (next_place(&r, &part))
		for (i = 0; i < 3; i++)
			if (part.block[i] >= k->cluster[i])
				k->cluster[i] = part.block[i] + 1;
	for (i = 0; i < 3; i++)
		if (k->cluster[i] > CLUSTER_MAX ||
			k->head.grid[i] % k->cluster[i] ||
			trace_cluster_blocks(k) > CLUSTER_MAX)
			return trace_fail(from,
				"a cluster has at most 16 blocks, and the grid "
				"is a whole number of clusters");
	return 0;
}

int trace_check_place(const struct trace_kernel *k,
	const struct trace_reader *at, const uint32_t block[3],
	const uint32_t place[3])
{
	int i;

	for (i = 0; i < 3; i++)
		if (place[i] != block[i] % k->cluster[i])
			return trace_fail(at,
				"block %u,%u,%u has another place in its "
				"cluster of %u,%u,%u blocks",
				block[0], block[1], block[2], k->cluster[0],
				k->cluster[1], k->cluster[2]);
	return 0;
}
