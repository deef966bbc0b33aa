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
	MAP_SIDE_SMS
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

#endif
