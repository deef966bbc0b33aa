/* Readers of points and facts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/observe/chip.h"
#include "harness/observe/readers.h"
#include "harness/stats/values.h"

#define SEED 1 /* of the bootstrap */
#define P95  0.95

/* The point, or NULL where it was not measured. */
static const struct point *point_of(const struct reading *r, size_t index)
{
	const struct series *series = r->series;

	return series && index < series->point_count &&
			       !series->points[index].skipped
		       ? &series->points[index]
		       : NULL;
}

static int read_metric(
	const struct reading *r, int metric, struct observed *figure)
{
	const struct point *point = point_of(r, (size_t)r->argument);

	if (!point)
		return 0;
	figure->value = point_summary(point, metric)->median;
	figure->low = point_summary(point, metric)->low;
	figure->high = point_summary(point, metric)->high;
	return 0;
}

int read_latency(const struct reading *r, struct observed *figure)
{
	return read_metric(r, METRIC_LATENCY_CYCLES, figure);
}

int read_latency_ns(const struct reading *r, struct observed *figure)
{
	return read_metric(r, METRIC_LATENCY_NS, figure);
}

int read_rate_cycles(const struct reading *r, struct observed *figure)
{
	return read_metric(r, METRIC_BYTES_PER_CYCLE, figure);
}

int read_rate_seconds(const struct reading *r, struct observed *figure)
{
	return read_metric(r, METRIC_USEFUL_GB_PER_S, figure);
}

int read_rate_atomics(const struct reading *r, struct observed *figure)
{
	return read_metric(r, METRIC_ATOMICS_PER_CYCLE, figure);
}

int read_clock(const struct reading *r, struct observed *figure)
{
	const struct point *point = point_of(r, (size_t)r->argument);

	if (point)
		figure->value = figure->low = figure->high =
			point->clock_hz / 1e6;
	return 0;
}

/* ---- values of which the figure is the median ---- */

/* `failed`: memory was short when the values were added. */
static int set_median(const struct reading *r, int failed,
	const struct values *values, struct observed *figure)
{
	struct summary summary;

	if (!failed && !values->count)
		return 0;
	if (failed ||
		stats_summarize(values->items, values->count, SEED, &summary))
		return error_set(r->error, ERR_FAILED, "out of memory");
	figure->value = summary.median;
	figure->low = summary.low;
	figure->high = summary.high;
	return 0;
}

static uint32_t repeats_of(const struct point *point)
{
	uint32_t repeats = 0;
	size_t i;

	for (i = 0; i < point->samples.count; i++)
		if (point->samples.repeat[i] >= repeats)
			repeats = point->samples.repeat[i] + 1;
	return repeats;
}

/* Repeat by repeat: what `of` makes of the repeat's samples in a region. */
static int over_repeats(const struct reading *r, const struct point *point,
	unsigned region, double (*of)(struct values *), struct observed *figure)
{
	const struct sample_table *t = &point->samples;
	const uint32_t repeats = repeats_of(point);
	struct values each = {0}, one = {0};
	uint32_t repeat;
	size_t i;
	int failed = 0;

	for (repeat = 0; repeat < repeats; repeat++) {
		one.count = 0;
		for (i = 0; i < t->count; i++)
			if (t->repeat[i] == repeat && t->region[i] == region)
				failed |= values_add(&one, t->cycles[i]);
		if (one.count)
			failed |= values_add(&each, of(&one));
	}
	failed = set_median(r, failed, &each, figure);
	values_free(&one);
	values_free(&each);
	return failed;
}

static double p95(struct values *values)
{
	stats_sort(values->items, values->count);
	return stats_quantile(values->items, values->count, P95);
}

static double median(struct values *values)
{
	return stats_median(values->items, values->count);
}

static void to_ns(const struct point *point, struct observed *figure)
{
	const double ns = 1e9 / point->clock_hz;

	figure->value *= ns;
	figure->low *= ns;
	figure->high *= ns;
}

int read_latency_p95_ns(const struct reading *r, struct observed *figure)
{
	const struct point *point = point_of(r, (size_t)r->argument);
	int code;

	if (!point)
		return 0;
	code = over_repeats(r, point, 0, p95, figure);
	to_ns(point, figure);
	return code;
}

int read_tail_share(const struct reading *r, struct observed *figure)
{
	const struct point *point = point_of(r, (size_t)r->argument);
	double middle;

	if (!point || over_repeats(r, point, 0, p95, figure))
		return point ? ERR_FAILED : 0;
	middle = point_summary(point, METRIC_LATENCY_CYCLES)->median;
	figure->value /= middle;
	figure->low /= middle;
	figure->high /= middle;
	return 0;
}

int read_region_latency(const struct reading *r, struct observed *figure)
{
	const struct point *point = point_of(r, 0);
	int code;

	if (!point)
		return 0;
	code = over_repeats(r, point, (unsigned)r->argument, median, figure);
	to_ns(point, figure);
	return code;
}

int read_region_rate(const struct reading *r, struct observed *figure)
{
	const struct point *point = point_of(r, 0);
	struct values values = {0};
	size_t i;
	int code = 0;

	for (i = 0; point && i < point->span_count; i++)
		if (point->spans[i].region == (unsigned)r->argument &&
			point->spans[i].ns > 0)
			code |= values_add(
				&values, r->region_bytes / point->spans[i].ns);
	code = set_median(r, code, &values, figure);
	values_free(&values);
	return code;
}

