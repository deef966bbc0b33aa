/* What the samples of a point say: the same for target and model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fit/search/parts.h"
#include "harness/observe/map_figures.h"
#include "harness/run/metrics.h"
#include "harness/stats/modes.h"

#define MODES_SEED 1

bool metric_is_share(int metric)
{
	return !strncmp(metric_columns[metric], "share_", 6);
}

/* ---- which metrics ---- */

static bool has_metric(const struct series *series, int metric)
{
	size_t i;

	for (i = 0; i < series->point_count; i++)
		if (!series->points[i].skipped &&
			point_summary(&series->points[i], metric)->median != 0)
			return true;
	return false;
}

/* A row whose program no bench has built times single loads or one loop: its
   rate is what else the loop does. */
static bool is_row_program(const struct series *series)
{
	return facts_find(&series->provenance, MEASURE_ROW) &&
	       !strncmp(series->bench, "fit-", 4);
}

void target_metrics(struct target_series *t)
{
	static const uint32_t sets[] = {
		1u << METRIC_SHARE_L1 | 1u << METRIC_SHARE_NEAR |
			1u << METRIC_SHARE_FAR | 1u << METRIC_SHARE_DRAM,
		1u << METRIC_ATOMICS_PER_CYCLE,
		1u << METRIC_LATENCY_CYCLES | 1u << METRIC_LOAD_GB_PER_S |
			1u << METRIC_USEFUL_GB_PER_S,
		1u << METRIC_BYTES_PER_CYCLE,
	};
	size_t i;
	int metric;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		for (metric = 0; metric < METRIC_COUNT; metric++)
			if (sets[i] & t->series->metrics & (1u << metric) &&
				(metric_is_share(metric) ||
					has_metric(t->series, metric)))
				t->metrics[t->metric_count++] = metric;
		if (t->metric_count && is_row_program(t->series))
			t->metric_count = 1;
		if (t->metric_count)
			return;
	}
	metric = series_primary(t->series);
	if (metric >= 0 && metric < METRIC_COUNT)
		t->metrics[t->metric_count++] = metric;
}

/* ---- numbers ---- */

static void clear(struct outcome *outcome)
{
	size_t i;

	for (i = 0; i < OUTCOME_COUNT; i++)
		outcome->field[i] = NAN;
}

static int median_of(
	const double *values, size_t count, double *median, struct error *error)
{
	double *sorted = malloc((count + 1) * sizeof(*sorted));

	if (!sorted)
		return error_set(error, ERR_FAILED, "out of memory");
	memcpy(sorted, values, count * sizeof(*sorted));
	*median = stats_median(sorted, count);
	free(sorted);
	return 0;
}

static int find_modes(const double *values, size_t count,
	struct outcome *outcome, struct error *error)
{
	struct modes modes;
	int code = modes_find(values, count, MODES_SEED, &modes, error);

	if (code || !modes.count)
		return code;
	outcome->field[OUTCOME_LOW_MODE] = modes.items[0].position;
	outcome->field[OUTCOME_HIGH_MODE] =
		modes.items[modes.count - 1].position;
	return 0;
}

/* ---- near-far ---- */

/* What a fit reads off a map. */
static const struct map_field {
	enum outcome_field field;
	enum map_figure figure;
} map_fields[] = {
	{OUTCOME_SM_TERM, MAP_SM_TERM},
	{OUTCOME_LINE_TERM, MAP_LINE_TERM},
	{OUTCOME_PRODUCT_TERM, MAP_PRODUCT_TERM},
	{OUTCOME_NEAR_LOAD, MAP_NEAR_LOAD},
	{OUTCOME_FAR_LOAD, MAP_FAR_LOAD},
	{OUTCOME_NEAR_CELLS, MAP_NEAR_MEAN},
	{OUTCOME_FAR_CELLS, MAP_FAR_MEAN},
};

static int find_map(const struct point *point, const struct series *series,
	struct outcome *outcome, struct error *error)
{
	struct map map;
	struct observed figure;
	size_t i;
	int code = map_of_series(series, point, &map, error);

