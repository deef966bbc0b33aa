#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/kernel/entry.h"
#include "harness/kernel/job.h"
#include "harness/kernel/load_trace.h"
#include "harness/trace/trace.h"

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
	module->file = beside(path, module->path);
	module->text = content.text;
	module->bytes = content.bytes;
	if (!module->file)
		return error_set(error, ERR_FAILED, "out of memory");
	if (strlen(content.text) != content.bytes)
		return error_set(error, ERR_USAGE,
			"%s: '%s' is not text: it has a byte 0", path,
			module->path);
	module->is_trace = trace_is_name(module->path);
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

/* Whether the module has the kernel; less than 0: it cannot be read. */
static int has_entry(const struct job_module *module,
	const struct entries *entries, const char *entry, struct error *error)
{
	char name[TRACE_NAME_BYTES];
	int status;

	if (!module->is_trace)
		return entries_have(entries, entry);
	status = load_trace_name(module, name, sizeof(name), error);
	return status ? status : !strcmp(name, entry);
}

/* Those that there are instead: of the only module, or of the first. */
static int no_entry(const char *path, const struct job *job,
	const struct entries *entries, const char *entry, struct error *error)
{
	char words[480];

	if (job->modules[0].is_trace)
		return error_set(error, ERR_USAGE,
			"%s: no module has an entry '%s'", path, entry);
	entries_words(entries, words, sizeof(words));
	return error_set(error, ERR_USAGE,
		"%s: no module has an entry '%.80s'; those of '%.80s' are: %s",
		path, entry, job->modules[0].path,
		entries->count ? words : "none");
}

static int find_module(const char *path, const struct job *job,
	const struct entries *entries, struct job_launch *launch,
	struct error *error)
{
	size_t i, found = 0;

	for (i = 0; i < job->module_count; i++) {
		int has = has_entry(
			&job->modules[i], &entries[i], launch->entry, error);

		if (has < 0)
			return error_prefix(error, has, "%s: ", path);
		if (!has)
			continue;
		launch->module = (uint32_t)i;
		found++;
	}
	if (found == 1)
		return 0;
	if (!found)
		return no_entry(path, job, entries, launch->entry, error);
	return error_set(error, ERR_USAGE,
		"%s: more than one module has an entry '%s'", path,
		launch->entry);
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

static int find_modules(const char *path, struct job *job, struct error *error)
{
	struct entries *entries =
		calloc(job->module_count + 1, sizeof(*entries));
	size_t i;
	int status = entries ? 0 : ERR_FAILED;

	for (i = 0; !status && i < job->module_count; i++)
		if (!job->modules[i].is_trace)
			status =
				entries_read(&entries[i], job->modules[i].text);
	if (status)
		status = error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; !status && i < job->launch_count; i++) {
		struct job_launch *launch = &job->launches[i];

		status = find_module(path, job, entries, launch, error);
		if (!status && job->modules[launch->module].is_trace)
			status = load_trace_launch(
				&job->modules[launch->module], launch, error);
	}
	for (i = 0; entries && i < job->module_count; i++)
		entries_free(&entries[i]);
	free(entries);
	return status;
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
	return status ? status : find_modules(path, job, error);
}

/* The launches of a list of traces are what its traces say. */
static int load_list(const char *path, const char *text, struct job *job,
	struct error *error)
{
	char name[TRACE_NAME_BYTES];
	size_t i;
	int status = load_trace_list(text, path, job, error);

	for (i = 0; !status && i < job->launch_count; i++) {
		struct job_launch *launch = &job->launches[i];

		status = load_module(path, &job->modules[i], error);
		if (!status)
			status = load_trace_launch(
				&job->modules[i], launch, error);
		if (!status)
			status = load_trace_name(
				&job->modules[i], name, sizeof(name), error);
		if (status)
			continue;
		launch->entry = strdup(name);
		if (!launch->entry)
			status = error_set(error, ERR_FAILED, "out of memory");
	}
	if (!status)
		status = job_check(job, error);
	return status;
}

int job_load(const char *path, struct job *job, struct error *error)
{
	struct job loaded = {.module_count = 0};
	struct content content;
	int status = content_read_written(path, &content, error);

	if (status)
		return error_prefix(error, status, "job: ");
	if (load_trace_is_list(path)) {
		status = load_list(path, content.text, &loaded, error);
	} else {
		status =
			job_parse(content.text, content.source, &loaded, error);
		if (!status)
			status = load_parts(path, &loaded, error);
	}
	content_free(&content);
	if (!loaded.name[0])
		name_after(path, &loaded);
	if (status)
		job_free(&loaded);
	else
		*job = loaded;
	return status;
}
