#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/run/host.h"
#include "harness/run/metrics.h"
#include "harness/base/progress.h"
#include "harness/run/runner.h"
#include "harness/program/text/text.h"

struct task {
	size_t plan, index;
	struct point point;
	bool done;
};

struct crew {
	const struct run_config *config;
	struct plan *plans;
	struct task *tasks;
	size_t task_count, next, finished;
	struct device device;
	pthread_mutex_t lock;
	pthread_cond_t moved; /* a task was finished, or a worker left */
	unsigned working;
	struct facts before, facts; /* of the device; after the runs */
	int code;                   /* the first failure */
	struct error error;
};

/* ---- one point ---- */

struct measurement {
	const struct run_config *config;
	const struct plan *plan;
	const struct device *device;
	struct backend *backend;
	struct program program;
	struct result result;
	struct values values[METRIC_COUNT];
	double *clocks; /* by repeat */
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

static int run_once(
	struct measurement *m, double x, uint32_t repeat, struct error *error)
{
	uint32_t seed = m->config->seed + 1000003u * repeat;
	int code = plan_build(m->plan, m->device, x, seed, &m->program, error);

	if (!code)
		code = m->config->ops->run(
			m->backend, &m->program, &m->result, error);
	return code;
}

static int measure(struct measurement *m, double x, struct point *point,
	struct error *error)
{
	uint32_t repeat;
	int code = 0;

	for (repeat = 0; !code && repeat < m->config->warmups; repeat++)
		code = run_once(m, x, repeat, error);
	for (repeat = 0; !code && repeat < m->config->repeats; repeat++) {
		code = run_once(m, x, repeat, error);
		if (code)
			break;
		if (repeat == 0 && keep_program(point, m))
			return error_set(error, ERR_FAILED, "out of memory");
		m->clocks[repeat] = m->result.clock_hz;
		code = metrics_add(&m->program, &m->result, m->device,
			m->plan->metrics, m->values, error);
		if (!code && (keep_spans(point, &m->result, repeat) ||
				     (!m->config->without_samples &&
					     keep_samples(point, &m->result,
						     repeat))))
			code = error_set(error, ERR_FAILED, "out of memory");
	}
	return code;
}

static int summarize(
	struct measurement *m, struct point *point, struct error *error)
{
	int metric;

	for (metric = 0; metric < METRIC_COUNT; metric++) {
		struct values *v = &m->values[metric];

		if (!(m->plan->metrics & (1u << metric)))
			continue;
		if (stats_summarize(v->items, v->count,
			    m->config->seed + (uint64_t)metric,
			    &point->metrics[metric]))
			return error_set(error, ERR_FAILED, "out of memory");
		point->values[metric] = v->items;
		point->value_counts[metric] = v->count;
		*v = (struct values){0};
	}
	stats_sort(m->clocks, m->config->repeats);
	point->clock_hz = stats_quantile(m->clocks, m->config->repeats, 0.5);
	return 0;
}

/* Fills a point; a point that cannot be had is skipped with its reason. */
static int run_point(const struct crew *crew, struct backend *backend,
	const struct plan *plan, double x, struct point *point,
	struct error *error)
{
	struct measurement m = {
		.config = crew->config,
		.plan = plan,
		.device = &crew->device,
		.backend = backend,
		.clocks = calloc(crew->config->repeats, sizeof(double)),
	};
	int code = m.clocks ? measure(&m, x, point, error)
			    : error_set(error, ERR_FAILED, "out of memory"),
	    metric;

	point->x = x;
	if (!code)
		code = summarize(&m, point, error);
	if (code == ERR_SKIPPED) {
		point->skipped = strdup(error->text);
		code = point->skipped ? 0 : ERR_FAILED;
	}
	for (metric = 0; metric < METRIC_COUNT; metric++)
		values_free(&m.values[metric]);
	result_free(&m.result);
	free(m.clocks);
	return code;
}

/* ---- workers ---- */

/* Workers begin at the end of the list: the last points of a sweep are as a
   rule the dearest, and none shall be left to one worker when the others are
   done. One worker goes in order. */
static struct task *take(struct crew *crew)
{
	bool several = crew->config->ops->parallel && crew->config->jobs > 1;
	struct task *task = NULL;

