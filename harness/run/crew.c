#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/progress.h"
#include "harness/run/crew.h"
#include "harness/host/host.h"
#include "harness/run/kept.h"
#include "harness/run/measure.h"

#define LOOK_NS    50000000 /* how often the flag is looked at */
#define PATIENCE_S 0.6      /* with workers, once it is set */

static bool stopping(const struct crew *crew)
{
	return crew->config.stop && atomic_load(crew->config.stop);
}

static void lock(struct crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	if (!crew->abandoned)
		return;
	/* What was shared is being written: the process ends soon. */
	pthread_mutex_unlock(&crew->lock);
	for (;;)
		pause();
}

/* The next task of a device, or NULL. Workers begin at the end of the list: the
   last points of a sweep are as a rule the dearest, and none shall be left to
   one worker when the others are done. A single worker goes in order. */
static struct task *find_next(struct crew *crew, size_t device)
{
	const bool several =
		crew->config.opened->ops->parallel && crew->config.jobs > 1;
	size_t *next = &crew->next[device];

	while (*next < crew->order_count) {
		const size_t at =
			several ? crew->order_count - 1 - *next : *next;

		++*next;
		if (crew->plans[crew->order[at]->plan].device == device)
			return crew->order[at];
	}
	return NULL;
}

static struct task *take(struct crew *crew, size_t device)
{
	struct task *task = NULL;

	lock(crew);
	if (!crew->code && !stopping(crew))
		task = find_next(crew, device);
	pthread_mutex_unlock(&crew->lock);
	return task;
}

static void give_up(struct crew *crew, int code, const struct error *error)
{
	if (crew->code)
		return;
	crew->code = code;
	crew->error = *error;
}

/* The lock is held. A point that is not in the journal is not finished. */
static void keep(struct crew *crew, struct task *task, const char *record,
	size_t bytes, int code)
{
	struct error error = {""};
	int kept = 0;

	if (crew->config.kept && code != ERR_INTERRUPTED && code != ERR_LOST)
		kept = record ? kept_put(crew->config.kept, record, bytes,
					&error)
			      : error_set(&error, ERR_FAILED,
					"out of memory for the journal");
	task->done = !code && !kept;
	if (kept)
		give_up(crew, kept, &error);
}

static void report(struct crew *crew, struct task *task, int code,
	const struct error *error)
{
	size_t bytes = 0;
	char *record = NULL;

	if (crew->config.kept)
		record = kept_record(&crew->plans[task->plan], task->plan,
			task->index, &task->point, code ? error->text : NULL,
			&bytes);
	lock(crew);
	keep(crew, task, record, bytes, code);
	task->code = code;
	task->why = code ? strdup(error->text) : NULL;
	if (code == ERR_LOST) /* nothing else runs there */
		crew->next[crew->plans[task->plan].device] = crew->order_count;
	crew->ended++;
	pthread_cond_signal(&crew->moved);
	pthread_mutex_unlock(&crew->lock);
	free(record);
}

/* A worker's instances: of the run's own machine, and of the last what-if. */
struct instances {
	struct backend *own, *other;
	const struct setting *setting; /* of the other */
};

/* The instance for a setting, opened unless it is the last one's. */
static int choose_instance(struct crew *crew, struct instances *has,
	const struct setting *setting, struct backend **backend,
	struct error *error)
{
	const struct backend_ops *ops = crew->config.opened->ops;
	struct backend_config config;
	int code = 0;

	*backend = has->own;
	if (!setting)
		return 0;
	if (setting != has->setting) {
		if (has->other)
			ops->close(has->other);
		has->other = NULL;
		has->setting = NULL;
		config = setting_config(setting, &crew->config.backend);
		code = ops->open(&has->other, &config, error);
	}
	if (code)
		return code;
	has->setting = setting;
	*backend = has->other;
	return 0;
}

static int work_on(struct crew *crew, struct instances *has, struct task *task,
	struct error *error)
{
	const struct plan *plan = &crew->plans[task->plan];
	const struct setting *setting = plan_setting(plan, task->index);
	struct backend *backend;
	const struct device *device =
		setting ? &setting->device
			: &crew->config.opened[plan->device].device;
	int code = choose_instance(crew, has, setting, &backend, error);

	if (code)
		return code;
	if (plan->job)
		return measure_job(&crew->config, backend, plan, &task->point,
			&task->further, error);
	return measure_point(&crew->config, backend, device, plan,
		plan->sweep.points[task->index], &task->point, error);
}

static void work(struct crew *crew, size_t device, struct backend *backend)
{
	struct instances has = {.own = backend};
	struct task *task;

	while ((task = take(crew, device)) != NULL) {
		struct error error = {""};
		int code = work_on(crew, &has, task, &error);

		report(crew, task, code, &error);
	}
	if (has.other)
		crew->config.opened->ops->close(has.other);
}

