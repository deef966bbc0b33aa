#include <stdlib.h>
#include <string.h>

#include "harness/base/units.h"
#include "harness/command/run/run_words.h"
#include "harness/command/run/run_plans.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

struct plan *run_plans_add(struct run_plans *plans, struct error *error)
{
	struct plan *items =
		reallocarray(plans->items, plans->count + 1, sizeof(*items));

	if (!items) {
		no_memory(error);
		return NULL;
	}
	plans->items = items;
	memset(&items[plans->count], 0, sizeof(*items));
	return &items[plans->count++];
}

void run_plans_free(struct run_plans *plans)
{
	size_t i;

	for (i = 0; i < plans->count; i++)
		plan_free(&plans->items[i]);
	free(plans->items);
	for (i = 0; i < plans->variant_count; i++)
		variants_free(&plans->variants[i]);
	free(plans->variants);
	for (i = 0; i < plans->setting_count; i++)
		setting_free(&plans->settings[i]);
	free(plans->settings);
	series_list_free(&plans->like);
	*plans = (struct run_plans){0};
}

/* ---- machines ---- */

bool run_plans_over_set(const struct run_options *o)
{
	return o->axis.choice.count && o->axis.is_set;
}

/* A run with one value of each --set has no settings of its own. */
static bool has_settings(const struct run_options *o, size_t combinations)
{
	return combinations > 1 || run_plans_over_set(o);
}

static size_t settings_each(const struct run_options *o)
{
	return run_plans_over_set(o) ? o->axis.choice.count : 1;
}

/* The words of combination `index`, and of point `point` of the axis. */
static int make_setting(const struct run_options *o, atomic_int *stop,
	size_t index, size_t point, struct setting *setting,
	struct error *error)
{
	const struct backend_config config = {
		o->machine, NULL, 0, o->devices[0], stop, o->peer_number};
	const size_t count = o->set_choices.count + run_plans_over_set(o);
	char **words = calloc(count + 1, sizeof(*words));
	size_t i;
	int code = words ? 0 : no_memory(error);

	for (i = 0; !code && i < count; i++) {
		const bool axis = i == o->set_choices.count;

		if (asprintf(&words[i], "%s=%s",
			    axis ? o->axis.choice.name
				 : o->set_choices.items[i].name,
			    axis ? o->axis.choice.words[point]
				 : choice_word(&o->set_choices, index, i)) < 0)
			code = no_memory(error);
	}
	if (!code)
		code = setting_make(setting, o->ops, &config,
			(const char *const *)words, count, error);
	for (i = 0; words && i < count; i++)
		free(words[i]);
	free(words);
	return code;
}

static int make_settings(const struct run_options *o, atomic_int *stop,
	size_t combinations, struct run_plans *plans, struct error *error)
{
	const size_t each = settings_each(o);
	size_t i, k;
	int code = 0;

	if (combinations * each > CHOICES_MOST)
		return error_set(error, ERR_USAGE,
			"the values of --set and -x make more than %d machines",
			CHOICES_MOST);
	plans->settings = calloc(combinations * each, sizeof(*plans->settings));
	if (!plans->settings)
		return no_memory(error);
	for (i = 0; !code && i < combinations; i++)
		for (k = 0; !code && k < each; k++) {
			code = make_setting(o, stop, i, k,
				&plans->settings[plans->setting_count], error);
			plans->setting_count += !code;
		}
	return code;
}

void run_plans_put_on(const struct run_ground *g, struct plan *plan)
{
	plan->settings = g->settings;
	plan->setting_per_point = g->settings && run_plans_over_set(g->o);
}

/* ---- benches ---- */

/* The bench's own axis gives its place to a parameter of the machine. */
int run_plans_take_set(
	const struct run_ground *g, double place, struct plan *plan)
{
	const struct choice_axis *axis = &g->o->axis;
	double *points = calloc(axis->choice.count, sizeof(*points));
	char text[32];

	snprintf(text, sizeof(text), "%.0f", place);
	if (axis_is_bytes(plan->axis))
		units_format_bytes((uint64_t)place, text, sizeof(text));
	if (!points || facts_add(&plan->options, plan->axis, "%s", text)) {
		free(points);
		return no_memory(g->error);
	}
	memcpy(points, axis->x, axis->choice.count * sizeof(*points));
	sweep_free(&plan->sweep);
	plan->sweep = (struct sweep){points, axis->choice.count};
	plan->placed = true;
	plan->place = place;
	plan->axis = axis->choice.name;
	return 0;
}

