#include <stdlib.h>
#include <string.h>

#include "harness/kernel/load_trace.h"
#include "harness/trace/trace.h"

static int read_head(const struct job_module *module, struct trace_head *head,
	struct error *error)
{
	struct trace_reader r =
		trace_reader_at(module->path, module->text, error);

	return trace_read_head(&r, head);
}

int load_trace_name(const struct job_module *module, char *name, size_t bytes,
	struct error *error)
{
	struct trace_head head;
	int status = read_head(module, &head, error);

	if (status)
		return status;
	strncpy(name, head.name, bytes - 1);
	name[bytes - 1] = '\0';
	return 0;
}

static bool is_unset(const struct job_launch *l)
{
	return !l->grid[0];
}

int load_trace_launch(const struct job_module *module,
	struct job_launch *launch, struct error *error)
{
	struct trace_head head;
	int status = read_head(module, &head, error);

	if (status)
		return status;
	if (is_unset(launch)) {
		memcpy(launch->grid, head.grid, sizeof(head.grid));
		memcpy(launch->block, head.block, sizeof(head.block));
		launch->shared_bytes = head.shared_bytes;
	}
	if (!launch->registers)
		launch->registers = head.registers;
	if (launch->argument_count)
		return error_set(error, ERR_USAGE,
			"launch '%s': a trace takes no arguments",
			launch->entry);
	if (memcmp(launch->grid, head.grid, sizeof(head.grid)) != 0 ||
		memcmp(launch->block, head.block, sizeof(head.block)) != 0 ||
		launch->shared_bytes != head.shared_bytes)
		return error_set(error, ERR_USAGE,
			"launch '%s': its trace has grid=%u,%u,%u "
			"block=%u,%u,%u shared=%u",
			launch->entry, head.grid[0], head.grid[1], head.grid[2],
			head.block[0], head.block[1], head.block[2],
			head.shared_bytes);
	return 0;
}

/* ---- kernelslist.g ---- */

bool load_trace_is_list(const char *path)
{
	size_t length = strlen(path), ending = strlen(TRACE_LIST);

	return length > ending && !strcmp(path + length - ending, TRACE_LIST);
}

/* A module and a launch more; the name of the kernel is that of its trace. */
static int add(struct job *job, const char *path, size_t length)
{
	struct job_module *modules = reallocarray(
		job->modules, job->module_count + 1, sizeof(*modules));
	struct job_launch *launches;

	if (!modules)
		return -1;
	job->modules = modules;
	modules[job->module_count] =
		(struct job_module){.path = strndup(path, length)};
	if (!modules[job->module_count++].path)
		return -1;
	launches = reallocarray(
		job->launches, job->launch_count + 1, sizeof(*launches));
	if (!launches)
		return -1;
	job->launches = launches;
	launches[job->launch_count] = (struct job_launch){
		.module = (uint32_t)job->launch_count, .repeats = 1};
	job->launch_count++;
	return 0;
}

int load_trace_list(const char *text, const char *source, struct job *job,
	struct error *error)
{
	static const char copy[] = "Memcpy";
	uint32_t line = 1;
	size_t length;

	for (; *text; text += length, text += *text == '\n', line++) {
		size_t word;
		char path[4096];

		length = strcspn(text, "\n");
		word = strcspn(text, " \t\r\n");
		if (!word || !strncmp(text, copy, sizeof(copy) - 1))
			continue;
		if (word >= sizeof(path))
			return error_set(error, ERR_USAGE,
				"%s:%u:1: the name is too long", source, line);
		memcpy(path, text, word);
		path[word] = '\0';
		if (!trace_is_name(path))
			return error_set(error, ERR_USAGE,
				"%s:%u:1: expected 'Memcpy...' or a trace "
				"NAME" TRACE_ENDING ", not '%s'",
				source, line, path);
		if (add(job, path, word))
			return error_set(error, ERR_FAILED, "out of memory");
	}
	if (!job->launch_count)
		return error_set(
			error, ERR_USAGE, "%s: it names no trace", source);
	return 0;
}
