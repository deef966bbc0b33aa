#ifndef NEARFAR_CLUSTER_H
#define NEARFAR_CLUSTER_H

/*
 * Clusters of blocks: which block has which rank, and what an address of shared
 * memory means in them.
 *
 * An address of shared memory is (rank << 24) + offset, in the windows
 * shared::cta and shared::cluster alike: a block of rank r sees its own
 * variables at (r << 24) + offset. So an address names its block. The rank is 0
 * without clusters. Source: %cluster_ctarank, cvta and mapa of each rank on an
 * H200.
 *
 * The blocks of a cluster have slots that follow each other, in the order of
 * their ranks: grid.blocks[first .. first + grid.cluster_blocks - 1].
 */
#include "backend_sim/grid/grid.h"

#define CLUSTER_RANK_SHIFT 24u

/* At barrier.cluster, of a kernel that has it. */
struct kernel_cluster {
	uint32_t alive, arrived; /* threads; those of this phase */
	uint32_t waiting;        /* a list of warps */
	uint64_t met;            /* the cycle of the last arrival */
	uint64_t over;           /* when the last phase was over */
};

/* What a launch's clusters are: as it says, or the kernel; ERR_USAGE where they
   do not agree. */
int cluster_take(const struct ptx_function *f, const struct job_launch *launch,
	uint32_t cluster[3], struct error *error);

/* The same of a trace, whose clusters are `says`, of one block where it says
   nothing. */
int cluster_take_traced(const uint32_t says[3], const struct job_launch *launch,
	uint32_t cluster[3], struct error *error);

static inline uint32_t cluster_size(const uint32_t cluster[3])
{
	return cluster[0] * cluster[1] * cluster[2];
}

/* The number in the grid of the block of a rank of cluster `number`. */
uint64_t cluster_block(const struct grid *g, uint64_t number, uint32_t rank);

/* The first slot of the cluster of a slot, and the rank of a slot. */
static inline uint32_t cluster_first(const struct grid *g, uint32_t slot)
{
	return slot / g->cluster_blocks * g->cluster_blocks;
}
static inline uint32_t cluster_rank(const struct grid *g, uint32_t slot)
{
	return slot % g->cluster_blocks;
}

/* The address at which the block in the slot has its shared memory. */
static inline uint64_t cluster_base(const struct grid *g, uint32_t slot)
{
	return (uint64_t)cluster_rank(g, slot) << CLUSTER_RANK_SHIFT;
}

/* Where an address of shared memory leads from a block. */
enum shared_where {
	SHARED_OWN,     /* its own memory */
	SHARED_OTHER,   /* that of another block of its cluster */
	SHARED_ENDED,   /* that of one that has ended */
	SHARED_NOWHERE, /* no rank of the cluster, or behind the memory */
};
struct shared_at {
	enum shared_where where;
	uint32_t rank;   /* that the address names; */
	uint64_t offset; /* the byte of that block's memory; */
	uint32_t slot;   /* that block's, of SHARED_OWN, _OTHER and _ENDED; */
	uint8_t *place;  /* and the byte itself, of SHARED_OWN and _OTHER */
};

/* `bytes` from `address` on, for the block in `slot`; a window's bits do not
   count. */
void cluster_shared(const struct execution *x, uint32_t slot, uint64_t address,
	uint64_t bytes, struct shared_at *at);

#endif
