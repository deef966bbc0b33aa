/* The model again: another machine, or another launch. */
#include "harness/explain/explain_again.h"
#include "harness/kernel/compare.h"

static bool is_fatal(int code)
{
	return code == ERR_INTERRUPTED || code == ERR_LOST;
}

/* Whether the buffers hold what the launch that is explained left. */
static bool left_the_same(
	const struct explain_runs *runs, const struct job_result *result)
{
	struct error difference;
	size_t i;

	for (i = 0; i < runs->job->buffer_count; i++)
		if (compare_contents(&runs->job->buffers[i], runs->contents[i],
			    result->contents[i], &difference))
			return false;
	return true;
}

static void take_result(struct again *a, const struct job_result *result,
	struct explain_what_if *w)
{
	w->cycles = result->launches[a->runs->run].cycles;
	w->gain = 1 - w->cycles / a->runs->cycles;
}

int explain_run(const struct explain_runs *runs, struct backend *backend,
	const struct job *job, const struct job_wishes *wishes,
	struct job_result *result, struct error *error)
{
	struct result of_program = {.places = runs->places, .wishes = wishes};
	int code;

	if (!runs->program)
		return runs->ops->run_job(backend, job, wishes, result, error);
	code = runs->ops->run(backend, runs->program, &of_program, error);
	*result = of_program.launches;
	of_program.launches = (struct job_result){0};
	result_free(&of_program);
	return code;
}

int again_run(struct again *a, const struct backend_config *config,
	const struct job *job, struct explain_what_if *w, struct error *error)
{
	const bool is_other = job != a->runs->job;
	struct job_wishes wishes = a->wishes;
	struct job_result result = {0};
	struct backend *backend = NULL;
	struct error failure;
	int code;

	wishes.profile = wishes.races = false;
	wishes.contents = is_other;
	wishes.unchecked = !is_other;
	code = a->runs->ops->open(&backend, config, &failure);
	if (!code)
		code = explain_run(
			a->runs, backend, job, &wishes, &result, &failure);
	if (!code && is_other && !left_the_same(a->runs, &result))
		snprintf(w->failed, sizeof(w->failed),
			"the kernel leaves other results");
	else if (!code)
		take_result(a, &result, w);
	else
		snprintf(w->failed, sizeof(w->failed), "%.150s", failure.text);
	job_result_free(&result);
	if (backend)
		a->runs->ops->close(backend);
	if (!is_fatal(code))
		return 0;
	*error = failure;
	return code;
}
