#include <math.h>
#include <stdbool.h>

#include "harness/stats/mixture.h"
#include "harness/stats/stats.h"

#define STARTS_SEEDED 3
#define STEPS_START   40 /* before the likeliest start is taken further */
#define STEPS_MAX     300
#define GAIN_MIN      1e-7 /* of the log likelihood, a sample and step */
#define ORDERS_WORSE  2    /* in a row end the search */
#define LOG_ROOT_2_PI 0.918938533204672742

struct bins {
	size_t count;
	double values[MIXTURE_BINS_MAX], samples[MIXTURE_BINS_MAX];
	double total, deviation;
};

static size_t distinct_values(const double *sorted, size_t count)
{
	size_t i, distinct = 1;

	for (i = 1; i < count; i++)
		distinct += sorted[i] != sorted[i - 1];
	return distinct;
}

static void bins_fill(struct bins *bins, const double *sorted, size_t count)
{
	size_t full = 1, i, start = 0;
	double mean = stats_mean(sorted, count), variance = 0;

	if (distinct_values(sorted, count) > MIXTURE_BINS_MAX)
		full = count / MIXTURE_BINS_MAX + 1;
	bins->count = 0;
	for (i = 1; i <= count; i++) {
		if (i < count &&
			(i - start < full || sorted[i] == sorted[i - 1]))
			continue;
		bins->values[bins->count] =
			stats_mean(sorted + start, i - start);
		bins->samples[bins->count++] = (double)(i - start);
		start = i;
	}
	for (i = 0; i < count; i++)
		variance += (sorted[i] - mean) * (sorted[i] - mean);
	bins->total = (double)count;
	bins->deviation = sqrt(variance / (double)count);
}

static void component_set(struct mixture *m, size_t k, double weight,
	double mean, double deviation)
{
	double least = fmax(
		MIXTURE_DEVIATION_CYCLES, MIXTURE_DEVIATION_SHARE * fabs(mean));

	m->weights[k] = weight;
	m->means[k] = mean;
	m->deviations[k] = fmax(deviation, least);
	m->logs[k] = log(weight) - log(m->deviations[k]) - LOG_ROOT_2_PI;
}

void mixture_widen(struct mixture *m, double share)
{
	size_t k;

	for (k = 0; k < m->count; k++)
		component_set(m, k, m->weights[k], m->means[k],
			hypot(m->deviations[k], share * m->means[k]));
}

static double component_log(const struct mixture *m, size_t k, double x)
{
	double z = (x - m->means[k]) / m->deviations[k];

	return m->logs[k] - z * z / 2;
}

double mixture_density(const struct mixture *m, double x)
{
	double density = 0;
	size_t k;

	for (k = 0; k < m->count; k++)
		density += exp(component_log(m, k, x));
	return density;
}

/* Each component's share of a sample at x, and the log of the density there;
   relative to the largest, so that no sample is too far from all. */
static double mixture_shares(const struct mixture *m, double x, double *shares)
{
	double top = -INFINITY, sum = 0;
	size_t k;

	for (k = 0; k < m->count; k++) {
		shares[k] = component_log(m, k, x);
		top = fmax(top, shares[k]);
	}
	for (k = 0; k < m->count; k++) {
		shares[k] = exp(shares[k] - top);
		sum += shares[k];
	}
	for (k = 0; k < m->count; k++)
		shares[k] /= sum;
	return top + log(sum);
}

/* One expectation and one maximisation. Moments are taken about the old mean:
   about zero they would cancel. */
static void mixture_step(struct mixture *m, const struct bins *bins)
{
	double shares[MIXTURE_ORDER_MAX];
	double moments[MIXTURE_ORDER_MAX][3] = {{0}};
	size_t i, k;

	m->log_likelihood = 0;
	for (i = 0; i < bins->count; i++) {
		m->log_likelihood += bins->samples[i] *
				     mixture_shares(m, bins->values[i], shares);
		for (k = 0; k < m->count; k++) {
			double part = shares[k] * bins->samples[i];
			double offset = bins->values[i] - m->means[k];

			moments[k][0] += part;
			moments[k][1] += part * offset;
			moments[k][2] += part * offset * offset;
		}
	}
	for (k = 0; k < m->count; k++) {
		/* An empty component stays where it is. */
		double samples = fmax(moments[k][0], 1e-9);
		double shift = moments[k][1] / samples;
		double variance = moments[k][2] / samples - shift * shift;

		component_set(m, k, samples / bins->total, m->means[k] + shift,
			sqrt(fmax(variance, 0)));
	}
}

