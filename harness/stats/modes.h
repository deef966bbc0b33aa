#ifndef NEARFAR_MODES_H
#define NEARFAR_MODES_H

/*
 * How many modes has a set of latencies, and where? A mixture of Gaussians
 * (mixture.h) is fitted for 1 .. MODES_MAX components and its order chosen by
 * BIC. A mode is not a component but a hump of the mixture's density:
 *
 * - The density is first widened by MODES_WIDEN_SHARE of the latency. One
 *   level of a hierarchy answers from many slices, each at its own distance,
 *   so its hump is ragged. Narrow humps of equal weight are one below 16 %
 *   of distance, those of nine to one below 20 %.
 * - Two neighbours stay apart only if the density between them dips to at
 *   most MODES_VALLEY_MAX of the lower peak, and so does the number of samples
 *   (in a quarter of the distance from peak to peak, around each). That of
 *   the valley is taken 2 and one and a half deviations too large, that of
 *   the peaks 2: a mixture fits dips into anything, and a few samples prove
 *   nothing.
 * - A hump lighter than MODES_WEIGHT_MIN of the samples or MODES_SAMPLES_MIN
 *   is outliers, which count with a neighbour.
 *
 * The samples are cut at the lowest point between two modes.
 */
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/stats/mixture.h"

#define MODES_MAX         MIXTURE_ORDER_MAX
#define MODES_WIDEN_SHARE 0.04
#define MODES_VALLEY_MAX  0.5
#define MODES_WEIGHT_MIN  0.01
#define MODES_SAMPLES_MIN 3

struct mode {
	double position;  /* median of the group's samples */
	double low, high; /* 95 % interval of the position, from ranks */
	double weight;    /* share of all samples, [0, 1] */
	double weight_low, weight_high; /* 95 % interval (Wilson) */
	double spread;      /* standard deviation within the group */
	double first, last; /* smallest and largest sample of the group */
	size_t count;
};

struct modes {
	size_t count; /* groups: 1 is "one mode"; 0: no samples */
	struct mode items[MODES_MAX]; /* ascending position */
	size_t components;            /* of the mixture that BIC chose */
	double bic[MODES_MAX]; /* by order 1 .. MODES_MAX; NaN: not fitted */
};

/* The samples may be in any order; ERR_FAILED if one is not finite or memory
   is short. Equal seeds give equal results. */
int modes_find(const double *values, size_t count, uint64_t seed,
	struct modes *modes, struct error *error);

#endif
