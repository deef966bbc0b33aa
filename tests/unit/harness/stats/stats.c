#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/stats/stats.h"

#define SCIPY_QUANTILE_COUNT 9

struct scipy_summary {
	const char *name;
	const double *values;
	size_t count;
	uint32_t outliers;
	double mean, mad;
	double quantiles[SCIPY_QUANTILE_COUNT];
	double low, high; /* of 40000 resamples */
};

struct scipy_distance {
	size_t a, b; /* in scipy_summaries */
	double distance;
};

#define SCIPY_STATS
#include "tests/unit/scipy_cases.inc"

#define SCIPY_SUMMARIES (sizeof(scipy_summaries) / sizeof(scipy_summaries[0]))
#define SCIPY_DISTANCES (sizeof(scipy_distances) / sizeof(scipy_distances[0]))

TestSuite(stats, .timeout = 60);
TestSuite(random, .timeout = 60);

/* To 1e-12 of the larger, as for two orders of the same operations. */
static void check_near(
	double found, double expected, double scale, const char *what)
{
	cr_assert(fabs(found - expected) <= 1e-12 * fmax(scale, fabs(expected)),
		"%s: %.17g, not %.17g", what, found, expected);
}

static struct summary summarize(const double *values, size_t count)
{
	struct summary summary;

	cr_assert_eq(0, stats_summarize(values, count, 1, &summary));
	return summary;
}

static double *sorted_copy(const double *values, size_t count)
{
	double *sorted = malloc(count * sizeof(*sorted));

	memcpy(sorted, values, count * sizeof(*sorted));
	stats_sort(sorted, count);
	return sorted;
}

Test(stats, quantiles_are_those_of_scipy)
{
	size_t i, k;

	for (i = 0; i < SCIPY_SUMMARIES; i++) {
		const struct scipy_summary *c = scipy_summaries + i;
		double *sorted = sorted_copy(c->values, c->count);

		for (k = 0; k < SCIPY_QUANTILE_COUNT; k++)
			check_near(stats_quantile(sorted, c->count,
					   scipy_quantiles[k]),
				c->quantiles[k], 0, c->name);
		free(sorted);
	}
}

Test(stats, summaries_are_those_of_scipy)
{
	size_t i;

	for (i = 0; i < SCIPY_SUMMARIES; i++) {
		const struct scipy_summary *c = scipy_summaries + i;
		struct summary s = summarize(c->values, c->count);

		cr_assert_eq(s.count, c->count);
		cr_assert_eq(s.outliers, c->outliers, "%s: %u outliers, not %u",
			c->name, s.outliers, c->outliers);
		check_near(s.mean, c->mean, 0, c->name);
		check_near(s.mad, c->mad, 0, c->name);
		check_near(s.p5, c->quantiles[2], 0, c->name);
		check_near(s.median, c->quantiles[4], 0, c->name);
		check_near(s.p95, c->quantiles[6], 0, c->name);
	}
}

/* 1000 draws against 40000: the ends differ by a share of the width. */
Test(stats, bootstrap_interval_agrees_with_scipy)
{
	size_t i, compared = 0;

	for (i = 0; i < SCIPY_SUMMARIES; i++) {
		const struct scipy_summary *c = scipy_summaries + i;
		struct summary s = summarize(c->values, c->count);
		double slack = 0.15 * (c->high - c->low);

		if (c->count < 10)
			continue;
		cr_assert(fabs(s.low - c->low) <= slack, "%s: low %g, not %g",
			c->name, s.low, c->low);
		cr_assert(fabs(s.high - c->high) <= slack,
			"%s: high %g, not %g", c->name, s.high, c->high);
		compared++;
	}
	cr_assert_geq(compared, 7);
}

/* The definition: draw `count` members, take their median, and so on. */
static void plain_bootstrap(const double *values, size_t count, uint64_t seed,
	struct summary *summary)
{
	enum { DRAWS = 1000 };
	double medians[DRAWS], members[64];
	struct random_state random;
	size_t i, k;

	random_init(&random, seed);
	for (i = 0; i < DRAWS; i++) {
		for (k = 0; k < count; k++)
			members[k] = values[random_below(&random, count)];
		stats_sort(members, count);
		medians[i] = stats_quantile(members, count, 0.5);
	}
	stats_sort(medians, DRAWS);
	summary->low = stats_quantile(medians, DRAWS, 0.025);
	summary->high = stats_quantile(medians, DRAWS, 0.975);
}

/* Medians drawn from their distribution are those of drawn members. The
   values are a ladder, so that a wrong distribution shows; seeds are averaged,
   so that the draws' own noise does not. */
