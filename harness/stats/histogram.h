#ifndef NEARFAR_HISTOGRAM_H
#define NEARFAR_HISTOGRAM_H

/*
 * Samples counted in bins of equal width. Nothing is copied or sorted, so ten
 * million samples cost no memory beyond their own.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where most samples are: all but the outermost HISTOGRAM_TRIM at each end,
   which a histogram counts below and above its bins. */
#define HISTOGRAM_TRIM 0.002

struct histogram_range {
	double low, high; /* NaN without samples */
	bool whole;       /* all samples are whole numbers */
};

struct histogram_range histogram_range_of(const double *values, size_t count);

/* The range that holds both. */
struct histogram_range histogram_range_join(
	struct histogram_range a, struct histogram_range b);

struct histogram {
	double first, width; /* bin i begins at first + i * width */
	size_t bin_count;
	uint64_t *counts; /* of each bin; owned */
	uint64_t below, above, total;
};

/*
 * Bins over the range, at most `bins_most`, whose width is 1, 2 or 5 times a
 * power of ten, and at least 1 if the samples are whole. ERR_FAILED without
 * memory.
 */
int histogram_make(const double *values, size_t count,
	struct histogram_range range, size_t bins_most,
	struct histogram *histogram);
void histogram_free(struct histogram *histogram);

/* Of the fullest bin; 0 without bins. */
uint64_t histogram_most(const struct histogram *histogram);

#endif
