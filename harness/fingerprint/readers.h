#ifndef NEARFAR_FINGERPRINT_READERS_H
#define NEARFAR_FINGERPRINT_READERS_H

/*
 * How a figure is read off the points of its row. A reader writes value and
 * interval, and leaves NaN where the points do not show the figure; ERR_FAILED
 * without memory.
 */
#include "harness/fingerprint/fingerprint.h"
#include "harness/map/map.h"

enum map_figure {
	MAP_NEAR,
	MAP_FAR,
	MAP_SM,
	MAP_LINE,
	MAP_REST,
	MAP_SIDE_COUNT,
	MAP_SIDE_SMS,
	MAP_HASH
};

enum fact_figure {
	FACT_ECC_CORRECTED,
	FACT_ECC_UNCORRECTED,
	FACT_ROWS_REMAPPED
};

struct reading {
	const struct device *device;
	const struct facts *facts;   /* of the device */
	const struct series *series; /* of the row; NULL: a fact */
	const struct map *map;       /* of near-far, or NULL */
	int argument;
	struct error *error;
};

#define READER(name) int read_##name(const struct reading *, struct figure *)
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

/* The map as map_json() has it, and two numbers of each SM: `sm_near_cycles`,
   the mean over the near lines, and `sm_l2_share`, the rate while all SMs read
   L2 over that of the median SM (in the first repeat; without `rates` none).
   NULL without memory. */
json_t *read_whole_map(const struct map *map, const struct series *rates);

/* The time of each SM, which is that of its slowest warp, in a repeat; 0 where
   there is no such SM. */
#define READ_SMS_MAX 512
void read_sm_cycles(const struct sample_table *table, uint32_t repeat,
	double cycles[READ_SMS_MAX]);

#endif
