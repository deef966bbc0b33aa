#include <stdlib.h>
#include <string.h>

#include "harness/contract/job_result.h"

const char *const job_wait_names[JOB_WAIT_COUNT] = {
#define WAIT_NAME(name, text, what) [JOB_WAIT_##name] = (text),
	JOB_WAITS(WAIT_NAME)
#undef WAIT_NAME
};
const char *const job_wait_whats[JOB_WAIT_COUNT] = {
#define WAIT_WHAT(name, text, what) [JOB_WAIT_##name] = (what),
	JOB_WAITS(WAIT_WHAT)
#undef WAIT_WHAT
};
const char *const job_limit_names[JOB_LIMIT_COUNT] = {
#define LIMIT_NAME(name, text) [JOB_LIMIT_##name] = (text),
	JOB_LIMITS(LIMIT_NAME)
#undef LIMIT_NAME
};
const char *const job_level_names[JOB_LEVEL_COUNT] = {
#define LEVEL_NAME(name, text) [JOB_LEVEL_##name] = (text),
	JOB_LEVELS(LEVEL_NAME)
#undef LEVEL_NAME
};
const char *const job_answer_names[JOB_ANSWER_COUNT] = {
#define ANSWER_NAME(name, text) [JOB_ANSWER_##name] = (text),
	JOB_ANSWERS(ANSWER_NAME)
#undef ANSWER_NAME
};

struct job_launch_result *job_result_add(struct job_result *result)
{
	struct job_launch_result *launches = reallocarray(
		result->launches, result->launch_count + 1, sizeof(*launches));

	if (!launches)
		return NULL;
	result->launches = launches;
	launches += result->launch_count++;
	memset(launches, 0, sizeof(*launches));
	return launches;
}

int job_result_contents(struct job_result *result, const struct job *job)
{
	size_t i;

	result->contents =
		calloc(job->buffer_count + 1, sizeof(*result->contents));
	if (!result->contents)
		return ERR_FAILED;
	result->content_count = job->buffer_count;
	for (i = 0; i < job->buffer_count; i++) {
		result->contents[i] = malloc(job->buffers[i].bytes);
		if (!result->contents[i])
			return ERR_FAILED;
	}
	return 0;
}

void job_parts_add(struct job_parts *to, const struct job_parts *from)
{
	to->requests += from->requests;
	to->way_cycles += from->way_cycles;
	to->queue_cycles += from->queue_cycles;
	to->service_cycles += from->service_cycles;
}

void job_line_add(struct job_line *to, const struct job_line *from)
{
	unsigned i;

	to->executions += from->executions;
	to->lanes += from->lanes;
	to->requests += from->requests;
	to->sectors += from->sectors;
	to->bytes += from->bytes;
	to->answered += from->answered;
	to->stale_words += from->stale_words;
	to->latency_cycles += from->latency_cycles;
	for (i = 0; i < JOB_LEVEL_COUNT; i++)
		to->found[i] += from->found[i];
	for (i = 0; i < JOB_WAIT_COUNT; i++) {
		to->wait_cycles[i] += from->wait_cycles[i];
		to->stalled_cycles[i] += from->stalled_cycles[i];
	}
	job_parts_add(&to->took, &from->took);
}

void job_profile_free(struct job_profile *profile)
{
	size_t i;

	if (!profile)
		return;
	for (i = 0; i < profile->source_count; i++)
		free(profile->sources[i]);
	free(profile->sources);
	free(profile->lines);
	free(profile->servers);
	free(profile->queues);
	free(profile);
}

void job_result_free(struct job_result *result)
{
	size_t i;

	for (i = 0; i < result->launch_count; i++)
		job_profile_free(result->launches[i].profile);
	free(result->launches);
	for (i = 0; i < result->content_count; i++)
		free(result->contents[i]);
	free(result->contents);
	free(result->printed);
	memset(result, 0, sizeof(*result));
}