	pthread_mutex_lock(&crew->lock);
	if (crew->next < crew->task_count && !crew->code &&
		!(crew->config->stop && atomic_load(crew->config->stop)))
		task = &crew->tasks[several ? crew->task_count - ++crew->next
					    : crew->next++];
	pthread_mutex_unlock(&crew->lock);
	return task;
}

static void report(struct crew *crew, struct task *task, int code,
	const struct error *error)
{
	pthread_mutex_lock(&crew->lock);
	if (code && !crew->code) {
		crew->code = code;
		crew->error = *error;
	}
	task->done = !code;
	crew->finished++;
	pthread_cond_signal(&crew->moved);
	pthread_mutex_unlock(&crew->lock);
}

static void leave(struct crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	crew->working--;
	pthread_cond_signal(&crew->moved);
	pthread_mutex_unlock(&crew->lock);
}

static void work(struct crew *crew, struct backend *backend)
{
	struct task *task;

	while ((task = take(crew)) != NULL) {
		const struct plan *plan = &crew->plans[task->plan];
		struct error error = {""};
		int code = run_point(crew, backend, plan,
			plan->sweep.points[task->index], &task->point, &error);

		report(crew, task, code, &error);
	}
}

static void give_up(struct crew *crew, int code, const struct error *error)
{
	pthread_mutex_lock(&crew->lock);
	if (!crew->code) {
		crew->code = code;
		crew->error = *error;
	}
	pthread_mutex_unlock(&crew->lock);
}

/* What the device says of itself after the runs: clocks that moved show. */
static int describe_after(
	struct crew *crew, struct backend *backend, const char *bound)
{
	struct device device;
	struct error error = {""};
	int code = 0;