/* The region that is farthest off, over the one in the middle. */
static int read_extreme(const struct reading *r,
	int (*of)(const struct reading *, struct observed *), bool highest,
	struct observed *figure)
{
	double sorted[OBSERVE_REGIONS], middle;
	struct observed worst = *figure;
	int k, code = 0;

	for (k = 0; !code && k < OBSERVE_REGIONS; k++) {
		struct reading one = *r;
		struct observed this = *figure;

		one.argument = k;
		code = of(&one, &this);
		sorted[k] = this.value;
		if (!isfinite(this.value))
			return code;
		if (!k || (this.value > worst.value) == highest)
			worst = this;
	}
	if (code)
		return code;
	middle = stats_median(sorted, OBSERVE_REGIONS);
	*figure = (struct observed){
		worst.value / middle, worst.low / middle, worst.high / middle};
	return 0;
}

int read_farthest_region(const struct reading *r, struct observed *figure)
{
	return read_extreme(r, read_region_latency, true, figure);
}

int read_slowest_region(const struct reading *r, struct observed *figure)
{
	return read_extreme(r, read_region_rate, false, figure);
}

/* ---- the slowest SM ---- */

void read_sm_cycles(const struct sample_table *table, uint32_t repeat,
	double cycles[READ_SMS_MAX])
{
	size_t i;

	memset(cycles, 0, READ_SMS_MAX * sizeof(*cycles));
	for (i = 0; i < table->count; i++)
		if (table->repeat[i] == repeat && table->sm[i] < READ_SMS_MAX &&
			table->cycles[i] > cycles[table->sm[i]])
			cycles[table->sm[i]] = table->cycles[i];
}

static double slowest_share(const struct sample_table *t, uint32_t repeat)
{
	double cycles[READ_SMS_MAX];
	size_t i, count = 0;

	read_sm_cycles(t, repeat, cycles);
	for (i = 0; i < READ_SMS_MAX; i++)
		if (cycles[i] > 0)
			cycles[count++] = cycles[i];
	if (!count)
		return NAN;
	stats_sort(cycles, count);
	return stats_quantile(cycles, count, 0.5) / cycles[count - 1];
}

int read_slowest_sm(const struct reading *r, struct observed *figure)
{
	const struct point *point = point_of(r, (size_t)r->argument);
	struct values values = {0};
	uint32_t repeat, repeats = point ? repeats_of(point) : 0;
	int code = 0;

	for (repeat = 0; repeat < repeats; repeat++) {
		double share = slowest_share(&point->samples, repeat);

		if (isfinite(share))
			code |= values_add(&values, share);
	}
	code = set_median(r, code, &values, figure);
	values_free(&values);
	return code;
}

/* ---- slices ---- */

/* Of one repeat, all probers together: each by itself counts in steps of a few
   per cent. */
static int slices_of(const struct reading *r, const struct point *point,
	uint32_t repeat, double *slices)
{
	const struct sample_table *t = &point->samples;
	struct point part = {0};
	struct chip chip = {.partitions = 1};
	size_t i;
	int code = sample_table_reserve(&part.samples, t->count);

	for (i = 0; !code && i < t->count; i++)
		if (t->repeat[i] == repeat)
			code = sample_table_add(&part.samples, repeat,
				&(struct sample){.cycles = t->cycles[i],
					.iteration = t->iteration[i],
					.warp = t->warp[i]});
	if (r->map) {
		chip.partitions = r->map->sides.count;
		chip.home_hash_mask = r->map->hash.bits;
	}
	if (code)
		error_set(r->error, ERR_FAILED, "out of memory");
	else
		code = chip_count_slices(&chip, &part, slices, r->error);
	point_free(&part);
	return code;
}

int read_slices(const struct reading *r, struct observed *figure)
{
	const struct point *point = point_of(r, 0);
	struct values values = {0};
	uint32_t repeat, repeats = point ? repeats_of(point) : 0;
	double slices;
	int code = 0, failed = 0;

	for (repeat = 0; !code && repeat < repeats; repeat++) {
		code = slices_of(r, point, repeat, &slices);
		if (!code && isfinite(slices))
			failed |= values_add(&values, slices);
	}
	if (!code)
		code = set_median(r, failed, &values, figure);
	values_free(&values);
	return code;
}

/* ---- the map ---- */

int read_map(const struct reading *r, struct observed *figure)
{
	return !r->map ? 0
		       : map_observe(r->map, (enum map_figure)r->argument,
				 figure, r->error);
}

/* ---- facts ---- */

int read_fact(const struct reading *r, struct observed *figure)
{
	static const char *const keys[] = {
		[FACT_ECC_CORRECTED] = "ecc.corrected_total",
		[FACT_ECC_UNCORRECTED] = "ecc.uncorrected_total",
		[FACT_ROWS_REMAPPED] = "rows.remapped",
	};
	const char *text = facts_find(r->facts, keys[r->argument]);
	char *end;
	double value;

	if (!text)
		return 0;
	value = strtod(text, &end);
	if (end != text && !*end)
		figure->value = figure->low = figure->high = value;
	return 0;
}
