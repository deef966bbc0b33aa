#ifndef NEARFAR_MIXTURE_H
#define NEARFAR_MIXTURE_H

/*
 * Mixtures of Gaussians in one dimension, fitted by expectation and
 * maximisation (Dempster, Laird and Rubin 1977), their order chosen by the
 * Bayesian information criterion (Schwarz 1978). Equal samples share a bin;
 * more than MIXTURE_BINS_MAX distinct values are binned by rank, so the cost
 * does not grow with the number of samples.
 *
 * A component is never narrower than MIXTURE_DEVIATION_CYCLES, since
 * latencies are whole cycles, nor than MIXTURE_DEVIATION_SHARE of its mean,
 * so that it cannot lock on to one value.
 */
#include <stddef.h>
#include <stdint.h>

#define MIXTURE_ORDER_MAX        6
#define MIXTURE_BINS_MAX         512
#define MIXTURE_DEVIATION_CYCLES 0.5
#define MIXTURE_DEVIATION_SHARE  0.01

struct mixture {
	size_t count;                      /* components, in no order */
	double weights[MIXTURE_ORDER_MAX]; /* sum to 1 */
	double means[MIXTURE_ORDER_MAX], deviations[MIXTURE_ORDER_MAX];
	double logs[MIXTURE_ORDER_MAX]; /* of each density at its mean */
	double log_likelihood;
};

/*
 * Fits orders 1 .. MIXTURE_ORDER_MAX to `sorted` (ascending, at least one
 * sample), each from even quantiles and from seeded draws, and keeps the one
 * with the least BIC. bic[i] is that of order i + 1; NaN if it was not fitted:
 * orders above the number of bins, or after two orders that did not improve.
 */
void mixture_choose(const double *sorted, size_t count, uint64_t seed,
	struct mixture *best, double bic[MIXTURE_ORDER_MAX]);

/* Convolves every component with a Gaussian whose deviation is `share` of its
   mean. */
void mixture_widen(struct mixture *m, double share);

double mixture_density(const struct mixture *m, double x);

#endif
