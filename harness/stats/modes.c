#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/stats/mixture.h"
#include "harness/stats/modes.h"
#include "harness/stats/stats.h"

#define NORMAL_95       1.959963984540054
#define CURVE_SIGMAS    6
#define CURVE_PER_SIGMA 10
#define CURVE_STEPS     (2 * CURVE_SIGMAS * CURVE_PER_SIGMA + 1)

/* Where the density is sampled: around every component. */
struct curve {
	size_t count;
	double at[MODES_MAX * CURVE_STEPS];
};

/* A peak of the density and where it lies; the valley after it likewise. */
struct hump {
	double peak, peak_at, valley, valley_at;
};

struct humps {
	size_t count;
	struct hump items[MODES_MAX];
	const double *sorted; /* the samples */
	size_t samples;
};

static void curve_fill(
	struct curve *curve, const struct mixture *m, double first, double last)
{
	size_t k;
	int step;

	curve->count = 0;
	for (k = 0; k < m->count; k++) {
		for (step = 0; step < CURVE_STEPS; step++) {
			double sigmas =
				(double)step / CURVE_PER_SIGMA - CURVE_SIGMAS;
			double x = m->means[k] + sigmas * m->deviations[k];

			if (x >= first && x <= last)
				curve->at[curve->count++] = x;
		}
	}
	stats_sort(curve->at, curve->count);
}

static struct hump *humps_add(struct humps *humps, double peak, double at)
{
	struct hump *hump;

	/* The last one takes what rounding makes of a flat density. */
	if (humps->count == MODES_MAX)
		humps->count--;
	hump = humps->items + humps->count++;
	*hump = (struct hump){peak, at, INFINITY, INFINITY};
	return hump;
}

/* Every local maximum of the mixture's density, with the minimum after it. */
static void humps_find(
	struct humps *humps, const struct mixture *m, const struct curve *curve)
{
	double before = -INFINITY, here, after;
	struct hump *last = NULL;
	size_t i;

	here = curve->count ? mixture_density(m, curve->at[0]) : 0;
	for (i = 0; i < curve->count; i++, before = here, here = after) {
		after = i + 1 < curve->count
				? mixture_density(m, curve->at[i + 1])
				: -INFINITY;
		if (here > before && here >= after) {
			last = humps_add(humps, here, curve->at[i]);
		} else if (last && here < last->valley) {
			last->valley = here;
			last->valley_at = curve->at[i];
		}
	}
}

/* Joins hump i with the one after it. */
static void humps_join(struct humps *humps, size_t i)
{
	struct hump *left = humps->items + i, *right = left + 1;

	if (left->peak > right->peak) {
		right->peak = left->peak;
		right->peak_at = left->peak_at;
	}
	memmove(left, right, (humps->count - i - 1) * sizeof(*left));
	humps->count--;
}

