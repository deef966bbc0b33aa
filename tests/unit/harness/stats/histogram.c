#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "harness/stats/histogram.h"
#include "harness/stats/stats.h"

TestSuite(histogram, .timeout = 60);

static struct histogram make(
	const double *values, size_t count, size_t bins_most)
{
	struct histogram histogram = {0};

	cr_assert_eq(
		histogram_make(values, count, histogram_range_of(values, count),
			bins_most, &histogram),
		0);
	return histogram;
}

static uint64_t sum(const struct histogram *histogram)
{
	uint64_t total = histogram->below + histogram->above;
	size_t i;

	for (i = 0; i < histogram->bin_count; i++)
		total += histogram->counts[i];
	return total;
}

Test(histogram, every_sample_is_counted_once)
{
	static double values[20000];
	struct random_state random;
	struct histogram histogram;
	size_t i;

	random_init(&random, 7);
	for (i = 0; i < 20000; i++)
		values[i] = 250 + (double)random_below(&random, 4000) / 7 +
			    (i % 2 ? 200 : 0);
	for (i = 1; i <= 300; i = 3 * i + 1) {
		histogram = make(values, 20000, i);
		cr_assert_eq(sum(&histogram), 20000);
		cr_assert_leq(histogram.bin_count, i > 1 ? i : 2);
		histogram_free(&histogram);
	}
}

Test(histogram, whole_cycles_have_whole_bins)
{
	const double values[] = {10, 11, 11, 12, 13, 13, 13, 14};
	struct histogram histogram = make(values, 8, 100);

	cr_assert_eq(histogram.width, 1);
	cr_assert_eq(histogram.bin_count, 5);
	cr_assert_eq(histogram.first, 10);
	cr_assert_eq(histogram.counts[3], 3);
	cr_assert_eq(histogram_most(&histogram), 3);
	histogram_free(&histogram);
}

Test(histogram, a_few_far_samples_do_not_widen_the_bins)
{
	static double values[10000];
	struct histogram histogram;
	size_t i;

	for (i = 0; i < 10000; i++)
		values[i] = 300 + (double)(i % 50);
	values[17] = 1e6;
	values[18] = 2e6;
	histogram = make(values, 10000, 100);
	cr_assert_eq(histogram.above, 2);
	cr_assert_lt(histogram.width * (double)histogram.bin_count, 1000);
	histogram_free(&histogram);
}

Test(histogram, one_value_and_none)
{
	const double same[] = {42, 42, 42};
	struct histogram histogram = make(same, 3, 50);

	cr_assert_eq(sum(&histogram), 3);
	cr_assert_eq(histogram.below + histogram.above, 0);
	histogram_free(&histogram);
	histogram = make(NULL, 0, 50);
	cr_assert_eq(histogram.bin_count, 0);
	cr_assert_eq(histogram_most(&histogram), 0);
	histogram_free(&histogram);
}

Test(histogram, ranges_join)
{
	const double low[] = {1, 2}, high[] = {7.5, 9};
	const struct histogram_range none = histogram_range_of(NULL, 0);
	const struct histogram_range both = histogram_range_join(
		histogram_range_of(low, 2),
		histogram_range_join(none, histogram_range_of(high, 2)));

	cr_assert(isnan(none.low));
	cr_assert_leq(both.low, 1);
	cr_assert_geq(both.high, 9);
	cr_assert_not(both.whole);
}
