#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/stats/modes.h"
#include "harness/stats/stats.h"

struct scipy_share {
	size_t count, total;
	double low, high;
};

struct scipy_mixture {
	const char *name;
	const double *values;
	size_t count;
	double bic_one, bic_two;
	double weight, left_mean, left_deviation, right_mean, right_deviation;
};

#define SCIPY_MODES
#include "tests/unit/scipy_cases.inc"

#define SAMPLES_MAX 100000

TestSuite(modes, .timeout = 120);

static double values[SAMPLES_MAX];
static struct random_state rng;

static double uniform(double low, double high)
{
	return low + (high - low) * 0x1p-53 * (double)(random_next(&rng) >> 11);
}

static double normal(double mean, double deviation)
{
	double radius = sqrt(-2 * log(uniform(0x1p-60, 1)));

	return mean + deviation * radius * cos(uniform(0, 6.283185307179586));
}

static double exponential(double mean)
{
	return -mean * log(uniform(0x1p-60, 1));
}

static struct modes find(size_t count)
{
	struct error error = {""};
	struct modes modes;

	cr_assert_eq(modes_find(values, count, 1, &modes, &error), 0, "%s",
		error.text);
	return modes;
}

/* What holds of every result. */
static void check_shape(const struct modes *modes, size_t count)
{
	double weight = 0;
	size_t i, sum = 0;

	for (i = 0; i < modes->count; i++) {
		const struct mode *m = modes->items + i;

		cr_assert(m->first <= m->low && m->low <= m->position &&
			  m->position <= m->high && m->high <= m->last);
		cr_assert(m->weight_low <= m->weight &&
			  m->weight <= m->weight_high);
		cr_assert(i == 0 || m[-1].last < m->first);
		cr_assert_eq(m->weight, (double)m->count / (double)count);
		weight += m->weight;
		sum += m->count;
	}
	cr_assert_eq(sum, count, "every sample belongs to a mode");
	cr_assert_float_eq(weight, 1, 1e-12);
}

static struct modes find_count(size_t count, size_t expected, const char *what)
{
	struct modes modes = find(count);

	check_shape(&modes, count);
	cr_assert_eq(modes.count, expected, "%s, %zu samples: %zu modes", what,
		count, modes.count);
	return modes;
}

static void check_mode(
	const struct mode *mode, double position, double weight, double slack)
{
	cr_assert_float_eq(mode->position, position, slack,
		"position %g, not %g", mode->position, position);
	cr_assert_float_eq(mode->weight, weight, 0.04, "weight %g, not %g",
		mode->weight, weight);
}

Test(modes, a_constant_is_one_mode)
{
	struct modes modes;
	size_t i;

	for (i = 0; i < 1000; i++)
		values[i] = 32;
	modes = find_count(1000, 1, "a constant");
	cr_assert_eq(modes.items[0].position, 32);
	cr_assert_eq(modes.items[0].spread, 0);
	cr_assert_eq(modes.items[0].weight, 1);
	cr_assert_eq(modes.components, 1);
	cr_assert(isnan(modes.bic[1]));
	find_count(1, 1, "one sample");
}

Test(modes, a_gaussian_is_one_mode)
{
	static const size_t counts[] = {10, 30, 100, 1000, 20000};
	size_t i, k, trial;

	random_init(&rng, 1);
	for (trial = 0; trial < 20; trial++) {
		for (k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
			for (i = 0; i < counts[k]; i++)
				values[i] = round(normal(280, 12));
			find_count(counts[k], 1, "a Gaussian");
		}
	}
}

Test(modes, a_uniform_is_not_split)
{
	static const size_t counts[] = {500, 1000, 10000};
	size_t i, k, trial;

	random_init(&rng, 2);
	for (trial = 0; trial < 20; trial++) {
		for (k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
			for (i = 0; i < counts[k]; i++)
				values[i] = uniform(100, 1000);
			find_count(counts[k], 1, "a wide uniform");
			for (i = 0; i < counts[k]; i++)
				values[i] = round(uniform(256, 341));
			find_count(counts[k], 1, "a hump's uniform");
		}
	}
}

