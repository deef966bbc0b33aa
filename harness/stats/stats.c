#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/stats/stats.h"

#define RESAMPLES           1000
#define OUTLIER_SCALED_MADS 5.0
#define MAD_SCALE           1.482602218505602 /* to a Gaussian's deviation */

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void stats_sort(double *values, size_t count)
{
	if (count)
		qsort(values, count, sizeof(values[0]), compare_doubles);
}

double stats_quantile(const double *sorted, size_t count, double q)
{
	double rank, below;
	size_t i;

	if (count == 0)
		return NAN;
	rank = q * (double)(count - 1);
	below = floor(rank);
	i = (size_t)below;
	if (i >= count - 1)
		return sorted[count - 1];
	return sorted[i] + (rank - below) * (sorted[i + 1] - sorted[i]);
}

double stats_median(double *values, size_t count)
{
	stats_sort(values, count);
	return stats_quantile(values, count, 0.5);
}

double stats_mean(const double *values, size_t count)
{
	double sum = 0, rest = 0, mean;
	size_t i;

	if (count == 0)
		return NAN;
	for (i = 0; i < count; i++)
		sum += values[i];
	mean = sum / (double)count;
	/* The second pass takes back the rounding of the first. */
	for (i = 0; i < count; i++)
		rest += values[i] - mean;
	return mean + rest / (double)count;
}

void random_init(struct random_state *state, uint64_t seed)
{
	size_t i;

	for (i = 0; i < 4; i++) {
		uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		state->word[i] = z ^ (z >> 31);
	}
}

