#ifndef NEARFAR_OBSERVE_READERS_H
#define NEARFAR_OBSERVE_READERS_H

/*
 * Numbers read off the points of a series. A reader writes value and interval,
 * and leaves NaN where the points do not show the number; ERR_FAILED without
 * memory.
 */
#include "harness/contract/backend.h"
#include "harness/observe/map_figures.h"
#include "harness/series/series.h"

#define OBSERVE_REGIONS 8 /* of memory */

enum fact_figure {
	FACT_ECC_CORRECTED,
	FACT_ECC_UNCORRECTED,
	FACT_ROWS_REMAPPED
};

struct reading {
	const struct facts *facts;   /* of the device */
	const struct series *series; /* of the row; NULL: a fact */
	const struct map *map;       /* of near-far, or NULL */
	double region_bytes;         /* that all SMs read in a timed region */
	int argument;
	struct error *error;
};

#define READER(name) int read_##name(const struct reading *, struct observed *)
READER(clock);
READER(latency); /* the argument is a point, here and below */
READER(latency_ns);
READER(latency_p95_ns);
READER(tail_share);
READER(rate_cycles);
READER(rate_seconds);
READER(rate_atomics);
READER(slowest_sm);
READER(region_latency); /* a region */
READER(region_rate);
READER(farthest_region); /* no argument, here and below */
READER(slowest_region);
READER(slices);
READER(map);  /* enum map_figure */
READER(fact); /* enum fact_figure */
#undef READER

/* The time of each SM, which is that of its slowest warp, in a repeat; 0 where
   there is no such SM. */
#define READ_SMS_MAX 512
void read_sm_cycles(const struct sample_table *table, uint32_t repeat,
	double cycles[READ_SMS_MAX]);

#endif
