/* Points on the model: workers with an instance each, what is known, and what
   other processes run. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "harness/fit/search/settings.h"
#include "harness/split/part.h"

/* Of this thread alone: other work on the host does not count. */
static double processor_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- workers ---- */

struct task {
	size_t point;
	struct outcome *outcome;
};

struct crew {
	struct search *c;
	const struct settings *settings;
	struct task *tasks; /* the longest first */
	size_t count, next;
	pthread_mutex_t lock;
	int code;
	struct error error;
};

static struct task *take(struct crew *crew)
{
	struct task *task = NULL;
	atomic_int *stop = crew->c->config->stop;

	pthread_mutex_lock(&crew->lock);
	if (stop && atomic_load(stop) && !crew->code)
		crew->code =
			error_set(&crew->error, ERR_INTERRUPTED, "interrupted");
	if (crew->next < crew->count && !crew->code)
		task = &crew->tasks[crew->next++];
	pthread_mutex_unlock(&crew->lock);
	return task;
}

static int run_task(struct crew *crew, struct backend *backend,
	const struct task *task, struct result *result, struct error *error)
{
	struct search *c = crew->c;
	const struct target_point *point = &c->targets.points[task->point];
	size_t i;
	int code = c->config->ops->run(backend, point->program, result, error);

	if (!code)
		return outcome_of_run(&c->targets.series[point->series], point,
			&c->device, result, task->outcome, error);
	if (code != ERR_SKIPPED)
		return code;
	for (i = 0; i < OUTCOME_COUNT; i++)
		task->outcome->field[i] = NAN;
	return 0;
}

static void report(struct crew *crew, const struct task *task, double seconds,
	int code, const struct error *error)
{
	struct search *c = crew->c;
	struct error unkept;
	int kept;

	pthread_mutex_lock(&crew->lock);
	if (!code) {
		c->runs++;
		if (c->progress)
			progress_step(c->progress);
		c->series_s[c->targets.points[task->point].series] += seconds;
		kept = memo_put(&c->memo, crew->settings->digest, task->point,
			task->outcome, &unkept);
		if (kept && !crew->code) {
			crew->code = kept;
			crew->error = unkept;
		}
	} else if (!crew->code) {
		crew->code = code;
		crew->error = *error;
	}
	pthread_mutex_unlock(&crew->lock);
}

static void *work(void *argument)
{
	struct crew *crew = argument;
	struct result result = {0};
	struct backend *backend;
	struct error error = {""};
	struct task *task;
	int code = settings_open(crew->c, crew->settings, &backend, &error);

	if (code) {
		report(crew, NULL, 0, code, &error);
		return NULL;
	}
	while ((task = take(crew)) != NULL) {
		double begun_s = processor_s();

		code = run_task(crew, backend, task, &result, &error);
		report(crew, task, processor_s() - begun_s, code, &error);
	}
	result_free(&result);
	crew->c->config->ops->close(backend);
	return NULL;
}

static int employ(struct crew *crew, struct error *error)
{
	unsigned jobs = crew->c->config->jobs, i, started = 0;
	pthread_t *threads;

	if (jobs > crew->count)
		jobs = (unsigned)crew->count;
	threads = calloc(jobs + 1, sizeof(*threads));
	if (!threads)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 1; i < jobs; i++)
		if (!pthread_create(&threads[started], NULL, work, crew))
			started++;
	work(crew); /* this thread is one of them */
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	if (crew->code && error)
		*error = crew->error;
	return crew->code;
}

/* ---- a set of points ---- */

static int dearer_first(const void *a, const void *b, void *points)
{
	const struct target_point *list = points;
	const struct task *x = a, *y = b;
	double p = list[x->point].cost, q = list[y->point].cost;

	if (p != q)
		return p < q ? 1 : -1;
	return x->point < y->point ? -1 : x->point > y->point;
}

/* All points of a batch, the dearest first; whose each of them is. */
struct batch {
	struct task *tasks;
	size_t *owners; /* where processes share the points */
	size_t count;
	double waits_since_s; /* 0: it has not waited yet */
};

/* The crew's tasks: points that are not known, of one owner's share or of all.
   The search goes from the batch's task `first` round to the one before. */