static uint64_t rotate_left(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

uint64_t random_next(struct random_state *state)
{
	uint64_t *s = state->word;
	uint64_t drawn = rotate_left(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate_left(s[3], 45);
	return drawn;
}

uint64_t random_below(struct random_state *state, uint64_t count)
{
	/* The first 2^64 mod count values would make small results likelier. */
	uint64_t surplus = -count % count, drawn;

	do
		drawn = random_next(state);
	while (drawn < surplus);
	return drawn % count;
}

/* Uniform in (0, 1). */
static double random_unit(struct random_state *state)
{
	return ((double)(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

/* Standard normal, by Marsaglia's polar method. */
static double random_normal(struct random_state *state)
{
	double u, v, square;

	do {
		u = 2 * random_unit(state) - 1;
		v = 2 * random_unit(state) - 1;
		square = u * u + v * v;
	} while (square >= 1 || square == 0);
	return u * sqrt(-2 * log(square) / square);
}

/* Gamma of shape >= 1 and scale 1, by Marsaglia and Tsang (2000). */
static double random_gamma(struct random_state *state, double shape)
{
	double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

	for (;;) {
		double x = random_normal(state), v = 1 + c * x;

		if (v <= 0)
			continue;
		v = v * v * v;
		if (log(random_unit(state)) < x * x / 2 + d * (1 - v + log(v)))
			return d * v;
	}
}

static double pick(const double *sorted, size_t count, double unit)
{
	size_t i = (size_t)(unit * (double)count);

	return sorted[i < count ? i : count - 1];
}

/*
 * The median of one resample, without drawing its `count` members: these are
 * sorted[floor(u * count)] of uniform u, so the middle member is that of the
 * middle u, which has a beta distribution. Of an even count the next larger u
 * is the least of `half` uniforms between the middle one and 1.
 */
static double resampled_median(
	const double *sorted, size_t count, struct random_state *state)
{
	size_t half = count / 2;
	bool odd = count % 2;
	double below = random_gamma(state, (double)(odd ? half + 1 : half));
	double above = random_gamma(state, (double)(half + 1));
	double middle = below / (below + above), next;

	if (odd)
		return pick(sorted, count, middle);
	next = 1 - (1 - middle) * pow(random_unit(state), 1.0 / (double)half);
	return (pick(sorted, count, middle) + pick(sorted, count, next)) / 2;
}

static void bootstrap_interval(const double *sorted, size_t count,
	uint64_t seed, double *low, double *high)
{
	double medians[RESAMPLES];
	struct random_state state;
	size_t i;

	if (count < 3) {
		*low = sorted[0];
		*high = sorted[count - 1];
		return;
	}
	random_init(&state, seed);
	for (i = 0; i < RESAMPLES; i++)
		medians[i] = resampled_median(sorted, count, &state);
	stats_sort(medians, RESAMPLES);
	*low = stats_quantile(medians, RESAMPLES, 0.025);
	*high = stats_quantile(medians, RESAMPLES, 0.975);
}

int stats_summarize(const double *values, size_t count, uint64_t seed,
	struct summary *summary)
{
	struct summary s = {0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	double *scratch;
	size_t i;

	if (count == 0) {
		*summary = s;
		return 0;
	}
	scratch = malloc(count * sizeof(*scratch));
	if (!scratch)
		return ERR_FAILED;
	memcpy(scratch, values, count * sizeof(*scratch));
	stats_sort(scratch, count);
	s.count = (uint32_t)count;
	s.mean = stats_mean(scratch, count);
	s.median = stats_quantile(scratch, count, 0.5);
	s.p5 = stats_quantile(scratch, count, 0.05);
	s.p95 = stats_quantile(scratch, count, 0.95);
	bootstrap_interval(scratch, count, seed, &s.low, &s.high);
	for (i = 0; i < count; i++)
		scratch[i] = fabs(scratch[i] - s.median);
	stats_sort(scratch, count);
	s.mad = stats_quantile(scratch, count, 0.5);
	for (i = count; i > 0; i--) {
		if (scratch[i - 1] <= OUTLIER_SCALED_MADS * MAD_SCALE * s.mad)
			break;
		s.outliers++;
	}
	free(scratch);
	*summary = s;
	return 0;
}

static double *sorted_copy(const double *values, size_t count)
{
	double *copy = malloc(count * sizeof(*copy));

	if (!copy)
		return NULL;
	memcpy(copy, values, count * sizeof(*copy));
	stats_sort(copy, count);
	return copy;
}

int stats_median_difference(const double *a, size_t a_count, const double *b,
	size_t b_count, double confidence, uint64_t seed, double *low,
	double *high)
{
	double draws[RESAMPLES], *one, *two;
	struct random_state state;
	size_t i;

	*low = *high = NAN;
	if (!a_count || !b_count)
		return 0;
	one = sorted_copy(a, a_count);
	two = sorted_copy(b, b_count);
	random_init(&state, seed);
	for (i = 0; one && two && i < RESAMPLES; i++)
		draws[i] = resampled_median(two, b_count, &state) -
			   resampled_median(one, a_count, &state);
	if (one && two) {
		stats_sort(draws, RESAMPLES);
		*low = stats_quantile(draws, RESAMPLES, (1 - confidence) / 2);
		*high = stats_quantile(draws, RESAMPLES, (1 + confidence) / 2);
	}
	i = one && two;
	free(one);
	free(two);
	return i ? 0 : ERR_FAILED;
}

/* The area between the two cumulative distributions, step by step. */
static double area_between(
	const double *a, size_t a_count, const double *b, size_t b_count)
{
	size_t i = 0, j = 0;
	double area = 0, last = a[0] < b[0] ? a[0] : b[0];

	while (i < a_count || j < b_count) {
		bool from_a = j == b_count || (i < a_count && a[i] <= b[j]);
		double x = from_a ? a[i] : b[j];
		double gap = (double)i / (double)a_count -
			     (double)j / (double)b_count;

		area += fabs(gap) * (x - last);
		last = x;
		if (from_a)
			i++;
		else
			j++;
	}
	return area;
}

int stats_wasserstein(const double *a, size_t a_count, const double *b,
	size_t b_count, double *distance)
{
	double *sorted;

	*distance = NAN;
	if (a_count == 0 || b_count == 0)
		return 0;
	sorted = malloc((a_count + b_count) * sizeof(*sorted));
	if (!sorted)
		return -1;
	memcpy(sorted, a, a_count * sizeof(*a));
	memcpy(sorted + a_count, b, b_count * sizeof(*b));
	stats_sort(sorted, a_count);
	stats_sort(sorted + a_count, b_count);
	*distance = area_between(sorted, a_count, sorted + a_count, b_count);
	free(sorted);
	return 0;
}
