#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/content.h"
#include "harness/program/text/program_files.h"

static int add(
	struct program_files *files, const char *folder, const char *name)
{
	char **paths = realloc(
		files->paths, (files->count + 1) * sizeof(*files->paths));
	int length;

	if (!paths)
		return ERR_FAILED;
	files->paths = paths;
	if (folder)
		length = asprintf(&paths[files->count], "%s/%s", folder, name);
	else
		length = asprintf(&paths[files->count], "%s", name);
	if (length < 0)
		return ERR_FAILED;
	files->count++;
	return 0;
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool ends_in(const char *name, const char *ending)
{
	const size_t length = strlen(name), bytes = strlen(ending);

	return length > bytes && !strcmp(name + length - bytes, ending);
}

/* By byte, whatever the locale: the order of the series. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_folder(struct program_files *files, const char *ending,
	const char *folder, struct error *error)
{
	const size_t before = files->count;
	struct dirent **entries;
	int count = scandir(folder, &entries, is_shown, by_name), i, code = 0;

	if (count < 0)
		return error_set(error,
			content_is_fault(errno) ? ERR_FAILED : ERR_USAGE,
			"cannot read the folder '%s': %m", folder);
	for (i = 0; i < count; i++) {
		if (!code && ends_in(entries[i]->d_name, ending) &&
			add(files, folder, entries[i]->d_name))
			code = error_set(error, ERR_FAILED, "out of memory");
		free(entries[i]);
	}
	free(entries);
	if (!code && files->count == before)
		return error_set(error, ERR_USAGE,
			"there is no *%s in the folder '%s'", ending, folder);
	return code;
}

static bool is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

int program_files_find(struct program_files *files, const char *ending,
	const char *const *words, size_t word_count, struct error *error)
{
	size_t i;
	int code = 0;

	*files = (struct program_files){0};
	for (i = 0; !code && i < word_count; i++)
		if (is_folder(words[i]))
			code = add_folder(files, ending, words[i], error);
		else if (add(files, NULL, words[i]))
			code = error_set(error, ERR_FAILED, "out of memory");
	return code;
}

void program_files_free(struct program_files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct program_files){0};
}