/* Broad humps whose every latency is possible. */
Test(modes, near_and_far_are_two_halves)
{
	size_t i, trial;

	random_init(&rng, 3);
	for (trial = 0; trial < 20; trial++) {
		struct modes modes;

		for (i = 0; i < 4000; i++)
			values[i] = i % 2 ? floor(uniform(256, 342))
					  : floor(uniform(425, 543));
		modes = find_count(4000, 2, "near and far");
		cr_assert_eq(modes.items[0].weight, 0.5);
		cr_assert_eq(modes.items[0].last, 341);
		cr_assert_eq(modes.items[1].first, 425);
		check_mode(&modes.items[0], 298.5, 0.5, 4);
		check_mode(&modes.items[1], 483.5, 0.5, 5);
	}
}

/* A ragged hump: `slices` latencies of its own, each with a little noise. */
static void ragged_fill(
	size_t count, const double *slices, size_t slice_count, double noise)
{
	size_t i;

	for (i = 0; i < count; i++)
		values[i] = round(slices[random_below(&rng, slice_count)] +
				  fabs(normal(0, noise)));
}

/* The project's central finding must not depend on how the slices' latencies
   happen to cluster. */
Test(modes, ragged_near_and_far_are_two_halves)
{
	static const size_t counts[] = {200, 2000, 20000};
	static const double noises[] = {0, 1, 4};
	size_t trial, k, i;
	double slices[96];

	random_init(&rng, 4);
	for (trial = 0; trial < 90; trial++) {
		double noise = noises[trial % 3];
		struct modes modes;

		for (i = 0; i < 96; i++)
			slices[i] =
				i < 48 ? uniform(256, 336) : uniform(425, 537);
		for (k = 0; k < 3; k++) {
			ragged_fill(counts[k], slices, 96, noise);
			modes = find_count(counts[k], 2, "ragged humps");
			cr_assert_float_eq(modes.items[0].weight, 0.5, 0.15);
			cr_assert(modes.items[0].last < 360);
			cr_assert(modes.items[1].first >= 425);
		}
	}
}

Test(modes, a_heavy_tail_is_no_mode)
{
	size_t i, trial;

	random_init(&rng, 5);
	for (trial = 0; trial < 20; trial++) {
		for (i = 0; i < 5000; i++)
			values[i] = round(normal(560, 20) +
					  (i % 4 ? 0 : exponential(120)));
		find_count(5000, 1, "an exponential tail");
		for (i = 0; i < 5000; i++)
			values[i] = round(500 + exp(normal(3, 1)));
		find_count(5000, 1, "a lognormal");
	}
}

/* DRAM whose home is near, or far with a refresh tail to 1060 cycles. */
Test(modes, dram_has_two_modes_and_a_tail)
{
	size_t i, trial;

	random_init(&rng, 6);
	for (trial = 0; trial < 20; trial++) {
		struct modes modes;

		for (i = 0; i < 4000; i++) {
			values[i] = round(
				i % 2 ? normal(540, 18) : normal(700, 25));
			if (i % 8 == 0)
				values[i] += round(uniform(0, 330));
		}
		modes = find_count(4000, 2, "near and far DRAM");
		check_mode(&modes.items[0], 540, 0.5, 8);
		check_mode(&modes.items[1], 708, 0.5, 15);
	}
}

Test(modes, three_tight_humps)
{
	static const double positions[] = {32, 280, 520};
	static const double weights[] = {0.2, 0.5, 0.3};
	struct modes modes;
	size_t i, k, trial;

	random_init(&rng, 7);
	for (trial = 0; trial < 20; trial++) {
		for (i = 0; i < 1000; i++) {
			k = i < 200 ? 0 : i < 700 ? 1 : 2;
			values[i] = round(normal(positions[k], 1.5));
		}
		modes = find_count(1000, 3, "three tight humps");
		for (k = 0; k < 3; k++) {
			check_mode(
				&modes.items[k], positions[k], weights[k], 0.6);
			cr_assert_eq(modes.items[k].weight, weights[k]);
			cr_assert_float_eq(modes.items[k].spread, 1.53, 0.3);
		}
	}
}

Test(modes, six_humps_are_found)
{
	struct modes modes;
	size_t i;

	random_init(&rng, 8);
	for (i = 0; i < 6000; i++)
		values[i] = round(normal(40 * pow(1.8, (double)(i % 6)), 1));
	modes = find_count(6000, 6, "six humps");
	for (i = 0; i < 6; i++)
		check_mode(&modes.items[i], 40 * pow(1.8, (double)i), 1.0 / 6,
			0.6);
}

