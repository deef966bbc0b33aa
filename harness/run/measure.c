#include <stdlib.h>
#include <string.h>

#include "harness/program/text/text.h"
#include "harness/judge/bounds.h"
#include "harness/judge/mark_rules.h"
#include "harness/run/measure.h"
#include "harness/run/metrics.h"

struct measurement {
	const struct run_config *config;
	const struct plan *plan;
	const struct device *device;
	struct backend *backend;
	struct program program;
	struct program_places places; /* of `text` */
	char *text;                   /* owned; NULL: not asked for */
	struct job_wishes wishes;
	struct result result;
	struct values values[METRIC_COUNT];
	double *clocks; /* by repeat */
	size_t *ends;   /* by repeat: the values of the first metric so far */
	unsigned runs;  /* so far */
	int metric;     /* the first of the plan's; -1: none */
	int headline;   /* -1: none */
	struct repeats_course course;
	unsigned disturbances;
	bool coarse; /* see mark_rules.h */
};

static int keep_spans(
	struct point *point, const struct result *result, uint32_t repeat)
{
	size_t count = point->region_count, i;
	struct span_row *larger = realloc(
		point->spans, (point->span_count + count) * sizeof(*larger));

	if (count && !larger)
		return ERR_FAILED;
	point->spans = larger;
	for (i = 0; i < count; i++)
		point->spans[point->span_count++] = (struct span_row){
			.region = (uint32_t)i,
			.repeat = repeat,
			.cycles = result->spans[i].cycles,
			.ns = result->spans[i].ns,
			.clock_hz = result->clock_hz,
		};
	return 0;
}

static int keep_samples(
	struct point *point, const struct result *result, uint32_t repeat)
{
	size_t i;
	int code = sample_table_reserve(
		&point->samples, point->samples.count + result->sample_count);

	for (i = 0; !code && i < result->sample_count; i++)
		code = sample_table_add(
			&point->samples, repeat, &result->samples[i]);
	return code;
}

/* What is the same in every repeat, taken from the first. */
static int keep_program(struct point *point, const struct measurement *m)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t count = program_regions(&m->program, regions), i;

	point->program = program_text(&m->program);
	point->regions = calloc(count + 1, sizeof(*point->regions));
	point->counters =
		calloc(m->result.counter_count + 1, sizeof(*point->counters));
	if (!point->program || !point->regions || !point->counters)
		return ERR_FAILED;
	for (i = 0; i < count; i++) {
		point->regions[i] = strdup(regions[i].repeat->region);
		if (!point->regions[i])
			return ERR_FAILED;
		point->region_count++;
	}
	for (i = 0; i < m->result.counter_count; i++) {
		point->counters[i].name = strdup(m->result.counters[i].name);
		point->counters[i].value = m->result.counters[i].value;
		if (!point->counters[i].name)
			return ERR_FAILED;
		point->counter_count++;
	}
	return 0;
}

/* Profiles and messages name lines of the program. */
static int look_inside(struct measurement *m, double x, struct error *error)
{
	if (m->text || (!m->config->profiles && !m->config->max_cycles))
		return 0;
	m->result.places = &m->places;
	m->wishes.max_cycles = m->config->max_cycles;
	m->result.wishes = &m->wishes;
	return plan_places(
		m->plan, x, &m->program, &m->places, &m->text, error);
}

static int run_once(
	struct measurement *m, double x, uint32_t repeat, struct error *error)
{
	uint32_t seed = m->config->seed + 1000003u * repeat;
	int code;

	if (m->config->stop && atomic_load(m->config->stop))
		return error_set(error, ERR_INTERRUPTED, "interrupted");
	code = plan_build(m->plan, m->device, x, seed, &m->program, error);
	if (!code)
		code = look_inside(m, x, error);
	if (!code)
		code = m->config->opened->ops->run(
			m->backend, &m->program, &m->result, error);
	if (!code)
		code = bounds_check(&m->program, &m->result, m->device, error);
	return code;
}

/* What a run gave, number m->runs. */
static int keep_run(
	struct measurement *m, struct point *point, struct error *error)
{
	const uint32_t repeat = m->runs;
	int code;

