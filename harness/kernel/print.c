#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/stream.h"
#include "harness/kernel/parsing.h"

static void buffer_print(FILE *out, const struct job_buffer *b)
{
	fprintf(out, "buffer %s", b->name);
	fields_print(out, job_buffer_fields, b);
	if (b->file)
		fprintf(out, " file=%s", b->file);
	if (b->compare != JOB_COMPARE_EXACT)
		fprintf(out, " compare=%s", job_compare_names[b->compare]);
	if (b->compare == JOB_COMPARE_ULP)
		fprintf(out, ":%" PRIu64, b->ulps);
	fputc('\n', out);
}

/* "65536", "16,16": trailing ones are left out. */
static void extent_print(FILE *out, const char *key, const uint32_t extent[3])
{
	fprintf(out, " %s=%" PRIu32, key, extent[0]);
	if (extent[1] != 1 || extent[2] != 1)
		fprintf(out, ",%" PRIu32, extent[1]);
	if (extent[2] != 1)
		fprintf(out, ",%" PRIu32, extent[2]);
}

static void launch_print(
	FILE *out, const struct job *job, const struct job_launch *launch)
{
	fprintf(out, "launch %s", launch->entry);
	extent_print(out, "grid", launch->grid);
	extent_print(out, "block", launch->block);
	if (launch->cluster[0])
		extent_print(out, "cluster", launch->cluster);
	arguments_print(out, job, launch);
	fields_print(out, job_launch_fields, launch);
	if (launch->carveout_plus_1)
		fprintf(out, " shared_carveout=%u",
			launch->carveout_plus_1 - 1u);
	fputc('\n', out);
}

int job_print(const struct job *job, FILE *out)
{
	size_t i, step = 0;

	fprintf(out, "nearfar-kernel 1\n");
	if (job->name[0])
		fprintf(out, "name %s\n", job->name);
	for (i = 0; i < job->module_count; i++)
		fprintf(out, "module %s\n", job->modules[i].path);
	for (i = 0; i < job->buffer_count; i++)
		buffer_print(out, &job->buffers[i]);
	for (i = 0; i < job->map_count; i++)
		map_print(out, job, &job->maps[i]);
	for (i = 0; i <= job->launch_count; i++) {
		for (; step < job->step_count && job->steps[step].before == i;
			step++)
			job_step_print(out, job, &job->steps[step]);
		if (i < job->launch_count)
			launch_print(out, job, &job->launches[i]);
	}
	return ferror(out) ? ERR_FAILED : 0;
}

char *job_text(const struct job *job)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = stream_open_text(&text, &bytes);
	int status;

	if (!out)
		return NULL;
	status = job_print(job, out);
	if (fclose(out) || status) {
		free(text);
		return NULL;
	}
	return text;
}
