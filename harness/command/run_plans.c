#include <stdlib.h>
#include <string.h>

#include "harness/command/run_plans.h"

void run_plans_free(struct run_plans *plans)
{
	size_t i;

	for (i = 0; i < plans->count; i++)
		plan_free(&plans->items[i]);
	free(plans->items);
	for (i = 0; i < plans->variant_count; i++)
		variants_free(&plans->variants[i]);
}

static struct plan *add_plans(
	struct run_plans *plans, size_t count, struct error *error)
{
	struct plan *items =
		realloc(plans->items, (plans->count + count) * sizeof(*items));

	if (!items) {
		error_set(error, ERR_FAILED, "out of memory");
		return NULL;
	}
	plans->items = items;
	return &items[plans->count];
}

/* A plan for each combination of the options' values. */
static int plan_variants(const struct run_options *o, const struct bench *bench,
	const struct device *device, struct run_plans *plans,
	struct error *error)
{
	struct variants *v = &plans->variants[plans->variant_count];
	struct given_option given[BENCH_OPTIONS_MAX];
	struct plan *plan;
	size_t i;
	int code = variants_init(v, bench, o->given, o->given_count, error);

	if (code)
		return code;
	plans->variant_count++;
	plan = add_plans(plans, v->count, error);
	if (!plan)
		return ERR_FAILED;
	for (i = 0; !code && i < v->count; i++) {
		variants_get(v, bench, i, given);
		code = plan_bench(&plan[i], bench, given, v->option_count,
			o->sweep, device, error);
		plans->count++;
	}
	return code;
}

/* Series are told apart by the names of programs and jobs. */
static int check_name(const char *what, const struct program_files *files,
	const struct run_plans *plans, struct error *error)
{
	const char *name = plans->items[plans->count - 1].name;
	size_t i;

	for (i = 0; i + 1 < plans->count; i++)
		if (!strcmp(plans->items[i].name, name))
			return error_set(error, ERR_USAGE,
				"%s: %s '%s' has the name of the one in %s: "
				"each needs its own",
				files->paths[plans->count - 1], what, name,
				files->paths[i]);
	return 0;
}

static int plan_programs(const struct program_files *files,
	struct run_plans *plans, struct error *error)
{
	struct plan *plan = add_plans(plans, files->count, error);
	size_t i;
	int code = plan ? 0 : ERR_FAILED;

	for (i = 0; !code && i < files->count; i++) {
		code = plan_program(&plan[i], files->paths[i], error);
		if (code)
			break;
		plans->count++;
		code = check_name("program", files, plans, error);
	}
	return code;
}

static int plan_jobs(const struct run_options *o, struct run_plans *plans,
	struct error *error)
{
	struct plan *plan = add_plans(plans, o->kernels.count, error);
	size_t i;
	int code = plan ? 0 : ERR_FAILED;

	for (i = 0; !code && i < o->kernels.count; i++) {
		code = plan_job(&plan[i], o->kernels.paths[i], o->warm, error);
		if (code)
			break;
		plans->count++;
		code = check_name("job", &o->kernels, plans, error);
	}
	return code;
}

int run_plans_make(const struct run_options *o, const struct device *device,
	struct run_plans *plans, struct error *error)
{
	size_t i;
	int code = 0;

	if (o->kernels.count)
		return plan_jobs(o, plans, error);
	if (o->programs.count)
		return plan_programs(&o->programs, plans, error);
	for (i = 0; !code && i < o->bench_count; i++) {
		code = plan_variants(o, o->benches[i], device, plans, error);
		if (code)
			error_prefix(error, code, "%s: ", o->benches[i]->name);
	}
	return code;
}
