/* Executions of a job's launches, and which of them go together. */
#include <stdlib.h>

#include "harness/kernel/steps.h"
#include "harness/kernel/job.h"

int job_list_runs(const struct job *job, struct job_run **runs, size_t *count,
	struct error *error)
{
	struct job_run *list;
	size_t i, all = 0;
	int64_t k;

	for (i = 0; i < job->launch_count; i++)
		all += (size_t)job->launches[i].warmups +
		       job->launches[i].repeats;
	list = calloc(all + 1, sizeof(*list));
	if (!list)
		return error_set(error, ERR_FAILED, "out of memory");
	*count = 0;
	for (i = 0; i < job->launch_count; i++)
		for (k = -(int64_t)job->launches[i].warmups;
			k < (int64_t)job->launches[i].repeats; k++)
			list[(*count)++] = (struct job_run){(uint32_t)i, k};
	*runs = list;
	return 0;
}

/* Whether all of them are of one stream, each after the end of another one. */
static bool is_line(
	const struct job *job, const struct job_run *runs, size_t count)
{
	const struct job_launch *first = &job->launches[runs[0].launch];
	size_t i;

	for (i = 1; i < count; i++) {
		const struct job_launch *l = &job->launches[runs[i].launch];

		if (l->stream != first->stream ||
			l->after == JOB_AFTER_PROGRAMMATIC)
			return false;
	}
	return true;
}

/* Whether it waits until nothing runs: for a flush or another host action. */
static bool waits_for_all(const struct job *job, const struct job_run *run)
{
	size_t first;

	return job->launches[run->launch].flush ||
	       (job_run_is_first(job, run) &&
		       job_steps_before(job, run->launch, &first));
}

bool job_run_is_first(const struct job *job, const struct job_run *run)
{
	return run->repeat == -(int64_t)job->launches[run->launch].warmups;
}

size_t job_runs_together(
	const struct job *job, const struct job_run *runs, size_t count)
{
	size_t i;

	for (i = 1; i < count && !waits_for_all(job, &runs[i]); i++)
		;
	return is_line(job, runs, i) ? 1 : i;
}