	if (repeat == 0 && keep_program(point, m))
		return error_set(error, ERR_FAILED, "out of memory");
	if (m->wishes.profile) {
		point->profiled = m->result.launches;
		m->result.launches = (struct job_result){0};
	}
	m->clocks[repeat] = m->result.clock_hz;
	m->disturbances |= m->result.disturbances;
	m->coarse |=
		marks_span_is_coarse(&m->program, &m->result, m->plan->metrics);
	code = metrics_add(&m->program, &m->result, m->device, m->plan->metrics,
		m->values, error);
	if (code)
		return code;
	if (m->metric >= 0)
		m->ends[repeat] = m->values[m->metric].count;
	if (keep_spans(point, &m->result, repeat) ||
		(!m->config->without_samples &&
			keep_samples(point, &m->result, repeat)))
		return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}

/* Whether no further run is needed. */
static bool enough(struct measurement *m)
{
	struct repeats_values values = {.metric = m->headline, .points = 1};

	if (m->headline >= 0) {
		values.items = m->values[m->headline].items;
		values.count = m->values[m->headline].count;
	}
	return repeats_enough(&m->course, m->runs, &values);
}

static int measure(struct measurement *m, double x, struct point *point,
	struct error *error)
{
	uint32_t repeat;
	int code = 0;

	for (repeat = 0; !code && repeat < m->config->warmups; repeat++)
		code = run_once(m, x, repeat, error);
	while (!code && !enough(m)) {
		m->result.timeline = m->runs ? NULL : m->config->timeline;
		m->wishes.profile = !m->runs && m->config->profiles;
		code = run_once(m, x, m->runs, error);
		if (!code)
			code = keep_run(m, point, error);
		m->runs++;
	}
	return code;
}

static int summarize(
	struct measurement *m, struct point *point, struct error *error)
{
	struct metric_values *reading;
	int metric;

	for (metric = 0; metric < METRIC_COUNT; metric++) {
		struct values *v = &m->values[metric];

		if (!(m->plan->metrics & (1u << metric)))
			continue;
		reading = point_add_metric(point, metric);
		if (!reading || stats_summarize(v->items, v->count,
					m->config->seed + (uint64_t)metric,
					&reading->summary))
			return error_set(error, ERR_FAILED, "out of memory");
		reading->values = v->items;
		reading->value_count = v->count;
		*v = (struct values){0};
	}
	point->clock_hz = stats_median(m->clocks, m->runs);
	return 0;
}

void measured_free(struct measured *measured)
{
	size_t i;

	for (i = 0; i < measured->point_count; i++)
		point_free(&measured->points[i]);
	free(measured->points);
	facts_free(&measured->facts);
	*measured = (struct measured){0};
}

static int mark(
	const struct measurement *m, struct point *point, struct error *error)
{
	size_t count =
		m->metric < 0 ? 0 : point_metric(point, m->metric)->value_count;
	struct mark_source source = {
		.point = point,
		.metric = m->metric,
		.repeats = m->runs,
		.ends = m->ends,
		.scratch = malloc((count + 1) * sizeof(double)),
		.disturbances = m->disturbances,
		.coarse = m->coarse,
		.program = &m->program,
		.device = m->device,
	};

	if (!source.scratch)
		return error_set(error, ERR_FAILED, "out of memory");
	point->marks = marks_find(&source);
	free(source.scratch);
	return 0;
}

int measure_point(const struct run_config *config, struct backend *backend,
	const struct device *device, const struct plan *plan, double x,
	struct point *point, struct error *error)
{
	struct measurement m = {
		.config = config,
		.plan = plan,
		.device = device,
		.backend = backend,
		.clocks = calloc(config->repeats.count, sizeof(double)),
		.ends = calloc(config->repeats.count, sizeof(size_t)),
		.metric = series_primary(
			&(struct series){.metrics = plan->metrics}),
		.headline = series_primary(&(struct series){
			.bench = plan->bench ? (char *)plan->bench->name : NULL,
			.metrics = plan->metrics}),
	};
	int metric, code;

	repeats_begin(&m.course, &config->repeats);
	code = m.clocks && m.ends
		       ? measure(&m, x, point, error)
		       : error_set(error, ERR_FAILED, "out of memory");

	point->x = x;
	if (!code)
		code = summarize(&m, point, error);
	if (!code)
		code = mark(&m, point, error);
	if (code == ERR_SKIPPED) {
		point->skipped = strdup(error->text);
		code = point->skipped
			       ? 0
			       : error_set(error, ERR_FAILED, "out of memory");
	}
	for (metric = 0; metric < METRIC_COUNT; metric++)
		values_free(&m.values[metric]);
	result_free(&m.result);
	free(m.text);
	free(m.clocks);
	free(m.ends);
	return code;
}
