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

#endif
