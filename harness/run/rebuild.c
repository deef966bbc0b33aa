#include <stdlib.h>

#include "harness/program/text/text.h"
#include "harness/run/plan.h"
#include "harness/run/rebuild.h"
#include "harness/run/registry.h"

#define SEED_DEFAULT 1

/* ERR_SKIPPED and ERR_USAGE: the bench cannot build it. */
static int build(const struct series *series, double x,
	const struct device *device, struct program *program,
	struct error *error)
{
	struct given_option given[BENCH_OPTIONS_MAX];
	const struct bench *bench = bench_find(series->bench);
	const struct facts *options = &series->options;
	size_t count = 0;
	struct plan plan;
	int code;

	if (!bench)
		return error_set(
			error, ERR_SKIPPED, "'%s' is no bench", series->bench);
	for (; count < options->count && count < BENCH_OPTIONS_MAX; count++)
		given[count] = (struct given_option){
			options->items[count].key, options->items[count].value};
	code = plan_bench(&plan, bench, given, count, NULL, device, error);
	if (code)
		return code;
	code = plan_build(&plan, device, x, SEED_DEFAULT, program, error);
	plan_free(&plan);
	return code;
}

static int rebuild(const struct series *series, struct point *point,
	const struct device *device, struct program *program,
	struct error *error)
{
	int code = build(series, point->x, device, program, error);

	if (code == ERR_SKIPPED || code == ERR_USAGE)
		return 0;
	if (code)
		return code;
	point->program = program_text(program);
	return point->program ? 0
			      : error_set(error, ERR_FAILED, "out of memory");
}

int rebuild_programs(struct series_list *list, const struct device *device,
	struct error *error)
{
	struct program *program = malloc(sizeof(*program));
	size_t i, k;
	int code = program ? 0 : error_set(error, ERR_FAILED, "out of memory");

	for (i = 0; i < list->count; i++)
		for (k = 0; !code && k < list->items[i].point_count; k++)
			if (!list->items[i].points[k].program)
				code = rebuild(&list->items[i],
					&list->items[i].points[k], device,
					program, error);
	free(program);
	return code;
}
