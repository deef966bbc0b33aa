#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/run/host.h"
#include "harness/run/measure.h"
#include "harness/base/progress.h"

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
	pthread_mutex_t lock;
	pthread_cond_t moved; /* a task was finished, or a worker left */
	unsigned working;
	bool lent;          /* a worker has the instance that is open already */
	struct facts facts; /* of the device, after the runs */
	int code;           /* the first failure */
	struct error error;
};

/* ---- workers ---- */

/* Workers begin at the end of the list: the last points of a sweep are as a
   rule the dearest, and none shall be left to one worker when the others are
   done. One worker goes in order. */
static struct task *take(struct crew *crew)
{
	bool several =
		crew->config->opened->ops->parallel && crew->config->jobs > 1;
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
		int code = measure_point(crew->config, backend, plan,
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
		code = crew->config->opened->ops->describe(
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

/* The first to ask has the instance that is open already. */
static int enter(
	struct crew *crew, struct backend **backend, struct error *error)
{
	const struct opened *opened = crew->config->opened;
	bool first;

	pthread_mutex_lock(&crew->lock);
	first = !crew->lent;
	crew->lent = true;
	pthread_mutex_unlock(&crew->lock);
	*backend = opened->backend;
	return first ? 0
		     : opened->ops->open(
			       backend, &crew->config->backend, error);
}

static void *worker(void *argument)
{
	struct crew *crew = argument;
	const struct opened *opened = crew->config->opened;
	struct backend *backend;
	struct error error = {""};
	char bound[256];
	int code;

	bind_thread(&opened->facts, bound, sizeof(bound));
	code = enter(crew, &backend, &error);
	if (!code) {
		work(crew, backend);
		if (describe_after(crew, backend, bound))
			code = error_set(&error, ERR_FAILED,
				"the device cannot be described");
		if (backend != opened->backend)
			opened->ops->close(backend);
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
	unsigned jobs =
		crew->config->opened->ops->parallel ? crew->config->jobs : 1;
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

int runner_run(const struct run_config *config, struct plan *plans,
	size_t plan_count, struct series_list *list, struct facts *facts,
	struct error *error)
{
	struct crew crew = {.config = config, .plans = plans};
	struct series_list made = {0};
	size_t i;
	int code;

	if (make_tasks(&crew, plan_count))
		return error_set(error, ERR_FAILED, "out of memory");
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
	for (i = 0; i < crew.task_count; i++)
		point_free(&crew.tasks[i].point);
	free(crew.tasks);
	pthread_cond_destroy(&crew.moved);
	pthread_mutex_destroy(&crew.lock);
	return code;
}
