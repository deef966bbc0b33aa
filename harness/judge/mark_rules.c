#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/least.h"
#include "harness/judge/mark_rules.h"

#define BIT(metric) (1u << METRIC_##metric)
#define SHARES                                                                 \
	(BIT(SHARE_L1) | BIT(SHARE_NEAR) | BIT(SHARE_FAR) | BIT(SHARE_DRAM))
/* Amounts over the span of region "measure". */
#define OF_SPANS                                                               \
	(BIT(USEFUL_GB_PER_S) | BIT(MOVED_GB_PER_S) | BIT(BYTES_PER_CYCLE) |   \
		BIT(LOADS_PER_CYCLE) | BIT(ATOMICS_PER_CYCLE) |                \
		BIT(COPY_GB_PER_S) | BIT(COPY_NS))

static bool is_share(int metric)
{
	return metric >= 0 && SHARES >> metric & 1;
}

/* ---- the rules ---- */

static bool far_apart(double a, double b)
{
	return fabs(a - b) > MARK_CLOCK_SHARE * fmin(a, b);
}

static bool clock_moved(const struct mark_source *s)
{
	const struct point *p = s->point;
	size_t i;

	for (i = 1; i < p->span_count; i++)
		if (far_apart(p->spans[i].clock_hz, p->spans[0].clock_hz))
			return true;
	return false;
}

static bool throttled(const struct mark_source *s)
{
	return s->disturbances & DISTURBED_THROTTLED;
}

static bool shared(const struct mark_source *s)
{
	return s->disturbances & DISTURBED_SHARED;
}

static double median_of(const double *values, size_t count, double *sorted)
{
	if (!count)
		return NAN;
	memmove(sorted, values, count * sizeof(*sorted));
	return stats_median(sorted, count);
}

static bool repeats_disagree(const struct mark_source *s)
{
	const struct point *p = s->point;
	double least = INFINITY, most = -INFINITY, limit;
	size_t first = 0;
	unsigned i;

	if (s->metric < 0)
		return false;
	for (i = 0; i < s->repeats; first = s->ends[i++]) {
		double median =
			median_of(point_metric(p, s->metric)->values + first,
				s->ends[i] - first, s->scratch);

		least = fmin(least, median);
		most = fmax(most, median);
	}
	limit = is_share(s->metric)
			? MARK_REPEATS_POINTS
			: MARK_REPEATS_SHARE *
				  fabs(point_summary(p, s->metric)->median);
	return most - least > limit;
}

static bool wide_interval(const struct mark_source *s)
{
	const struct summary *summary;
	double limit;

	if (s->metric < 0)
		return false;
	summary = point_summary(s->point, s->metric);
	limit = is_share(s->metric)
			? MARK_INTERVAL_POINTS
			: MARK_INTERVAL_SHARE * fabs(summary->median);
	return summary->high - summary->low > limit;
}

/* Where shares are the result, a mixture is what was looked for. */
static bool partly_cached(const struct mark_source *s)
{
	int region = program_region(s->program, "latency");
	double l2_bytes = (double)s->device->l2_bytes;
	struct working_set set;

	if (region < 0)
		region = program_region(s->program, "measure");
	if (s->metric < 0 || is_share(s->metric) || region < 0)
		return false;
	least_working_set(
		s->program, (size_t)region, s->device->sm_count, &set);
	return set.bytes > l2_bytes && set.bytes < 2 * l2_bytes &&
	       set.touched_bytes > set.bytes * 1.05;
}

static bool short_region(const struct mark_source *s)
{
	return s->coarse || s->disturbances & DISTURBED_CLOCK_UNKNOWN;
}

static bool (*const rules[MARK_COUNT])(const struct mark_source *) = {
#define MARK(name, text, rule, sentence) [MARK_##name] = rule,
#include "harness/marks/marks.def"
#undef MARK
};

/* ---- all of them ---- */

bool marks_span_is_coarse(
	const struct program *p, const struct result *result, uint32_t metrics)
{
	int region = program_region(p, "measure");
	const struct span *span = &result->spans[region < 0 ? 0 : region];

	return region >= 0 && metrics & OF_SPANS &&
	       span->ns < MARK_TIMER_STEPS * span->step_ns;
}

uint32_t marks_find(const struct mark_source *source)
{
	uint32_t marks = 0;
	int mark;

	for (mark = 0; mark < MARK_COUNT; mark++)
		marks |= (uint32_t)rules[mark](source) << mark;
	return marks;
}

int marks_add_series(struct series *series)
{
	double *clocks = calloc(series->point_count + 1, sizeof(*clocks));
	double usual;
	size_t count = 0, i;

	if (!clocks)
		return ERR_FAILED;
	for (i = 0; i < series->point_count; i++)
		if (!series->points[i].skipped)
			clocks[count++] = series->points[i].clock_hz;
	usual = median_of(clocks, count, clocks);
	for (i = 0; i < series->point_count; i++)
		if (!series->points[i].skipped &&
			far_apart(series->points[i].clock_hz, usual))
			series->points[i].marks |= 1u << MARK_CLOCK_MOVED;
	free(clocks);
	return 0;
}
