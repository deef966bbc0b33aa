#include <stdlib.h>
#include <string.h>

#include "harness/run/crew.h"
#include "harness/run/kept.h"
#include "harness/judge/mark_rules.h"

/* ---- tasks ---- */

static int make_tasks(struct crew *crew, size_t plan_count)
{
	const size_t devices = run_devices(&crew->config);
	size_t i, k, at = 0;

	for (i = 0; i < plan_count; i++)
		crew->task_count += crew->plans[i].sweep.count;
	crew->tasks = calloc(crew->task_count + 1, sizeof(*crew->tasks));
	crew->order = calloc(crew->task_count + 1, sizeof(*crew->order));
	crew->next = calloc(devices, sizeof(*crew->next));
	crew->facts = calloc(devices, sizeof(*crew->facts));
	if (!crew->tasks || !crew->order || !crew->next || !crew->facts)
		return ERR_FAILED;
	for (i = 0; i < plan_count; i++)
		for (k = 0; k < crew->plans[i].sweep.count; k++) {
			crew->tasks[at].plan = i;
			crew->tasks[at++].index = k;
		}
	return 0;
}

static struct task *find_task(struct crew *crew, size_t plan, size_t index)
{
	size_t i, first = 0;

	for (i = 0; i < plan; i++)
		first += crew->plans[i].sweep.count;
	return &crew->tasks[first + index];
}

/* What the journal held is done. */
static void take_kept(struct crew *crew, struct run_report *report)
{
	struct kept *kept = crew->config.kept;
	size_t i;

	for (i = 0; kept && i < kept->count; i++) {
		struct kept_point *item = &kept->items[i];
		struct task *task = find_task(crew, item->plan, item->index);

		if (item->failed) {
			task->tried = true;
			continue;
		}
		task->done = true;
		task->point = item->point;
		item->point = (struct point){0};
		report->resumed++;
	}
}

/* A point that fails may take the device with it: first those that have not
   been tried. Several workers begin at the end. */
static void make_order(struct crew *crew)
{
	const bool several =
		crew->config.opened->ops->parallel && crew->config.jobs > 1;
	int pass;
	size_t i;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < crew->task_count; i++)
			if (!crew->tasks[i].done &&
				crew->tasks[i].tried == (pass != several))
				crew->order[crew->order_count++] =
					&crew->tasks[i];
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
	for (i = 0; i < plan->options.count; i++)
		code |= facts_add(&series->options, plan->options.items[i].key,
			"%s", plan->options.items[i].value);
	return code;
}

/* A point moves to the series. */
static int add_point(struct series *series, struct point *from)
{
	struct point *point = series_add_point(series, from->x);

	if (!point)
		return ERR_FAILED;
	*point = *from;
	*from = (struct point){0};
	return 0;
}

static int add_task(struct series *series, struct task *task)
{
	struct measured *further = &task->further;
	size_t i;
	int code = add_point(series, &task->point);

	for (i = 0; !code && i < further->point_count; i++)
		code = add_point(series, &further->points[i]);
	for (i = 0; !code && i < further->facts.count; i++)
		code = facts_add(&series->provenance,
			further->facts.items[i].key, "%s",
			further->facts.items[i].value);
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

		if (task->plan == plan_index && task->done &&
			add_task(series, task))
			return ERR_FAILED;
	}
	return crew->config.part ? 0 : marks_add_series(series);
}

static int add_all(const struct crew *crew, size_t plan_count,
	struct series_list *list, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < plan_count; i++)
		if (add_series(crew, i, list))
			code = error_set(error, ERR_FAILED, "out of memory");
	return code;
}

/* Where no worker came to describe a device: what it said before. */
static int take_facts(
	struct crew *crew, struct facts *facts, struct error *error)
{
	const size_t devices = run_devices(&crew->config);
	size_t d, i;
	int code = 0;