/* One plan, or with an axis of --set one for each place on the bench's. */
static int plan_variant(const struct run_ground *g, const struct bench *bench,
	const struct given_option *given, size_t count, struct run_plans *plans)
{
	size_t place = 0, places = 1;
	int code = 0;

	for (; !code && place < places; place++) {
		struct plan *plan = run_plans_add(plans, g->error);

		if (!plan)
			return ERR_FAILED;
		code = plan_bench(plan, bench, given, count, g->o->sweep,
			g->device, g->error);
		if (code)
			break;
		run_plans_put_on(g, plan);
		if (!run_plans_over_set(g->o))
			continue;
		places = plan->sweep.count;
		code = run_plans_take_set(g, plan->sweep.points[place], plan);
	}
	return code;
}

/* A plan for each combination of the options' values. */
static int plan_variants(const struct run_ground *g, const struct bench *bench,
	struct run_plans *plans)
{
	struct variants *all = reallocarray(
		plans->variants, plans->variant_count + 1, sizeof(*all));
	struct variants *v;
	struct given_option given[BENCH_OPTIONS_MAX];
	size_t i;
	int code;

	if (!all)
		return no_memory(g->error);
	plans->variants = all;
	v = &all[plans->variant_count];
	code = variants_init(
		v, bench, g->o->given, g->o->given_count, g->device, g->error);
	if (code)
		return error_prefix(g->error, code, "%s: ", bench->name);
	plans->variant_count++;
	for (i = 0; !code && i < v->count; i++) {
		variants_get(v, bench, i, given);
		code = plan_variant(g, bench, given, v->option_count, plans);
	}
	return code ? error_prefix(g->error, code, "%s: ", bench->name) : 0;
}

/* ---- all ---- */

static int plan_ground(const struct run_ground *g, struct run_plans *plans)
{
	size_t i;
	int code = 0;

	if (g->o->kernels.count)
		return run_plans_jobs(g, plans);
	if (g->o->programs.count)
		return run_plans_programs(g, plans);
	if (g->o->like)
		return run_plans_like(g->o, g->device, plans, g->error);
	for (i = 0; !code && i < g->o->bench_count; i++)
		code = plan_variants(g, g->o->benches[i], plans);
	return code;
}

/* A program's name is in its plan, and plans move while they are made. */
static void name_programs(const struct run_options *o, struct run_plans *plans)
{
	size_t i;

	for (i = 0; o->programs.count && i < plans->count; i++)
		plans->items[i].name = plans->items[i].program.name;
}

static int plan_device(const struct run_options *o, const struct opened *opened,
	atomic_int *stop, struct run_plans *plans, struct error *error)
{
	struct run_ground ground = {
		.o = o, .device = &opened->device, .error = error};
	const size_t each = settings_each(o);
	size_t combinations, i;
	int code = choice_combinations(&o->set_choices, &combinations, error);

	if (!code && has_settings(o, combinations))
		code = make_settings(o, stop, combinations, plans, error);
	for (i = 0; !code && i < combinations; i++) {
		if (plans->settings) {
			ground.settings = &plans->settings[i * each];
			ground.device = &ground.settings->device;
		}
		code = plan_ground(&ground, plans);
	}
	return code;
}

int run_plans_make(const struct run_options *o, const struct run_opened *opened,
	atomic_int *stop, struct run_plans *plans, struct error *error)
{
	size_t device, i = 0;
	int code = 0;

	for (device = 0; !code && device < opened->count; device++) {
		code = plan_device(
			o, &opened->items[device], stop, plans, error);
		for (; i < plans->count; i++)
			plans->items[i].device = device;
	}
	name_programs(o, plans);
	return code;
}