/* The resolution that modes.h states, from both sides. */
Test(modes, narrow_humps_are_one_below_the_stated_distance)
{
	size_t i, k;

	for (k = 0; k < 2; k++) {
		size_t left = k ? 900 : 500;
		double limit = k ? 0.20 : 0.16;

		for (i = 0; i < 1000; i++)
			values[i] = i < left ? 300 : 300 * (1 + limit + 0.015);
		find_count(1000, 2, "humps beyond the distance");
		for (i = 0; i < 1000; i++)
			values[i] = i < left ? 300 : 300 * (1 + limit - 0.015);
		find_count(1000, 1, "humps below the distance");
	}
}

Test(modes, ten_samples)
{
	static const double two[] = {
		281, 279, 480, 284, 478, 280, 481, 483, 282, 485};
	static const double one[] = {
		281, 279, 283, 284, 278, 280, 281, 283, 282, 285};
	static const double outlier[] = {
		281, 279, 283, 284, 278, 280, 281, 283, 282, 900};
	struct modes modes;

	memcpy(values, two, sizeof(two));
	modes = find_count(10, 2, "five and five");
	cr_assert_eq(modes.items[0].position, 281);
	cr_assert_eq(modes.items[1].position, 481);
	memcpy(values, one, sizeof(one));
	find_count(10, 1, "ten");
	memcpy(values, outlier, sizeof(outlier));
	modes = find_count(10, 1, "nine and an outlier");
	cr_assert_eq(modes.items[0].last, 900);
}

Test(modes, a_small_mode_is_found_and_a_tiny_one_is_not)
{
	struct modes modes;
	size_t i;

	random_init(&rng, 9);
	for (i = 0; i < 10000; i++)
		values[i] = round(i < 200 ? normal(600, 8) : normal(280, 8));
	modes = find_count(10000, 2, "2 %");
	cr_assert_eq(modes.items[1].count, 200);
	for (i = 0; i < 10000; i++)
		values[i] = round(i < 50 ? normal(600, 8) : normal(280, 8));
	find_count(10000, 1, "0.5 %");
}

Test(modes, a_remote_sample_does_not_hide_the_modes)
{
	struct modes modes;
	size_t i;

	random_init(&rng, 10);
	for (i = 0; i < 2000; i++)
		values[i] = round(i % 2 ? normal(280, 8) : normal(480, 8));
	values[1000] = 1e7;
	modes = find_count(2000, 2, "with a remote sample");
	cr_assert_eq(modes.items[1].last, 1e7);
	cr_assert_eq(modes.items[0].count, 1000);
}

Test(modes, the_unit_does_not_matter_above_the_floor)
{
	struct modes cycles, scaled;
	size_t i;

	random_init(&rng, 11);
	for (i = 0; i < 3000; i++)
		values[i] = i % 3 ? normal(280, 14) : normal(470, 30);
	cycles = find_count(3000, 2, "cycles");
	for (i = 0; i < 3000; i++)
		values[i] *= 64;
	scaled = find_count(3000, 2, "64ths of cycles");
	for (i = 0; i < 2; i++) {
		cr_assert_eq(scaled.items[i].position,
			64 * cycles.items[i].position);
		cr_assert_eq(scaled.items[i].count, cycles.items[i].count);
	}
}

Test(modes, order_of_samples_does_not_matter_and_seeds_repeat)
{
	struct modes a, b;
	size_t i;

	random_init(&rng, 12);
	for (i = 0; i < 500; i++)
		values[i] = round(i % 2 ? normal(280, 14) : normal(470, 30));
	a = find(500);
	b = find(500);
	cr_assert_eq(0, memcmp(&a, &b, sizeof(a)));
	for (i = 0; i < 250; i++) {
		double swapped = values[i];

		values[i] = values[499 - i];
		values[499 - i] = swapped;
	}
	b = find(500);
	cr_assert_eq(0, memcmp(&a, &b, sizeof(a)));
}

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

Test(modes, many_samples_take_little_time)
{
	double start;
	size_t i;

	random_init(&rng, 13);
	for (i = 0; i < SAMPLES_MAX; i++)
		values[i] = i % 2 ? uniform(256, 341) : uniform(425, 542);
	start = seconds();
	find_count(SAMPLES_MAX, 2, "many");
	cr_assert_lt(seconds() - start, 2.0); /* with a sanitizer's leisure */
}