	for (d = 0; d < devices; d++) {
		const struct facts *before = &crew->config.opened[d].facts;

		facts[d] = crew->facts[d];
		crew->facts[d] = (struct facts){0};
		for (i = facts[d].count ? before->count : 0; i < before->count;
			i++)
			code |= facts_add(&facts[d], before->items[i].key, "%s",
				before->items[i].value);
	}
	return code ? error_set(error, ERR_FAILED, "out of memory") : 0;
}

/* ---- the verdict ---- */

static const struct task *count(
	const struct crew *crew, struct run_report *report, size_t *failed)
{
	const struct task *first = NULL;
	size_t i;

	*failed = 0;
	report->points = crew->task_count;
	for (i = 0; i < crew->task_count; i++) {
		const struct task *task = &crew->tasks[i];

		report->finished += task->done;
		report->skipped += task->done && task->point.skipped;
		if (!task->code || task->code == ERR_INTERRUPTED)
			continue;
		if (!first)
			first = task;
		++*failed;
	}
	return first;
}

static int tell_failure(const struct crew *crew, const struct task *first,
	size_t finished, size_t failed, struct error *error)
{
	const struct plan *plan = &crew->plans[first->plan];
	const char *why = first->why ? first->why : "out of memory";
	size_t left = crew->task_count - finished - failed;
	char not_run[64] = "";

	if (crew->task_count == 1)
		return error_set(error, first->code, "%s", why);
	if (left)
		snprintf(not_run, sizeof(not_run), " and %zu were not run",
			left);
	return error_set(error, first->code,
		"%zu of %zu points failed%s, the first, %s %s=%.0f: %s", failed,
		crew->task_count, not_run, plan->name, plan->axis,
		plan->sweep.points[first->index], why);
}

/* The reason of the first point, by its place, that failed: it does not depend
   on the number of workers. */
static int judge(
	const struct crew *crew, struct run_report *report, struct error *error)
{
	size_t failed;
	const struct task *first = count(crew, report, &failed);

	if (report->finished == crew->task_count && !crew->code)
		return 0;
	if (crew->config.stop && atomic_load(crew->config.stop))
		return error_set(error, ERR_INTERRUPTED,
			"interrupted: %zu of %zu points were finished",
			report->finished, report->points);
	if (first)
		return tell_failure(
			crew, first, report->finished, failed, error);
	*error = crew->error;
	return crew->code;
}

static void free_crew(struct crew *crew)
{
	size_t i;

	for (i = 0; i < crew->task_count && crew->tasks; i++) {
		point_free(&crew->tasks[i].point);
		measured_free(&crew->tasks[i].further);
		free(crew->tasks[i].why);
	}
	for (i = 0; crew->facts && i < run_devices(&crew->config); i++)
		facts_free(&crew->facts[i]);
	free(crew->facts);
	free(crew->next);
	free(crew->employed);
	free(crew->tasks);
	free(crew->order);
	pthread_cond_destroy(&crew->moved);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
}

int runner_run(const struct run_config *config, struct plan *plans,
	size_t plan_count, struct series_list *list, struct facts *facts,
	struct run_report *report, struct error *error)
{
	struct crew *crew = calloc(1, sizeof(*crew));
	int code;

	*list = (struct series_list){0};
	memset(facts, 0, run_devices(config) * sizeof(*facts));
	*report = (struct run_report){0};
	if (!crew)
		return error_set(error, ERR_FAILED, "out of memory");
	crew->config = *config;
	crew->plans = plans;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->moved, NULL);
	if (make_tasks(crew, plan_count)) {
		code = error_set(error, ERR_FAILED, "out of memory");
		goto out;
	}
	take_kept(crew, report);
	make_order(crew);
	code = crew_work(crew, error);
	if (!code)
		code = judge(crew, report, error);
	if (add_all(crew, plan_count, list, error) ||
		take_facts(crew, facts, error)) {
		series_list_free(list); /* half of it is none */
		code = ERR_FAILED;
	}
	report->abandoned = crew->abandoned;
out:
	if (!report->abandoned)
		free_crew(crew);
	return code;
}