/* What the device says of itself after the runs: clocks that moved show. */
static int describe_after(struct crew *crew, size_t index,
	struct backend *backend, const char *bound, struct error *error)
{
	struct facts *facts = &crew->facts[index];
	struct device device;
	int code = 0;

	lock(crew);
	if (!facts->count) {
		code = crew->config.opened->ops->describe(
			backend, &device, facts, error);
		if (!code && *bound &&
			facts_add(facts, "host.bound", "%s", bound))
			code = error_set(error, ERR_FAILED, "out of memory");
		if (code)
			facts_free(facts); /* those from before stand */
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

/* The first to ask has the instance that is open already; each worker of
   hardware is the first on its device. */
static int enter(struct crew *crew, const struct opened *opened,
	struct backend **backend, struct error *error)
{
	bool first;

	lock(crew);
	first = !crew->lent || !opened->ops->parallel;
	crew->lent = true;
	pthread_mutex_unlock(&crew->lock);
	*backend = opened->backend;
	return first ? 0
		     : opened->ops->open(backend, &crew->config.backend, error);
}

static void leave(struct crew *crew, int code, const struct error *error)
{
	lock(crew);
	if (code)
		give_up(crew, code, error);
	crew->working--;
	pthread_cond_signal(&crew->moved);
	pthread_mutex_unlock(&crew->lock);
}

static void *worker(void *argument)
{
	const struct employed *employed = argument;
	struct crew *crew = employed->crew;
	const size_t device = employed->device;
	const struct opened *opened = &crew->config.opened[device];
	struct backend *backend;
	struct error error = {""};
	char bound[256];
	int code;

	bind_thread(&opened->facts, bound, sizeof(bound));
	code = enter(crew, opened, &backend, &error);
	if (!code) {
		work(crew, device, backend);
		code = describe_after(crew, device, backend, bound, &error);
		if (backend != opened->backend)
			opened->ops->close(backend);
	}
	leave(crew, code, &error);
	return NULL;
}

/* ---- the one who waits for them ---- */

static const struct error no_thread = {"no thread could be started"};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void wait_a_little(struct crew *crew)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_clockwait(
		&crew->moved, &crew->lock, CLOCK_MONOTONIC, &until);
}

/* Launches of kernels may take hours: their blocks so far. */
static void show_within(const struct crew *crew, struct progress *progress)
{
	struct backend_progress *within = crew->config.backend.progress;

	if (within)
		progress_within(progress, "blocks", atomic_load(&within->ended),
			atomic_load(&within->blocks));
}

/* Draws the progress while the workers work. Backends look at the flag where
   work is long; a driver's call or a statistic of many samples may take longer
   than somebody who interrupts waits. */
static void watch(struct crew *crew)
{
	struct progress progress;
	double since_s = 0;
	size_t shown = 0;

	progress_start(&progress,
		crew->config.label ? crew->config.label : "points",
		crew->order_count);
	pthread_mutex_lock(&crew->lock);
	while (crew->working && !crew->abandoned) {
		wait_a_little(crew);
		for (; shown < crew->ended; shown++)
			progress_step(&progress);
		show_within(crew, &progress);
		if (!stopping(crew))
			continue;
		if (since_s == 0)
			since_s = now_s();
		crew->abandoned =
			crew->working && now_s() > since_s + PATIENCE_S;
	}
	pthread_mutex_unlock(&crew->lock);
	progress_end(&progress);
}

/* The model has as many workers as there is work for, hardware one a device. */
static size_t count_workers(const struct crew *crew)
{
	size_t jobs = crew->config.jobs;

	if (!crew->config.opened->ops->parallel)
		return run_devices(&crew->config);
	if (jobs > crew->order_count)
		jobs = crew->order_count;
	return jobs ? jobs : 1;
}

int crew_work(struct crew *crew, struct error *error)
{
	const size_t jobs = count_workers(crew);
	const size_t devices = run_devices(&crew->config);
	pthread_t *threads;
	size_t i, started = 0;

	threads = calloc(jobs, sizeof(*threads));
	crew->employed = calloc(jobs, sizeof(*crew->employed));
	if (!threads || !crew->employed) {
		free(threads);
		return error_set(error, ERR_FAILED, "out of memory");
	}
	pthread_mutex_lock(&crew->lock);
	for (i = 0; i < jobs; i++) {
		crew->employed[i] = (struct employed){crew, i % devices};
		if (!pthread_create(&threads[started], NULL, worker,
			    &crew->employed[i]))
			started++;
		else if (devices > 1)
			give_up(crew, ERR_FAILED, &no_thread);
	}
	crew->working = started;
	pthread_mutex_unlock(&crew->lock);
	watch(crew);
	for (i = 0; i < started; i++)
		if (crew->abandoned)
			pthread_detach(threads[i]);
		else
			pthread_join(threads[i], NULL);
	free(threads);
	return started ? 0 : error_set(error, ERR_FAILED, "%s", no_thread.text);
}
