#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kernel/words.h"

#define MAP_ALIGNMENT 64u /* as a driver wants it */

uint32_t job_block_threads(const struct job_launch *launch)
{
	return launch->block[0] * launch->block[1] * launch->block[2];
}

const char *job_subject(
	const struct job_launch *launch, char text[JOB_SUBJECT_BYTES])
{
	if (launch->called)
		snprintf(text, JOB_SUBJECT_BYTES, "launch '%s' of program '%s'",
			launch->called, launch->program);
	else
		snprintf(text, JOB_SUBJECT_BYTES, "kernel '%s'", launch->entry);
	return text;
}

uint64_t job_grid_blocks(const struct job_launch *launch)
{
	return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

size_t job_runs(const struct job *job)
{
	size_t i, runs = 0;

	for (i = 0; i < job->launch_count; i++)
		runs += job->launches[i].repeats;
	return runs;
}

int job_buffer_find(const struct job *job, const char *name)
{
	size_t i;

	for (i = 0; i < job->buffer_count; i++)
		if (!strcmp(job->buffers[i].name, name))
			return (int)i;
	return -1;
}

int job_map_find(const struct job *job, const char *name)
{
	size_t i;

	for (i = 0; i < job->map_count; i++)
		if (!strcmp(job->maps[i].name, name))
			return (int)i;
	return -1;
}

size_t job_argument_bytes(const struct job_argument *a)
{
	return a->kind == JOB_MAP ? TENSOR_MAP_BYTES : elements[a->type].bytes;
}

size_t job_argument_alignment(const struct job_argument *a)
{
	return a->kind == JOB_MAP ? MAP_ALIGNMENT : elements[a->type].bytes;
}

size_t job_parameters(const struct job_launch *launch)
{
	size_t count = launch->argument_count;

	return count ? launch->arguments[count - 1].parameter + 1u : 0;
}

size_t job_parameter_bytes(const struct job_launch *launch, size_t parameter)
{
	size_t i, end = 0, alignment = 1;

	for (i = 0; i < launch->argument_count; i++) {
		const struct job_argument *a = &launch->arguments[i];

		if (a->parameter != parameter)
			continue;
		end = a->offset + job_argument_bytes(a);
		if (job_argument_alignment(a) > alignment)
			alignment = job_argument_alignment(a);
	}
	return (end + alignment - 1) / alignment * alignment;
}

static void argument_write(const struct job_argument *a,
	const struct job_places *places, unsigned char *to)
{
	uint64_t value = a->value;

	if (a->kind == JOB_MAP) {
		memcpy(to, places->map_bytes[a->of], TENSOR_MAP_BYTES);
		return;
	}
	if (a->kind == JOB_ADDRESS)
		value += places->buffers[a->of];
	if (a->kind == JOB_MAP_ADDRESS)
		value = places->maps[a->of];
	memcpy(to, &value, elements[a->type].bytes);
}

void job_parameter_write(const struct job_launch *launch, size_t parameter,
	const struct job_places *places, unsigned char *to)
{
	size_t i;

	memset(to, 0, job_parameter_bytes(launch, parameter));
	for (i = 0; i < launch->argument_count; i++) {
		const struct job_argument *a = &launch->arguments[i];

		if (a->parameter == parameter)
			argument_write(a, places, to + a->offset);
	}
}

void job_free(struct job *job)
{
	size_t i;

	for (i = 0; i < job->module_count; i++) {
		free(job->modules[i].path);
		free(job->modules[i].text);
		free(job->modules[i].file);
	}
	for (i = 0; i < job->buffer_count; i++) {
		free(job->buffers[i].file);
		free(job->buffers[i].file_content);
	}
	for (i = 0; i < job->launch_count; i++) {
		free(job->launches[i].entry);
		free(job->launches[i].arguments);
	}
	free(job->modules);
	free(job->buffers);
	free(job->maps);
	free(job->launches);
	free(job->steps);
	memset(job, 0, sizeof(*job));
}
