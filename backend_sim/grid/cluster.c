#include <string.h>

#include "backend_sim/grid/cluster.h"

static int refuse(const struct job_launch *l, const uint32_t says[3],
	const uint32_t wants[3], struct error *error)
{
	return error_set(error, ERR_USAGE,
		"launch '%s' has cluster=%u,%u,%u, the kernel requires "
		"%u,%u,%u (.reqnctapercluster)",
		job_launch_name(l), says[0], says[1], says[2], wants[0],
		wants[1], wants[2]);
}

/* The kernel's own, which no check of the job has seen. */
static int check_own(const struct job_launch *l, const uint32_t cluster[3],
	struct error *error)
{
	uint64_t blocks = 1;
	int i;

	for (i = 0; i < 3; i++) {
		blocks *= cluster[i];
		if (blocks > JOB_CLUSTER_MAX)
			return error_set(error, ERR_USAGE,
				"launch '%s': the kernel requires a cluster of "
				"more than %u blocks (.reqnctapercluster)",
				job_launch_name(l), JOB_CLUSTER_MAX);
		if (l->grid[i] % cluster[i])
			return error_set(error, ERR_USAGE,
				"launch '%s' has grid=%u,%u,%u, which is no "
				"whole number of the kernel's clusters of "
				"%u,%u,%u blocks (.reqnctapercluster)",
				job_launch_name(l), l->grid[0], l->grid[1],
				l->grid[2], cluster[0], cluster[1], cluster[2]);
	}
	return 0;
}

int cluster_take(const struct ptx_function *f, const struct job_launch *launch,
	uint32_t cluster[3], struct error *error)
{
	const uint32_t *own = f->reqnctapercluster, *says = launch->cluster;

	cluster[0] = cluster[1] = cluster[2] = 1;
	if (says[0])
		memcpy(cluster, says, 3 * sizeof(*cluster));
	else if (own[0])
		memcpy(cluster, own, 3 * sizeof(*cluster));
	if (says[0] && own[0] && memcmp(says, own, 3 * sizeof(*says)) != 0)
		return refuse(launch, says, own, error);
	if (f->explicitcluster && !says[0] && !own[0])
		return error_set(error, ERR_USAGE,
			"launch '%s' has no cluster=, which the kernel "
			"requires (.explicitcluster)",
			job_launch_name(launch));
	if (own[0])
		return check_own(launch, cluster, error);
	if (f->maxclusterrank && cluster_size(cluster) > f->maxclusterrank)
		return error_set(error, ERR_USAGE,
			"launch '%s' has clusters of %u blocks, the kernel "
			"allows %u (.maxclusterrank)",
			job_launch_name(launch), cluster_size(cluster),
			f->maxclusterrank);
	return 0;
}

int cluster_take_traced(const uint32_t says[3], const struct job_launch *launch,
	uint32_t cluster[3], struct error *error)
{
	const uint32_t *wants = launch->cluster;

	if (cluster_size(says) > 1 && wants[0] &&
		memcmp(says, wants, 3 * sizeof(*says)) != 0)
		return error_set(error, ERR_USAGE,
			"launch '%s': its trace has cluster=%u,%u,%u",
			job_launch_name(launch), says[0], says[1], says[2]);
	memcpy(cluster, wants[0] ? wants : says, 3 * sizeof(*cluster));
	return 0;
}

uint64_t cluster_block(const struct grid *g, uint64_t number, uint32_t rank)
{
	const uint32_t *each = g->cluster, *grid = g->launch->grid;
	uint64_t at[3];
	int i;

	for (i = 0; i < 3; i++) {
		const uint32_t across = grid[i] / each[i];

		at[i] = number % across * each[i] + rank % each[i];
		number /= across;
		rank /= each[i];
	}
	return at[0] + grid[0] * (at[1] + grid[1] * at[2]);
}

void cluster_shared(const struct execution *x, uint32_t slot, uint64_t address,
	uint64_t bytes, struct shared_at *at)
{
	const struct grid *g = x->grid;
	uint64_t offset = address & ~WINDOW_BITS;
	uint64_t rank = 0;

	if (g->cluster_blocks > 1) {
		rank = offset >> CLUSTER_RANK_SHIFT;
		offset &= (UINT64_C(1) << CLUSTER_RANK_SHIFT) - 1;
	}
	*at = (struct shared_at){.where = SHARED_NOWHERE,
		.rank = rank < UINT32_MAX ? (uint32_t)rank : UINT32_MAX,
		.offset = offset};
	if (rank >= g->cluster_blocks || offset > g->shared_bytes ||
		bytes > g->shared_bytes - offset)
		return;
	at->slot = cluster_first(g, slot) + (uint32_t)rank;
	at->where = at->slot == slot           ? SHARED_OWN
		    : x->blocks[at->slot].live ? SHARED_OTHER
					       : SHARED_ENDED;
	at->place = g->blocks[at->slot].shared + offset;
}
