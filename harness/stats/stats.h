#ifndef NEARFAR_STATS_H
#define NEARFAR_STATS_H

/*
 * Statistics of a set of samples, in the samples' own unit. All functions
 * are pure; those that draw take a seed and repeat exactly.
 */
#include <stddef.h>
#include <stdint.h>

struct summary {
	uint32_t count;    /* samples; 0: everything else is NaN */
	uint32_t outliers; /* further than 5 scaled MADs from the median;
			      flagged, never dropped */
	double median, mean;
	double p5, p95;   /* linear interpolation (Hyndman and Fan type 7) */
	double mad;       /* median absolute deviation, unscaled */
	double low, high; /* 95 % percentile-bootstrap interval of the median */
};

/* `sorted` is ascending; q in [0, 1]; NaN if count is 0. */
double stats_quantile(const double *sorted, size_t count, double q);

void stats_sort(double *values, size_t count);
/* Sorts them. NaN if count is 0. */
double stats_median(double *values, size_t count);
double stats_mean(const double *values, size_t count);

/*
 * Summarises `values` (left as they are). The bootstrap draws the medians of
 * 1000 resamples, each straight from its distribution, so the cost of a draw
 * does not grow with the samples (fewer than 3: the interval is the range).
 * Returns 0 or ERR_FAILED without memory.
 */
int stats_summarize(const double *values, size_t count, uint64_t seed,
	struct summary *summary);

/* Wasserstein-1 distance of two empirical distributions; inputs unsorted.
   NaN if either is empty. -1 without memory. */
int stats_wasserstein(const double *a, size_t a_count, const double *b,
	size_t b_count, double *distance);

/*
 * The bootstrap interval of median(b) - median(a), from 1000 draws of both as
 * above: the two differ at that confidence (0.95, say) if 0 is outside. One
 * value has no spread. NaN if either is empty; ERR_FAILED without memory.
 */
int stats_median_difference(const double *a, size_t a_count, const double *b,
	size_t b_count, double confidence, uint64_t seed, double *low,
	double *high);

/* xoshiro256** or better; state seeded by splitmix64. */
struct random_state {
	uint64_t word[4];
};
void random_init(struct random_state *state, uint64_t seed);
uint64_t random_next(struct random_state *state);
/* Uniform in [0, count), unbiased; count >= 1. */
uint64_t random_below(struct random_state *state, uint64_t count);

#endif