	pthread_mutex_lock(&crew->lock);
	if (!crew->facts.count) {
		code = crew->config->ops->describe(
			backend, &device, &crew->facts, &error);
		if (!code && *bound)
			code = facts_add(
				&crew->facts, "host.bound", "%s", bound);
	}
	pthread_mutex_unlock(&crew->lock);
	return code;
}

/* Where the device hangs on PCI, the thread that drives it sits near it. */
static void bind_thread(const struct facts *facts, char *where, size_t bytes)
{
	const char *bus_id = facts_find(facts, "device.pci");
	struct error error;

	*where = '\0';
	if (bus_id && host_bind_near_pci(bus_id, where, bytes, &error))
		snprintf(where, bytes, "not bound: %.200s", error.text);
}

static void *worker(void *argument)
{
	struct crew *crew = argument;
	struct backend *backend;
	struct error error = {""};
	char bound[256];
	int code;

	bind_thread(&crew->before, bound, sizeof(bound));
	code = crew->config->ops->open(
		&backend, &crew->config->backend, &error);
	if (!code) {
		work(crew, backend);
		if (describe_after(crew, backend, bound))
			code = error_set(&error, ERR_FAILED,
				"the device cannot be described");
		crew->config->ops->close(backend);
	}
	if (code)
		give_up(crew, code, &error);
	leave(crew);
	return NULL;
}

/* Draws the progress while the workers work. */
static void watch(struct crew *crew)
{
	struct progress progress;
	size_t shown = 0;

	progress_start(&progress, "points", crew->task_count);
	pthread_mutex_lock(&crew->lock);
	while (crew->working) {
		pthread_cond_wait(&crew->moved, &crew->lock);
		for (; shown < crew->finished; shown++)
			progress_step(&progress);
	}
	pthread_mutex_unlock(&crew->lock);
	progress_end(&progress);
}

static int employ(struct crew *crew, struct error *error)
{
	unsigned jobs = crew->config->ops->parallel ? crew->config->jobs : 1;
	pthread_t *threads;
	unsigned i, started = 0;

	if (jobs > crew->task_count)
		jobs = crew->task_count ? (unsigned)crew->task_count : 1;
	threads = calloc(jobs, sizeof(*threads));
	if (!threads)
		return error_set(error, ERR_FAILED, "out of memory");
	pthread_mutex_lock(&crew->lock);
	for (i = 0; i < jobs; i++)
		if (!pthread_create(&threads[started], NULL, worker, crew))
			started++;
	crew->working = started;
	pthread_mutex_unlock(&crew->lock);
	if (!started) {
		free(threads);
		return error_set(
			error, ERR_FAILED, "no thread could be started");
	}
	watch(crew);
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	if (crew->code && error)
		*error = crew->error;
	return crew->code;
}

/* ---- series ---- */

static int add_options(struct series *series, const struct plan *plan)
{
	const struct bench_option *option = plan->args.options;
	size_t i;
	int code = 0;

	for (i = 0; option && option[i].name; i++)
		code |= facts_add(&series->options, option[i].name, "%s",
			plan->args.values[i].text);
	return code;
}

static int add_series(
	const struct crew *crew, size_t plan_index, struct series_list *list)
{
	const struct plan *plan = &crew->plans[plan_index];
	struct series *series = series_list_add(list);
	size_t i;

	if (!series)
		return ERR_FAILED;
	series->bench = strdup(plan->name);
	series->axis = strdup(plan->axis);
	series->metrics = plan->metrics;
	if (!series->bench || !series->axis || add_options(series, plan))
		return ERR_FAILED;
	for (i = 0; i < crew->task_count; i++) {
		struct task *task = &crew->tasks[i];
		struct point *point;

		if (task->plan != plan_index || !task->done)
			continue;
		point = series_add_point(series, task->point.x);
		if (!point)
			return ERR_FAILED;
		*point = task->point;
		task->point = (struct point){0};
	}
	return 0;
}

static int make_tasks(struct crew *crew, size_t plan_count)
{
	size_t i, k, at = 0;

	for (i = 0; i < plan_count; i++)
		crew->task_count += crew->plans[i].sweep.count;
	crew->tasks = calloc(crew->task_count + 1, sizeof(*crew->tasks));
	if (!crew->tasks)
		return ERR_FAILED;
	for (i = 0; i < plan_count; i++)
		for (k = 0; k < crew->plans[i].sweep.count; k++) {
			crew->tasks[at].plan = i;
			crew->tasks[at++].index = k;
		}
	return 0;
}

/* The device as the workers will find it. */
static int learn_device(struct crew *crew, struct error *error)
{
	const struct backend_ops *ops = crew->config->ops;
	struct backend *backend;
	int code = ops->open(&backend, &crew->config->backend, error);

	if (code)
		return code;
	code = ops->describe(backend, &crew->device, &crew->before, error);
	ops->close(backend);
	return code;
}

int runner_run(const struct run_config *config, struct plan *plans,
	size_t plan_count, struct series_list *list, struct facts *facts,
	struct error *error)
{
	struct crew crew = {.config = config, .plans = plans};
	struct series_list made = {0};
	size_t i;
	int code = learn_device(&crew, error);

	if (!code && make_tasks(&crew, plan_count))
		code = error_set(error, ERR_FAILED, "out of memory");
	if (code) {
		facts_free(&crew.before);
		return code;
	}
	pthread_mutex_init(&crew.lock, NULL);
	pthread_cond_init(&crew.moved, NULL);
	code = employ(&crew, error);
	for (i = 0; !code && i < plan_count; i++)
		if (add_series(&crew, i, &made))
			code = error_set(error, ERR_FAILED, "out of memory");
	if (!code && crew.next < crew.task_count)
		code = error_set(error, ERR_INTERRUPTED,
			"interrupted: %zu of %zu points were finished",
			crew.finished, crew.task_count);
	if (!code || code == ERR_INTERRUPTED) {
		*list = made;
		*facts = crew.facts;
	} else {
		series_list_free(&made);
		facts_free(&crew.facts);
	}
	facts_free(&crew.before);
	for (i = 0; i < crew.task_count; i++)
		point_free(&crew.tasks[i].point);
	free(crew.tasks);
	pthread_cond_destroy(&crew.moved);
	pthread_mutex_destroy(&crew.lock);
	return code;
}