Test(stats, bootstrap_is_that_of_its_definition)
{
	enum { SEEDS = 60 };
	static const size_t counts[] = {3, 4, 5, 8, 33, 64};
	double values[64];
	size_t i, k;

	for (i = 0; i < 64; i++)
		values[i] = (double)i;
	for (k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		double low = 0, high = 0;

		for (i = 0; i < SEEDS; i++) {
			struct summary fast, plain;

			stats_summarize(values, counts[k], i, &fast);
			plain_bootstrap(values, counts[k], i + SEEDS, &plain);
			low += (fast.low - plain.low) / SEEDS;
			high += (fast.high - plain.high) / SEEDS;
		}
		cr_assert(fabs(low) <= 0.3 && fabs(high) <= 0.3,
			"%zu samples: low by %g, high by %g", counts[k], low,
			high);
	}
}

Test(stats, bootstrap_interval_covers_the_median)
{
	enum { TRIALS = 1000, SAMPLES = 40 };
	double values[SAMPLES];
	struct random_state random;
	int trial, covered = 0;
	size_t i;

	random_init(&random, 5);
	for (trial = 0; trial < TRIALS; trial++) {
		struct summary s;

		for (i = 0; i < SAMPLES; i++)
			values[i] = (double)random_below(&random, 1000001);
		s = summarize(values, SAMPLES);
		covered += s.low <= 500000 && s.high >= 500000;
	}
	cr_assert(covered >= 920 && covered <= 975,
		"the interval covers %d of 1000", covered);
}

Test(stats, interval_repeats_by_seed_and_differs_between_seeds)
{
	const struct scipy_summary *c = scipy_summaries + SCIPY_SUMMARIES - 2;
	struct summary a, b, other;

	cr_assert_str_eq(c->name, "heavy_tail");
	stats_summarize(c->values, c->count, 3, &a);
	stats_summarize(c->values, c->count, 3, &b);
	stats_summarize(c->values, c->count, 4, &other);
	cr_assert(a.low == b.low && a.high == b.high);
	cr_assert(a.low != other.low || a.high != other.high);
	cr_assert(a.median == other.median && a.mad == other.mad);
}

Test(stats, few_samples_have_their_range_as_interval)
{
	const double values[] = {41.5, 38.25};
	struct summary s = summarize(values, 2);

	cr_assert(s.low == 38.25 && s.high == 41.5);
	s = summarize(values, 1);
	cr_assert(s.low == 41.5 && s.high == 41.5 && s.median == 41.5);
}

Test(stats, nothing_is_nan)
{
	struct summary s = summarize(NULL, 0);

	cr_assert(s.count == 0 && s.outliers == 0);
	cr_assert(isnan(s.median) && isnan(s.mean) && isnan(s.p5) &&
		  isnan(s.p95) && isnan(s.mad) && isnan(s.low) &&
		  isnan(s.high));
	cr_assert(isnan(stats_quantile(NULL, 0, 0.5)));
	cr_assert(isnan(stats_mean(NULL, 0)));
}

Test(stats, summary_leaves_the_samples_and_ignores_their_order)
{
	const double up[] = {1, 2, 3, 5, 8, 13, 21},
		     copy[] = {21, 1, 13, 2, 8, 3, 5};
	double down[] = {21, 1, 13, 2, 8, 3, 5};
	struct summary a = summarize(up, 7), b = summarize(down, 7);

	cr_assert_arr_eq(down, copy, sizeof(copy));
	cr_assert_eq(0, memcmp(&a, &b, sizeof(a)));
}

Test(stats, outliers_are_flagged_beyond_five_scaled_mads)
{
	/* median 4, MAD 2: the limit is 4 + 5 * 1.4826 * 2 = 18.826 */
	const double inside[] = {0, 2, 3, 4, 5, 6, 18.8};
	const double outside[] = {0, 2, 3, 4, 6, 6, 18.9};

	cr_assert_eq(summarize(inside, 7).outliers, 0);
	cr_assert_eq(summarize(outside, 7).outliers, 1);
	cr_assert_eq(summarize(outside, 7).count, 7);
}

Test(stats, mean_survives_a_large_offset)
{
	double values[1000];
	size_t i;

	for (i = 0; i < 1000; i++)
		values[i] = 1e15 + (double)(i % 2);
	cr_assert(stats_mean(values, 1000) == 1e15 + 0.5);
}

static double distance_of(
	const double *a, size_t a_count, const double *b, size_t b_count)
{
	double distance;

	cr_assert(!stats_wasserstein(a, a_count, b, b_count, &distance));
	return distance;
}

