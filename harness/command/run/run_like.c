/* The partners of series that are there: what `run --like` runs. */
#include <stdlib.h>
#include <string.h>

#include "harness/command/run/run_plans.h"
#include "harness/run/registry.h"

static int fail(const struct run_options *o, const struct series *series,
	struct error *error, const char *why)
{
	return error_set(error, ERR_USAGE, "--like %s: '%s' over %s %s",
		o->like, series->bench, series->axis, why);
}

static int take_points(
	const struct series *series, struct plan *plan, struct error *error)
{
	double *points = calloc(series->point_count + 1, sizeof(*points));
	size_t i;

	if (!points)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < series->point_count; i++)
		points[i] = series->points[i].x;
	sweep_free(&plan->sweep);
	plan->sweep = (struct sweep){points, series->point_count};
	return 0;
}

/* The bench with the options and points of the series. False in `fits` if its
   options make it measure something else. */
static int plan_by_bench(const struct series *series, const struct bench *bench,
	const struct device *device, struct plan *plan, bool *fits,
	struct error *error)
{
	struct given_option given[BENCH_OPTIONS_MAX];
	size_t count = 0, i;
	int code;

	for (i = 0; bench->options[i].name; i++) {
		const char *text =
			facts_find(&series->options, bench->options[i].name);

		if (text)
			given[count++] = (struct given_option){
				bench->options[i].name, text};
	}
	code = plan_bench(plan, bench, given, count, NULL, device, error);
	if (code)
		return code;
	*fits = !strcmp(plan->axis, series->axis);
	return *fits ? take_points(series, plan, error) : 0;
}

static bool has_programs(const struct series *series)
{
	size_t i;

	for (i = 0; i < series->point_count; i++)
		if (!series->points[i].program)
			return false;
	return series->point_count > 0;
}

/* The programs that its points carry. */
static int plan_by_programs(const struct run_options *o,
	const struct series *series, struct plan *plan, struct error *error)
{
	const char **texts = calloc(series->point_count, sizeof(*texts));
	double *x = calloc(series->point_count, sizeof(*x));
	size_t i;
	int code =
		texts && x ? 0 : error_set(error, ERR_FAILED, "out of memory");

	for (i = 0; !code && i < series->point_count; i++) {
		texts[i] = series->points[i].program;
		x[i] = series->points[i].x;
	}
	if (!code)
		code = plan_text(plan, texts[0], o->like, error);
	for (i = 0; !code && i < series->options.count; i++)
		if (facts_add(&plan->options, series->options.items[i].key,
			    "%s", series->options.items[i].value))
			code = error_set(error, ERR_FAILED, "out of memory");
	if (!code)
		code = plan_texts(plan, series->axis, x, texts,
			series->point_count, o->like, error);
	free(texts);
	free(x);
	plan->name = series->bench;
	plan->metrics &= series->metrics ? series->metrics : plan->metrics;
	return code;
}

static int plan_like(const struct run_options *o, const struct series *series,
	const struct device *device, struct plan *plan, struct error *error)
{
	const struct bench *bench = bench_find(series->bench);
	bool fits = false;
	int code;

	if (!series->point_count)
		return fail(o, series, error, "has no points");
	if (bench) {
		code = plan_by_bench(series, bench, device, plan, &fits, error);
		if (code)
			return error_prefix(
				error, code, "--like %s: ", o->like);
		if (fits)
			return 0;
		plan_free(plan);
		*plan = (struct plan){0};
	}
	if (has_programs(series))
		return plan_by_programs(o, series, plan, error);
	return fail(o, series, error,
		bench ? "is not what that bench measures with its options, and "
			"its points carry no programs"
		      : "is of no bench that nearfar has, and its points carry "
			"no programs");
}

int run_plans_like(const struct run_options *o, const struct device *device,
	struct run_plans *plans, struct error *error)
{
	size_t i;
	int code = 0;

	if (!plans->like.count)
		code = series_read(o->like, &plans->like, error);
	for (i = 0; !code && i < plans->like.count; i++) {
		struct plan *plan = run_plans_add(plans, error);

		code = plan ? plan_like(o, &plans->like.items[i], device, plan,
				      error)
			    : ERR_FAILED;
	}
	return code;
}
