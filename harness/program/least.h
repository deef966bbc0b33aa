#ifndef NEARFAR_LEAST_H
#define NEARFAR_LEAST_H

/*
 * The least that a timed region asks of any memory system, counted from the
 * program alone, so that a measurement can be held against what is possible:
 * what takes less was not measured. Where a count is not certain it is 0.
 */
#include "harness/program/program.h"

struct least {
	double links;    /* accesses of one thread in one sample, of which each
			    needs the value of the one before */
	bool past_l1;    /* L1 answers none of those links */
	double sm_bytes; /* that lanes load and store, or that their sectors
			    have, whichever is less */
	/* Different bytes of uncompressed memory: loaded past L1, and all. SMs
	   may share what comes from L2, but each of these has to. */
	double l2_bytes, distinct_bytes;
};

/* `sm_count` resolves roles on all or on all other SMs. */
void least_region(const struct program *p, size_t region, uint32_t sm_count,
	struct least *least);

/* Of the memory that a region's accesses go to. */
struct working_set {
	double bytes;         /* that its lines take in a cache */
	double touched_bytes; /* of all lines that the program touches in those
				 buffers, each time that it does */
};

void least_working_set(const struct program *p, size_t region,
	uint32_t sm_count, struct working_set *set);

#endif
