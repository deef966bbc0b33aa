#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/kernel/entry.h"
#include "harness/kernel/job.h"

#define MODULE_MOST ((size_t)256 << 20)

/* `path` as it stands in a file of `folder`. */
static char *beside(const char *job_path, const char *path)
{
	const char *slash = strrchr(job_path, '/');
	char *joined = NULL;

	if (path[0] == '/' || !slash || !strcmp(job_path, "-"))
		return strdup(path);
	if (asprintf(&joined, "%.*s%s", (int)(slash - job_path + 1), job_path,
		    path) < 0)
		return NULL;
	return joined;
}

static int read_beside(const char *job_path, const char *path,
	size_t most_bytes, struct content *content, struct error *error)
{
	char *joined = beside(job_path, path);
	int status;

	if (!joined)
		return error_set(error, ERR_FAILED, "out of memory");
	status = content_read(joined, most_bytes, content, error);
	free(joined);
	return status ? error_prefix(error, status, "%s: ", job_path) : 0;
}

static int load_module(
	const char *path, struct job_module *module, struct error *error)
{
	struct content content;
	int status =
		read_beside(path, module->path, MODULE_MOST, &content, error);

	if (status)
		return status;
	module->text = content.text;
	module->bytes = content.bytes;
	if (strlen(content.text) != content.bytes)
		return error_set(error, ERR_USAGE,
			"%s: '%s' is not PTX: it has a byte 0", path,
			module->path);
	return 0;
}

static int load_file(
	const char *path, struct job_buffer *b, struct error *error)
{
	struct content content;
	int status = read_beside(path, b->file, CONTENT_MOST, &content, error);

	if (status)
		return status;
	b->file_content = (unsigned char *)content.text;
	if (content.bytes < b->bytes)
		return error_set(error, ERR_USAGE,
			"%s: buffer '%s' holds %llu bytes, but '%s' has %zu",
			path, b->name, (unsigned long long)b->bytes, b->file,
			content.bytes);
	return 0;
}

static int find_module(const char *path, const struct job *job,
	struct job_launch *launch, struct error *error)
{
	size_t i, found = 0;

	for (i = 0; i < job->module_count; i++) {
		if (!entry_is_in(job->modules[i].text, launch->entry))
			continue;
		launch->module = (uint32_t)i;
		found++;
	}
	if (found == 1)
		return 0;
	return error_set(error, ERR_USAGE, "%s: %s has an entry '%s'", path,
		found ? "more than one module" : "no module", launch->entry);
}

/* "jobs/triad.job" is the job triad. */
static void name_after(const char *path, struct job *job)
{
	const char *slash = strrchr(path, '/');
	const char *from = slash ? slash + 1 : path;
	size_t i, length = strlen(from);
	const char *dot = strrchr(from, '.');

	if (dot && dot != from)
		length = (size_t)(dot - from);
	if (length >= sizeof(job->name))
		length = sizeof(job->name) - 1;
	for (i = 0; i < length; i++)
		job->name[i] = strchr(" \t#", from[i]) ? '_' : from[i];
	job->name[length] = '\0';
}

static int load_parts(const char *path, struct job *job, struct error *error)
{
	size_t i;
	int status = job_check(job, error);

	if (status)
		return error_prefix(error, status, "%s: ", path);
	for (i = 0; !status && i < job->module_count; i++)
		status = load_module(path, &job->modules[i], error);
	for (i = 0; !status && i < job->buffer_count; i++)
		if (job->buffers[i].file)
			status = load_file(path, &job->buffers[i], error);
	for (i = 0; !status && i < job->launch_count; i++)
		status = find_module(path, job, &job->launches[i], error);
	return status;
}

int job_load(const char *path, struct job *job, struct error *error)
{
	struct job loaded = {.module_count = 0};
	struct content content;
	int status = content_read_written(path, &content, error);

	if (status)
		return error_prefix(error, status, "job: ");
	status = job_parse(content.text, content.source, &loaded, error);
	content_free(&content);
	if (status)
		return status;
	if (!loaded.name[0])
		name_after(path, &loaded);
	status = load_parts(path, &loaded, error);
	if (status)
		job_free(&loaded);
	else
		*job = loaded;
	return status;
}