Test(stats, distances_are_those_of_scipy)
{
	size_t i;

	cr_assert_geq(SCIPY_DISTANCES, 66);
	for (i = 0; i < SCIPY_DISTANCES; i++) {
		const struct scipy_distance *c = scipy_distances + i;
		const struct scipy_summary *a = scipy_summaries + c->a;
		const struct scipy_summary *b = scipy_summaries + c->b;
		/* The rounding of the samples carries over. */
		double scale = fmax(fabs(a->mean), fabs(b->mean));

		check_near(
			distance_of(a->values, a->count, b->values, b->count),
			c->distance, scale, a->name);
		check_near(
			distance_of(b->values, b->count, a->values, a->count),
			c->distance, scale, b->name);
	}
}

Test(stats, distance_of_a_shift_is_the_shift)
{
	const double a[] = {5, 1, 9, 4}, b[] = {12, 7.5, 8.5, 4.5};

	cr_assert_float_eq(distance_of(a, 4, b, 4), 3.375, 1e-14);
	cr_assert(distance_of(a, 4, a, 4) == 0);
	cr_assert(isnan(distance_of(a, 0, b, 4)));
	cr_assert(isnan(distance_of(a, 4, b, 0)));
}

/* The authors' reference implementation, run once. */
Test(random, draws_are_those_of_the_reference)
{
	static const uint64_t expected[] = {UINT64_C(11520), 0,
		UINT64_C(1509978240), UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360), UINT64_C(607988272756665600)};
	struct random_state state = {{1, 2, 3, 4}};
	size_t i;

	for (i = 0; i < 6; i++)
		cr_assert_eq(random_next(&state), expected[i]);
	random_init(&state, 0);
	cr_assert_eq(state.word[0], UINT64_C(0xe220a8397b1dcdaf));
	cr_assert_eq(state.word[1], UINT64_C(0x6e789e6aa1b965f4));
}

Test(random, below_is_even)
{
	struct random_state state;
	size_t seen[7] = {0}, i;

	random_init(&state, 11);
	for (i = 0; i < 70000; i++)
		seen[random_below(&state, 7)]++;
	for (i = 0; i < 7; i++) /* 4.5 deviations of 93 */
		cr_assert(seen[i] > 9580 && seen[i] < 10420, "%zu: %zu", i,
			seen[i]);
	cr_assert_eq(random_below(&state, 1), 0);
}

/* A plain remainder would give the lower third half of all draws. */
Test(random, below_is_unbiased_where_the_remainder_is_not)
{
	const uint64_t count = UINT64_C(3) << 62;
	struct random_state state;
	size_t low = 0, i;

	random_init(&state, 12);
	for (i = 0; i < 30000; i++) {
		uint64_t drawn = random_below(&state, count);

		cr_assert_lt(drawn, count);
		low += drawn < UINT64_C(1) << 62;
	}
	cr_assert(low > 9630 && low < 10370, "%zu of 30000", low);
}

/* Two samples of one distribution do not differ, of two they do; the interval
   holds the true difference. */
Test(stats, a_difference_of_medians)
{
	double a[200], b[200], low, high;
	struct random_state random;
	size_t i;

	random_init(&random, 11);
	for (i = 0; i < 200; i++) {
		a[i] = 100 + (double)random_below(&random, 1000) / 100;
		b[i] = 100 + (double)random_below(&random, 1000) / 100;
	}
	cr_assert_eq(0,
		stats_median_difference(a, 200, b, 200, 0.95, 1, &low, &high));
	cr_expect(low < 0 && high > 0, "%g %g", low, high);
	for (i = 0; i < 200; i++)
		b[i] += 5;
	cr_assert_eq(0,
		stats_median_difference(a, 200, b, 200, 0.95, 1, &low, &high));
	cr_expect(low > 0 && low < 5 && high > 5, "%g %g", low, high);
	cr_assert_eq(0,
		stats_median_difference(b, 200, a, 200, 0.95, 1, &low, &high));
	cr_expect(high < 0 && low < -5, "%g %g", low, high);
	cr_assert_eq(
		0, stats_median_difference(a, 1, b, 1, 0.95, 1, &low, &high));
	cr_expect_eq(low, b[0] - a[0]);
	cr_expect_eq(high, low);
	cr_assert_eq(
		0, stats_median_difference(a, 0, b, 1, 0.95, 1, &low, &high));
	cr_expect(isnan(low) && isnan(high));
}

Test(stats, a_median_needs_no_order)
{
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};

	cr_expect_eq(stats_median(odd, 3), 2);
	cr_expect_eq(stats_median(even, 4), 2.5);
	cr_expect(isnan(stats_median(NULL, 0)));
}
