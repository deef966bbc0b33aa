#include <math.h>
#include <stdlib.h>

#include "harness/base/error.h"
#include "harness/stats/histogram.h"

/* Of the first look, which finds where most samples are. */
#define FINE_BINS 8192

static size_t fine_bin(double value, double low, double high)
{
	const double unit = (value - low) / (high - low);

	return (size_t)fmin(unit * FINE_BINS, FINE_BINS - 1);
}

/* Narrows the range to the bins that the trimmed shares leave. */
static void trim(
	const double *values, size_t count, struct histogram_range *range)
{
	const double step = (range->high - range->low) / FINE_BINS;
	const double least = HISTOGRAM_TRIM * (double)count;
	uint32_t counts[FINE_BINS] = {0};
	size_t first = 0, last = FINE_BINS - 1, i;
	double seen;

	for (i = 0; i < count; i++)
		counts[fine_bin(values[i], range->low, range->high)]++;
	seen = counts[first];
	while (seen <= least)
		seen += counts[++first];
	seen = counts[last];
	while (seen <= least)
		seen += counts[--last];
	range->high = range->low + step * (double)(last + 1);
	range->low += step * (double)first;
}

struct histogram_range histogram_range_of(const double *values, size_t count)
{
	struct histogram_range range = {NAN, NAN, count > 0};
	size_t i;

	for (i = 0; i < count; i++) {
		range.low = fmin(range.low, values[i]);
		range.high = fmax(range.high, values[i]);
		range.whole &= values[i] == floor(values[i]);
	}
	if (isfinite(range.high - range.low) && range.high > range.low)
		trim(values, count, &range);
	return range;
}

struct histogram_range histogram_range_join(
	struct histogram_range a, struct histogram_range b)
{
	if (isnan(a.low))
		return b;
	if (isnan(b.low))
		return a;
	return (struct histogram_range){
		fmin(a.low, b.low), fmax(a.high, b.high), a.whole && b.whole};
}

static double nice_width(double least)
{
	const double power = pow(10, floor(log10(least)));
	const double lead = least / power;

	return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void place_bins(struct histogram_range range, size_t bins_most,
	struct histogram *histogram)
{
	const double span = range.high - range.low;
	double least = span / (double)(bins_most > 1 ? bins_most - 1 : 1);

	if (!(least > fabs(range.low) * 1e-12))
		least = fabs(range.low) * 0.01 + 1e-9;
	if (range.whole && least < 1)
		least = 1;
	histogram->width = nice_width(least);
	histogram->first =
		floor(range.low / histogram->width) * histogram->width;
	histogram->bin_count = (size_t)floor((range.high - histogram->first) /
					     histogram->width) +
			       1;
}

int histogram_make(const double *values, size_t count,
	struct histogram_range range, size_t bins_most,
	struct histogram *histogram)
{
	struct histogram made = {.total = count};
	size_t i;

	if (isfinite(range.high - range.low))
		place_bins(range, bins_most, &made);
	made.counts = calloc(made.bin_count + 1, sizeof(*made.counts));
	if (!made.counts)
		return ERR_FAILED;
	for (i = 0; i < count; i++) {
		const double at = (values[i] - made.first) / made.width;

		if (at < 0)
			made.below++;
		else if (at >= (double)made.bin_count)
			made.above++;
		else
			made.counts[(size_t)at]++;
	}
	*histogram = made;
	return 0;
}

void histogram_free(struct histogram *histogram)
{
	free(histogram->counts);
	*histogram = (struct histogram){0};
}

uint64_t histogram_most(const struct histogram *histogram)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < histogram->bin_count; i++)
		if (histogram->counts[i] > most)
			most = histogram->counts[i];
	return most;
}
