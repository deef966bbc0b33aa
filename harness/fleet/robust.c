#include <math.h>

#include "harness/fleet/robust.h"
#include "harness/stats/stats.h"

#define HALF_NORMAL    0.6745 /* half of a normal crowd is nearer */
#define WIDE_QUANTILE  0.8
#define WIDE_NORMAL    1.2816 /* four fifths are nearer */
#define MAD_EFFICIENCY 0.37
#define CHANCE_LEAST   1e-300

struct robust robust_of(double *values, size_t count)
{
	struct robust r = {count, NAN, NAN};
	size_t i;

	if (!count)
		return r;
	r.median = stats_median(values, count);
	for (i = 0; i < count; i++)
		values[i] = fabs(values[i] - r.median);
	stats_sort(values, count);
	r.scale = fmax(stats_quantile(values, count, 0.5) / HALF_NORMAL,
		stats_quantile(values, count, WIDE_QUANTILE) / WIDE_NORMAL);
	return r;
}

double robust_freedom(size_t count)
{
	return count ? MAD_EFFICIENCY * ((double)count - 1) : 0;
}

struct width robust_together(struct width a, struct width b)
{
	const double freedom = a.freedom + b.freedom;

	if (!(b.freedom > 0))
		return a;
	if (!(a.freedom > 0))
		return b;
	return (struct width){sqrt((a.freedom * a.scale * a.scale +
					   b.freedom * b.scale * b.scale) /
				      freedom),
		freedom};
}

double robust_chance(double z, double freedom)
{
	double normal;

	if (!(freedom > 0))
		return 1;
	normal = (8 * freedom + 1) / (8 * freedom + 3) *
		 sqrt(freedom * log1p(z * z / freedom));
	return fmax(erfc(normal / sqrt(2)), CHANCE_LEAST);
}

double robust_limit(double *chances, size_t count, double fdr)
{
	size_t i;

	stats_sort(chances, count);
	for (i = count; i > 0; i--) {
		const double limit = fdr * (double)i / (double)count;

		if (chances[i - 1] <= limit)
			return limit;
	}
	return 0;
}