static void gather(struct crew *crew, const struct batch *batch,
	bool (*wanted)(const struct others *others, size_t owner), size_t first,
	size_t most)
{
	const struct search *c = crew->c;
	size_t i;

	crew->count = crew->next = 0;
	for (i = 0; i < batch->count && crew->count < most; i++) {
		const size_t at = (first + i) % batch->count;
		struct task task = batch->tasks[at];

		if (!memo_get(&c->memo, crew->settings->digest, task.point,
			    task.outcome) &&
			(!wanted || wanted(&c->others, batch->owners[at])))
			crew->tasks[crew->count++] = task;
	}
}

static bool is_own(const struct others *others, size_t owner)
{
	return owner == others->own;
}

static bool is_gone(const struct others *others, size_t owner)
{
	return others->gone[owner];
}

static int check_waiting(const struct search *c, struct error *error)
{
	const struct search_config *config = c->config;

	if (config->stop && atomic_load(config->stop))
		return error_set(error, ERR_INTERRUPTED, "interrupted");
	if (config->part)
		return 0;
	return error_set(error, ERR_FAILED,
		"the fit in '%s' is not at its end: 'nearfar run --suite' goes "
		"on with it, with --part 1/%zu to %zu/%zu",
		config->folder, config->part_count, config->part_count,
		config->part_count);
}

/* Those who see that somebody is gone take a few of the points at a time, each
   from another place, and listen in between. */
static int go_on(struct crew *crew, struct batch *batch, bool heard,
	bool *finished, struct error *error)
{
	struct search *c = crew->c;
	int code;

	gather(crew, batch, NULL, 0, 1);
	*finished = !crew->count;
	if (*finished)
		return 0;
	gather(crew, batch, is_own, 0, batch->count);
	if (crew->count)
		return employ(crew, error);
	code = check_waiting(c, error);
	if (code)
		return code;
	if (!batch->waits_since_s)
		batch->waits_since_s = search_now_s();
	others_look(&c->others, batch->waits_since_s);
	gather(crew, batch, is_gone,
		c->others.own * batch->count / c->others.count,
		c->config->jobs);
	if (crew->count)
		return employ(crew, error);
	others_wait(&c->others, heard);
	return 0;
}

static size_t owner_of(const struct search *c, size_t index)
{
	const struct target_point *point = &c->targets.points[index];

	return part_owner(c->targets.series[point->series].label, point->series,
		&point->point->x, c->others.count);
}

static int run_together(
	struct crew *crew, struct batch *batch, struct error *error)
{
	struct search *c = crew->c;
	bool finished = !batch->count, heard;
	size_t i;
	int code = 0;

	batch->owners = calloc(batch->count + 1, sizeof(*batch->owners));
	if (!batch->owners)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < batch->count; i++)
		batch->owners[i] = owner_of(c, batch->tasks[i].point);
	while (!code && !finished) {
		code = others_hear(&c->others, &heard, error);
		if (!code)
			code = go_on(crew, batch, heard, &finished, error);
	}
	free(batch->owners);
	return code;
}

static int run_alone(
	struct crew *crew, const struct batch *batch, struct error *error)
{
	gather(crew, batch, NULL, 0, batch->count);
	return crew->count ? employ(crew, error) : 0;
}

int runs_make(struct search *c, const double *values,
	const struct point_set *set, struct outcome *outcomes,
	struct error *error)
{
	struct settings *settings = malloc(sizeof(*settings));
	struct crew crew = {.c = c, .settings = settings};
	struct batch batch = {.count = set->count};
	size_t i;
	int code;

	crew.tasks = calloc(set->count + 1, sizeof(*crew.tasks));
	batch.tasks = calloc(set->count + 1, sizeof(*batch.tasks));
	if (!settings || !crew.tasks || !batch.tasks) {
		code = error_set(error, ERR_FAILED, "out of memory");
		goto out;
	}
	settings_make(c, values, settings);
	for (i = 0; i < set->count; i++)
		batch.tasks[i] = (struct task){set->items[i], &outcomes[i]};
	qsort_r(batch.tasks, batch.count, sizeof(*batch.tasks), dearer_first,
		c->targets.points);
	pthread_mutex_init(&crew.lock, NULL);
	code = c->others.count ? run_together(&crew, &batch, error)
			       : run_alone(&crew, &batch, error);
	pthread_mutex_destroy(&crew.lock);
out:
	free(batch.tasks);
	free(crew.tasks);
	free(settings);
	return code;
}