/* How many samples are at most x. */
static size_t samples_until(const struct humps *humps, double x)
{
	size_t low = 0, high = humps->samples;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (humps->sorted[middle] <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double samples_around(const struct humps *humps, double x, double reach)
{
	return (double)(samples_until(humps, x + reach) -
			samples_until(humps, x - reach));
}

/* Samples around the valley after hump i, as many as there would be within
   `reach`: a valley beside a narrow peak is looked at more closely. */
static double samples_in_valley(
	const struct humps *humps, size_t i, double reach)
{
	const struct hump *left = humps->items + i, *right = left + 1;
	double near = fmin(reach, fmin(left->valley_at - left->peak_at,
					  right->peak_at - left->valley_at) /
					  2);

	return samples_around(humps, left->valley_at, near) * reach / near;
}

/* How shallow the valley after hump i is, by density and by samples; 1 is no
   valley. */
static double valley_ratio(const struct humps *humps, size_t i)
{
	const struct hump *left = humps->items + i, *right = left + 1;
	double reach = (right->peak_at - left->peak_at) / 8;
	double lower = fmin(samples_around(humps, left->peak_at, reach),
		samples_around(humps, right->peak_at, reach));
	double valley = samples_in_valley(humps, i, reach);

	return fmax(left->valley / fmin(left->peak, right->peak),
		(valley + 1.5 * sqrt(valley) + 2) / (lower + 2));
}

static void humps_join_shallow(struct humps *humps)
{
	while (humps->count > 1) {
		size_t shallowest = 0, i;

		for (i = 1; i + 1 < humps->count; i++)
			if (valley_ratio(humps, i) >
				valley_ratio(humps, shallowest))
				shallowest = i;
		if (valley_ratio(humps, shallowest) <= MODES_VALLEY_MAX)
			break;
		humps_join(humps, shallowest);
	}
}

/* The index after the last sample of hump i. */
static size_t hump_end(const struct humps *humps, size_t i)
{
	if (i + 1 >= humps->count)
		return humps->samples;
	return samples_until(humps, humps->items[i].valley_at);
}

/* A hump of too few samples joins the neighbour behind the higher valley. */
static void humps_join_light(struct humps *humps)
{
	size_t least = (size_t)ceil(MODES_WEIGHT_MIN * (double)humps->samples);
	size_t i = 0, start = 0;

	if (least < MODES_SAMPLES_MIN)
		least = MODES_SAMPLES_MIN;
	while (i < humps->count && humps->count > 1) {
		const struct hump *hump = humps->items + i;
		size_t end = hump_end(humps, i);
		bool left = i + 1 == humps->count ||
			    (i > 0 && hump[-1].valley > hump->valley);

		if (end - start >= least) {
			start = end;
			i++;
			continue;
		}
		humps_join(humps, left ? i - 1 : i);
		i = start = 0;
	}
}

/* The interval of a median from the binomial ranks of its neighbours, and
   Wilson's (1927) of a share. */
static void mode_describe(
	struct mode *mode, const double *sorted, size_t count, size_t total)
{
	double n = (double)total, share = (double)count / n;
	double z2 = NORMAL_95 * NORMAL_95, square = 0, mean, half;
	double centre = share + z2 / (2 * n);
	double rank =
		floor((double)count / 2 - NORMAL_95 / 2 * sqrt((double)count)) -
		1;
	size_t low = rank > 0 ? (size_t)rank : 0, i;

	mode->count = count;
	mode->first = sorted[0];
	mode->last = sorted[count - 1];
	mode->position = stats_quantile(sorted, count, 0.5);
	mode->low = sorted[low];
	mode->high = sorted[count - 1 - low];
	mean = stats_mean(sorted, count);
	for (i = 0; i < count; i++)
		square += (sorted[i] - mean) * (sorted[i] - mean);
	mode->spread = sqrt(square / (double)count);
	half = NORMAL_95 * sqrt(share * (1 - share) / n + z2 / (4 * n * n));
	mode->weight = share;
	/* Rounding must not put 1 outside the interval of 1. */
	mode->weight_low = fmin(share, (centre - half) / (1 + z2 / n));
	mode->weight_high = fmax(share, (centre + half) / (1 + z2 / n));
}

static void modes_group(
	const double *sorted, size_t count, uint64_t seed, struct modes *modes)
{
	struct humps humps = {.sorted = sorted, .samples = count};
	struct mixture mixture;
	struct curve curve;
	size_t i, start = 0;

	mixture_choose(sorted, count, seed, &mixture, modes->bic);
	mixture_widen(&mixture, MODES_WIDEN_SHARE);
	curve_fill(&curve, &mixture, sorted[0], sorted[count - 1]);
	humps_find(&humps, &mixture, &curve);
	humps_join_shallow(&humps);
	humps_join_light(&humps);
	modes->components = mixture.count;
	modes->count = humps.count ? humps.count : 1;
	for (i = 0; i < modes->count; i++) {
		size_t end = hump_end(&humps, i);

		mode_describe(
			modes->items + i, sorted + start, end - start, count);
		start = end;
	}
}

int modes_find(const double *values, size_t count, uint64_t seed,
	struct modes *modes, struct error *error)
{
	double *sorted;
	size_t i;

	for (i = 0; i < count; i++)
		if (!isfinite(values[i]))
			return error_set(error, ERR_FAILED,
				"sample '%zu' is not finite", i);
	memset(modes, 0, sizeof(*modes));
	for (i = 0; i < MODES_MAX; i++)
		modes->bic[i] = NAN;
	if (count == 0)
		return 0;
	sorted = malloc(count * sizeof(*sorted));
	if (!sorted)
		return error_set(error, ERR_FAILED,
			"out of memory for '%zu' samples", count);
	memcpy(sorted, values, count * sizeof(*sorted));
	stats_sort(sorted, count);
	modes_group(sorted, count, seed, modes);
	free(sorted);
	return 0;
}
