#include <stdlib.h>
#include <string.h>

#include "harness/command/run/run_profiles.h"
#include "harness/contract/program_job.h"
#include "harness/profile/profile.h"

void run_machine_words(const struct facts *facts, char words[RUN_MACHINE_BYTES])
{
	const char *machine = facts_find(facts, "machine");
	size_t length, i;

	length = (size_t)snprintf(
		words, RUN_MACHINE_BYTES, "%s", machine ? machine : "-");
	for (i = 0; i < facts->count; i++) {
		const struct fact *fact = &facts->items[i];

		const bool lacks = !strcmp(fact->key, FACT_TIME);

		if ((strcmp(fact->key, "set") && !lacks) ||
			length >= RUN_MACHINE_BYTES)
			continue;
		length += (size_t)snprintf(words + length,
			RUN_MACHINE_BYTES - length, "%s%s",
			lacks ? ", time " : ", ", fact->value);
	}
}

const struct device *run_device_of(
	const struct plan *plan, size_t point, const struct run_opened *opened)
{
	const struct setting *setting = plan_setting(plan, point);

	return setting ? &setting->device : &opened->items[plan->device].device;
}

/* ---- of a job ---- */

struct telling {
	const struct run_options *o;
	const struct run_opened *opened;
	const struct series_list *list;
	struct profile_list profiles;
	struct error *error;
};

/* Those of a point, which are the runs of a job from `run` on. */
static int add_point(struct telling *t, const struct job *job, size_t run,
	const struct series *series, struct point *point)
{
	char machine[RUN_MACHINE_BYTES];
	size_t i;
	int code = 0;

	run_machine_words(&series->provenance, machine);
	for (i = 0; !code && i < point->profiled.launch_count; i++) {
		struct job_launch_result *l = &point->profiled.launches[i];
		struct job_profile *where = l->profile;

		l->profile = NULL;
		if (where)
			code = profile_add(&t->profiles, job, run + i, machine,
				l->cycles, where, t->error);
	}
	return code;
}

static int add_job(
	struct telling *t, const struct job *job, struct series *series)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < series->point_count; i++)
		code = add_point(t, job, i, series, &series->points[i]);
	return code;
}

/* ---- of a program ---- */

/* Whether a series of the same bench has another value of the option. */
static bool differs(const struct series_list *list, const struct series *series,
	const struct fact *option)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct series *other = &list->items[i];
		const char *value = facts_find(&other->options, option->key);

		if (!strcmp(other->bench, series->bench) && value &&
			strcmp(value, option->value))
			return true;
	}
	return false;
}

/* What tells it from others of the file, in place of the job's name. */
static int name_point(const struct telling *t, const struct series *series,
	const struct point *point, struct profile *profile)
{
	char name[256];
	size_t length, i;

	length = (size_t)snprintf(name, sizeof(name), "%s", profile->job);
	for (i = 0; i < series->options.count && length < sizeof(name); i++)
		if (differs(t->list, series, &series->options.items[i]))
			length += (size_t)snprintf(name + length,
				sizeof(name) - length, " %s=%s",
				series->options.items[i].key,
				series->options.items[i].value);
	if (series->point_count > 1 && length < sizeof(name))
		snprintf(name + length, sizeof(name) - length, " %s=%.10g",
			series->axis, point->x);
	free(profile->job);
	profile->job = strdup(name);
	return profile->job ? 0 : ERR_FAILED;
}

/* The kernels of the point's program once more, for their texts. */
static int make_job(struct telling *t, const struct plan *plan, double x,
	struct program *program, struct program_places *places, char **text,
	struct program_job **made)
{
	const struct device *device;
	size_t i = 0;
	int code;

	while (i + 1 < plan->sweep.count && plan->sweep.points[i] != x)
		i++;
	device = run_device_of(plan, i, t->opened);
	code = plan_build(plan, device, x, t->o->seed, program, t->error);
	if (!code)
		code = plan_places(plan, x, program, places, text, t->error);
	return code ? code
		    : program_job_make(made, program, places, device, t->error);
}

static int add_program_point(struct telling *t, const struct plan *plan,
	const struct series *series, struct point *point)
{
	const size_t first = t->profiles.count;
	struct program *program = malloc(sizeof(*program));
	struct program_places *places = malloc(sizeof(*places));
	struct program_job *made = NULL;
	char *text = NULL;
	size_t i;
	int code = program && places
			   ? make_job(t, plan, point->x, program, places, &text,
				     &made)
			   : error_set(t->error, ERR_FAILED, "out of memory");

	if (!code)
		code = add_point(t, program_job_of(made), 0, series, point);
	for (i = first; !code && i < t->profiles.count; i++)
		if (name_point(t, series, point, &t->profiles.items[i]))
			code = error_set(t->error, ERR_FAILED, "out of memory");
	program_job_free(made);
	free(text);
	free(places);
	free(program);
	return code;
}

static int add_program(
	struct telling *t, const struct plan *plan, struct series *series)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < series->point_count; i++)
		if (series->points[i].profiled.launch_count)
			code = add_program_point(
				t, plan, series, &series->points[i]);
	return code;
}

int run_profiles_tell(const struct run_options *o,
	const struct run_plans *plans, const struct run_opened *opened,
	const struct series_list *list, struct error *error)
{
	struct telling t = {
		.o = o, .opened = opened, .list = list, .error = error};
	size_t i;
	int code = 0;

	if (!o->profile && !o->races)
		return 0;
	for (i = 0; !code && i < plans->count && i < list->count; i++)
		code = plans->items[i].job ? add_job(&t, plans->items[i].job,
						     &list->items[i])
					   : add_program(&t, &plans->items[i],
						     &list->items[i]);
	if (!code && o->profile)
		code = profile_write_file(&t.profiles, o->profile, error);
	if (!code && o->races)
		code = profile_print_races(&t.profiles, stderr, error);
	profile_list_free(&t.profiles);
	return code;
}