static void mixture_fit(struct mixture *m, const struct bins *bins, int steps)
{
	double last = -INFINITY;
	int i;

	for (i = 0; i < steps; i++) {
		mixture_step(m, bins);
		if (m->log_likelihood - last < GAIN_MIN * bins->total)
			break;
		last = m->log_likelihood;
	}
}

/* The value at a share of the samples, in [0, 1). */
static double bins_at(const struct bins *bins, double share)
{
	double left = share * bins->total;
	size_t i = 0;

	while (i + 1 < bins->count && left >= bins->samples[i])
		left -= bins->samples[i++];
	return bins->values[i];
}

/* A drawn value, the likelier the further it is from the first `known` means,
   by the square (Arthur and Vassilvitskii 2007): small modes are found too. */
static double bins_draw(const struct bins *bins, const struct mixture *m,
	size_t known, struct random_state *random)
{
	double chances[MIXTURE_BINS_MAX], sum = 0, left;
	size_t i, k;

	for (i = 0; i < bins->count; i++) {
		double square = INFINITY;

		for (k = 0; k < known; k++)
			square = fmin(
				square, pow(bins->values[i] - m->means[k], 2));
		chances[i] = bins->samples[i] * (known ? square : 1);
		sum += chances[i];
	}
	left = sum * 0x1p-32 * (double)random_below(random, UINT64_C(1) << 32);
	for (i = 0; i + 1 < bins->count && left >= chances[i]; i++)
		left -= chances[i];
	return bins->values[i];
}

/* Means at even quantiles; drawn if `random` is there. A component reaches
   half of the way to the next one, so a remote sample does not blur the
   others. */
static void mixture_start(struct mixture *m, size_t order,
	const struct bins *bins, struct random_state *random)
{
	size_t i, k;

	m->count = order;
	for (k = 0; k < order; k++)
		m->means[k] = random ? bins_draw(bins, m, k, random)
				     : bins_at(bins, ((double)k + 0.5) /
							     (double)order);
	for (k = 0; k < order; k++) {
		double reach = bins->deviation;

		for (i = 0; i < order; i++)
			if (i != k)
				reach = fmin(reach,
					fabs(m->means[i] - m->means[k]) / 2);
		component_set(m, k, 1.0 / (double)order, m->means[k], reach);
	}
}

static struct mixture order_fit(
	size_t order, const struct bins *bins, struct random_state *random)
{
	struct mixture best, next;
	int i;

	mixture_start(&best, order, bins, NULL);
	mixture_fit(&best, bins, STEPS_START);
	for (i = 0; i < STARTS_SEEDED && order > 1; i++) {
		mixture_start(&next, order, bins, random);
		mixture_fit(&next, bins, STEPS_START);
		if (next.log_likelihood > best.log_likelihood)
			best = next;
	}
	mixture_fit(&best, bins, STEPS_MAX - STEPS_START);
	return best;
}

void mixture_choose(const double *sorted, size_t count, uint64_t seed,
	struct mixture *best, double bic[MIXTURE_ORDER_MAX])
{
	struct random_state random;
	struct bins bins;
	size_t order, worse = 0;

	random_init(&random, seed);
	bins_fill(&bins, sorted, count);
	for (order = 1; order <= MIXTURE_ORDER_MAX; order++) {
		struct mixture next;

		bic[order - 1] = NAN;
		if (order > bins.count || worse == ORDERS_WORSE)
			continue;
		next = order_fit(order, &bins, &random);
		bic[order - 1] = (3 * (double)order - 1) * log(bins.total) -
				 2 * next.log_likelihood;
		if (order == 1 || bic[order - 1] < bic[best->count - 1]) {
			*best = next;
			worse = 0;
		} else {
			worse++;
		}
	}
}