Test(modes, nothing_has_no_modes)
{
	struct modes modes;

	cr_assert_eq(modes_find(NULL, 0, 1, &modes, NULL), 0);
	cr_assert_eq(modes.count, 0);
	cr_assert(isnan(modes.bic[0]));
}

Test(modes, what_is_not_finite_is_refused)
{
	struct modes modes = {.count = 9};
	struct error error;

	values[0] = 1;
	values[1] = NAN;
	cr_assert_eq(modes_find(values, 2, 1, &modes, &error), ERR_FAILED);
	cr_assert_str_eq(error.text, "sample '1' is not finite");
	cr_assert_eq(modes.count, 9, "written on failure");
}

/* The interval of a position holds the true median 19 times of 20. */
Test(modes, position_interval_covers)
{
	int trial, covered = 0;
	size_t i;

	random_init(&rng, 14);
	for (trial = 0; trial < 1000; trial++) {
		struct modes modes;

		for (i = 0; i < 60; i++)
			values[i] = normal(280, 10);
		modes = find(60);
		covered +=
			modes.items[0].low <= 280 && modes.items[0].high >= 280;
	}
	cr_assert(covered >= 935 && covered <= 985, "%d of 1000", covered);
}

Test(modes, weight_intervals_are_those_of_scipy)
{
	size_t i, k;

	for (i = 0; i < sizeof(scipy_shares) / sizeof(scipy_shares[0]); i++) {
		const struct scipy_share *c = scipy_shares + i;
		struct modes modes;

		for (k = 0; k < c->total; k++)
			values[k] = k < c->count ? 280 : 480;
		modes = find_count(
			c->total, c->count < c->total ? 2 : 1, "a share");
		cr_assert_float_eq(modes.items[0].weight_low, c->low, 1e-12);
		cr_assert_float_eq(modes.items[0].weight_high, c->high, 1e-12);
	}
}

/* The same maximum as a search that knows nothing of EM. */
Test(modes, mixtures_are_those_of_scipy)
{
	size_t i;

	for (i = 0; i < sizeof(scipy_mixtures) / sizeof(scipy_mixtures[0]);
		i++) {
		const struct scipy_mixture *c = scipy_mixtures + i;
		double bic[MIXTURE_ORDER_MAX];
		struct mixture m;
		size_t left, right;

		mixture_choose(c->values, c->count, 1, &m, bic);
		cr_assert_eq(m.count, 2, "%s: %zu", c->name, m.count);
		left = m.means[0] > m.means[1];
		right = !left;
		cr_assert_float_eq(bic[0], c->bic_one, 1e-9);
		cr_assert_float_eq(bic[1], c->bic_two, 0.01, "%s: %g, not %g",
			c->name, bic[1], c->bic_two);
		cr_assert_float_eq(m.weights[left], c->weight, 0.01);
		cr_assert_float_eq(m.weights[0] + m.weights[1], 1, 1e-12);
		cr_assert_float_eq(m.means[left], c->left_mean, 0.5);
		cr_assert_float_eq(m.means[right], c->right_mean, 0.5);
		cr_assert_float_eq(m.deviations[left], c->left_deviation, 0.5);
		cr_assert_float_eq(
			m.deviations[right], c->right_deviation, 0.5);
	}
}

/* Known mixtures: weight, mean and deviation of each component. */
Test(modes, known_mixtures_are_recovered)
{
	static const struct {
		double weight, left, left_deviation, right, right_deviation;
	} known[] = {
		{0.5, 280, 15, 350, 15},
		{0.3, 270, 10, 480, 35},
		{0.9, 220, 6, 280, 6},
		{0.5, 540, 20, 700, 28},
		{0.05, 36, 1, 270, 10},
	};
	size_t i, k;

	random_init(&rng, 15);
	for (k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		struct modes modes;

		for (i = 0; i < 20000; i++)
			values[i] = (double)i < 20000 * known[k].weight
					    ? normal(known[k].left,
						      known[k].left_deviation)
					    : normal(known[k].right,
						      known[k].right_deviation);
		modes = find_count(20000, 2, "a known mixture");
		check_mode(&modes.items[0], known[k].left, known[k].weight, 2);
		check_mode(&modes.items[1], known[k].right, 1 - known[k].weight,
			2);
	}
}
