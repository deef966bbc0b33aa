#ifndef NEARFAR_OBSERVE_MAP_FIGURES_H
#define NEARFAR_OBSERVE_MAP_FIGURES_H

/* The numbers that a map of near-far shows. */
#include "harness/map/map.h"

/* NaN: it is not shown. */
struct observed {
	double value;
	double low, high; /* 95 % interval of a median; else the value */
};

enum map_figure {
	MAP_NEAR, /* the median of the near cells, cycles; of the far ones */
	MAP_FAR,
	MAP_NEAR_MEAN, /* their means */
	MAP_FAR_MEAN,
	MAP_SM,   /* the mean near latency of the farthest SM, cycles */
	MAP_LINE, /* and of the farthest line */
	MAP_REST, /* what the floor plan leaves, cycles */
	/* of the near cells of side 0: what SMs, lines and their product
	   deviate by, cycles */
	MAP_SM_TERM,
	MAP_LINE_TERM,
	MAP_PRODUCT_TERM,
	/* a first load after a touch from the other side, by where the home
	   is, cycles */
	MAP_NEAR_LOAD,
	MAP_FAR_LOAD,
	MAP_SIDE_COUNT,
	MAP_SIDE_SMS, /* of the side of SM 0 */
	MAP_HASH,     /* a mask */
};

/* ERR_FAILED without memory. */
int map_observe(const struct map *map, enum map_figure which,
	struct observed *figure, struct error *error);

/* The mean over the near cells of one SM, or of one line. */
double map_near_mean(const struct map *map, bool of_sm, size_t index);

#endif
