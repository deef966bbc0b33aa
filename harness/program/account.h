#ifndef NEARFAR_ACCOUNT_H
#define NEARFAR_ACCOUNT_H

/*
 * What a timed region asks for, counted from the program alone, so that
 * bandwidths mean the same on every backend. Sectors are counted as a
 * coalescer forms them: distinct 32 B sectors of one warp instruction.
 * Random addresses and long loops are sampled, deterministically: the first
 * iterations of a few warps stand for all.
 */
#include "harness/program/program.h"

struct account {
	double warps;        /* that run the region */
	double iterations;   /* of one warp */
	double requests;     /* warp instructions with a global address */
	double lanes;        /* lane accesses of those */
	double sectors;      /* distinct sectors, summed over requests */
	double lines;        /* distinct lines, summed over requests */
	double useful_bytes; /* lanes times their width */
	double atomics;      /* lane atomics and reductions, global only */
	double shared_atomics;
};

/* `sm_count` resolves roles on all or on all other SMs. */
void account_region(const struct program *p, size_t region, uint32_t sm_count,
	struct account *account);

/*
 * Static shared memory of each block of a launch, as the PTX writer hands it
 * out: LAUNCH_CLAIM_BYTES, eight bytes a thread, then the samples of a region
 * whose iterations are timed, four bytes each. It leaves L1 that much less.
 */
#define LAUNCH_CLAIM_BYTES 16
uint32_t launch_threads(const struct program *p, const struct step *launch);
uint32_t launch_static_bytes(
	const struct program *p, const struct step *launch);

/* Blocks that a role runs on a device of `sm_count` SMs. */
uint32_t role_blocks(
	const struct program *p, const struct role *role, uint32_t sm_count);

#endif