	if (code)
		return code;
	for (i = 0; !code && i < sizeof(map_fields) / sizeof(map_fields[0]);
		i++) {
		code = map_observe(&map, map_fields[i].figure, &figure, error);
		outcome->field[map_fields[i].field] = figure.value;
	}
	map_free(&map);
	return code;
}

/* ---- of the target ---- */

int outcome_of_target(const struct target_series *series,
	const struct target_point *point, struct outcome *outcome,
	struct error *error)
{
	const struct metric_values *latency;
	const struct point *p = point->point;
	size_t i;

	clear(outcome);
	for (i = 0; i < series->metric_count; i++) {
		const struct summary *s = point_summary(p, series->metrics[i]);

		outcome->field[OUTCOME_METRIC + i] =
			point->distribution ? s->mean : s->median;
	}
	if (point->distribution)
		outcome->field[OUTCOME_DISTANCE] = 0;
	if (point->map)
		return find_map(p, series->series, outcome, error);
	if (!point->distribution)
		return 0;
	latency = point_metric(p, METRIC_LATENCY_CYCLES);
	return find_modes(
		latency->values, latency->value_count, outcome, error);
}

/* ---- of a run ---- */

/* A run's samples as those of a point. */
static int point_of_run(const struct target_point *target,
	const struct result *result, struct point *point)
{
	size_t i;
	int code = sample_table_reserve(&point->samples, result->sample_count);

	point->regions = target->point->regions; /* lent */
	point->region_count = target->point->region_count;
	for (i = 0; !code && i < result->sample_count; i++)
		code = sample_table_add(
			&point->samples, 0, &result->samples[i]);
	return code;
}

static int map_of_run(const struct target_series *series,
	const struct target_point *point, const struct result *result,
	struct outcome *outcome, struct error *error)
{
	struct point run = {.x = point->point->x};
	int code = point_of_run(point, result, &run)
			   ? error_set(error, ERR_FAILED, "out of memory")
			   : find_map(&run, series->series, outcome, error);

	run.regions = NULL;
	run.region_count = 0;
	point_free(&run);
	return code;
}

static int distribution_of_run(const struct target_point *point,
	const struct values *latencies, struct outcome *outcome,
	struct error *error)
{
	const struct metric_values *wanted =
		point_metric(point->point, METRIC_LATENCY_CYCLES);

	double distance;

	if (stats_wasserstein(wanted->values, wanted->value_count,
		    latencies->items, latencies->count, &distance))
		return error_set(error, ERR_FAILED, "out of memory");
	outcome->field[OUTCOME_DISTANCE] =
		distance / stats_mean(wanted->values, wanted->value_count);
	if (point->map)
		return 0;
	return find_modes(latencies->items, latencies->count, outcome, error);
}

int outcome_of_run(const struct target_series *series,
	const struct target_point *point, const struct device *device,
	const struct result *result, struct outcome *outcome,
	struct error *error)
{
	struct values values[METRIC_COUNT] = {0};
	uint32_t wanted = 0;
	size_t i;
	int code;

	clear(outcome);
	for (i = 0; i < series->metric_count; i++)
		wanted |= 1u << series->metrics[i];
	code = metrics_add(
		point->program, result, device, wanted, values, error);
	for (i = 0; !code && i < series->metric_count; i++) {
		const struct values *v = &values[series->metrics[i]];

		if (v->count && point->distribution)
			outcome->field[OUTCOME_METRIC + i] =
				stats_mean(v->items, v->count);
		else if (v->count)
			code = median_of(v->items, v->count,
				&outcome->field[OUTCOME_METRIC + i], error);
	}
	if (!code && point->distribution)
		code = distribution_of_run(
			point, &values[METRIC_LATENCY_CYCLES], outcome, error);
	if (!code && point->map)
		code = map_of_run(series, point, result, outcome, error);
	for (i = 0; i < METRIC_COUNT; i++)
		values_free(&values[i]);
	return code;
}
