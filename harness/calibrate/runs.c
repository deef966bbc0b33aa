/* Points on the model: workers with an instance each, and what is known. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/calibrate/parts.h"

#define SETS_MAX 256

double calibrate_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Of this thread alone: other work on the host does not count. */
static double processor_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- values as settings of the backend ---- */

struct settings {
	char text[SETS_MAX][2 * VALUE_BYTES];
	const char *list[SETS_MAX];
	size_t count;
	uint64_t digest; /* never 0 */
};

/* What differs from the start; further values than fit are a bug. */
static void make_settings(
	const struct calibration *c, const double *values, struct settings *s)
{
	size_t i;
	const char *at;

	s->count = 0;
	s->digest = UINT64_C(0xcbf29ce484222325);
	for (i = 0; i < c->tuning.count && s->count < SETS_MAX; i++) {
		char value[VALUE_BYTES], *text = s->text[s->count];

		if (values[i] == c->tuning.items[i].start)
			continue;
		tuning_format(&c->tuning, i, values[i], value);
		snprintf(text, sizeof(s->text[0]), "%s=%s",
			c->tuning.items[i].name, value);
		s->list[s->count++] = text;
		at = text;
		do /* the zero byte too, as a separator */
			s->digest = (s->digest ^ (unsigned char)*at) *
				    UINT64_C(0x100000001b3);
		while (*at++);
	}
	s->digest |= !s->digest;
}

static int open_backend(const struct calibration *c, const struct settings *s,
	struct backend **backend, struct error *error)
{
	struct backend_config config = {
		c->config->machine, s->list, s->count, 0, c->config->stop};

	return c->config->ops->open(backend, &config, error);
}

/* The model with these values; it keeps none of the settings. */
static int open_at(const struct calibration *c, const double *values,
	struct backend **backend, struct error *error)
{
	struct settings *settings = malloc(sizeof(*settings));
	int code;

	if (!settings)
		return error_set(error, ERR_FAILED, "out of memory");
	make_settings(c, values, settings);
	code = open_backend(c, settings, backend, error);
	free(settings);
	return code;
}

int runs_accepted(const struct calibration *c, const double *values,
	bool *accepted, struct error *error)
{
	struct backend *backend;
	int code = open_at(c, values, &backend, error);

	if (!code)
		c->config->ops->close(backend);
	*accepted = !code;
	return code == ERR_USAGE ? 0 : code;
}

int runs_program(const struct calibration *c, const double *values,
	const struct program *program, struct result *result,
	struct error *error)
{
	struct backend *backend;
	int code = open_at(c, values, &backend, error);

	if (!code) {
		code = c->config->ops->run(backend, program, result, error);
		c->config->ops->close(backend);
	}
	return code;
}

int runs_digest(const struct calibration *c, const char *machine,
	const double *values, char digest[17], struct error *error)
{
	struct settings *settings = calloc(1, sizeof(*settings));
	struct backend_config config = {machine, NULL, 0, 0};
	const struct backend_ops *ops = c->config->ops;
	struct facts facts = {0};
	struct device device;
	struct backend *backend;
	const char *fact;
	int code;

	if (!settings)
		return error_set(error, ERR_FAILED, "out of memory");
	if (values) {
		make_settings(c, values, settings);
		config.sets = settings->list;
		config.set_count = settings->count;
	}
	code = ops->open(&backend, &config, error);
	if (!code) {
		code = ops->describe(backend, &device, &facts, error);
		fact = facts_find(&facts, "machine.digest");
		snprintf(digest, 17, "%s", fact ? fact : "");
		facts_free(&facts);
		ops->close(backend);
	}
	free(settings);
	return code;
}

/* ---- workers ---- */

struct task {
	size_t point;
	struct outcome *outcome;
};

struct crew {
	struct calibration *c;
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
		crew->code = error_set(&crew->error, ERR_INTERRUPTED,
			"interrupted; --resume goes on from '%s'",
			crew->c->config->state);
	if (crew->next < crew->count && !crew->code)
		task = &crew->tasks[crew->next++];
	pthread_mutex_unlock(&crew->lock);
	return task;
}

static int run_task(struct crew *crew, struct backend *backend,
	const struct task *task, struct result *result, struct error *error)
{
	struct calibration *c = crew->c;
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
	struct calibration *c = crew->c;
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
	int code = open_backend(crew->c, crew->settings, &backend, &error);

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

int runs_make(struct calibration *c, const double *values,
	const struct point_set *set, struct outcome *outcomes,
	struct error *error)
{
	struct settings *settings = malloc(sizeof(*settings));
	struct crew crew = {.c = c, .settings = settings};
	size_t i;
	int code = 0;

	crew.tasks = calloc(set->count + 1, sizeof(*crew.tasks));
	if (!settings || !crew.tasks) {
		code = error_set(error, ERR_FAILED, "out of memory");
		goto out;
	}
	make_settings(c, values, settings);
	for (i = 0; i < set->count; i++)
		if (!memo_get(&c->memo, settings->digest, set->items[i],
			    &outcomes[i]))
			crew.tasks[crew.count++] =
				(struct task){set->items[i], &outcomes[i]};
	qsort_r(crew.tasks, crew.count, sizeof(*crew.tasks), dearer_first,
		c->targets.points);
	pthread_mutex_init(&crew.lock, NULL);
	if (crew.count)
		code = employ(&crew, error);
	pthread_mutex_destroy(&crew.lock);
out:
	free(crew.tasks);
	free(settings);
	return code;
}
