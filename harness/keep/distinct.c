#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/file_name.h"
#include "harness/keep/distinct.h"

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Of two paths where nothing is yet: links end at the same place. */
static bool same_place(const char *a, const char *b)
{
	char *ends[2] = {file_name_follow(a), file_name_follow(b)};
	char *folders[2] = {NULL, NULL};
	struct stat status[2];
	bool same = false;
	int i;

	for (i = 0; i < 2; i++)
		if (ends[i])
			folders[i] = file_name_folder(ends[i]);
	if (folders[0] && folders[1] && !stat(folders[0], &status[0]) &&
		!stat(folders[1], &status[1]))
		same = same_inode(&status[0], &status[1]) &&
		       !strcmp(basename(ends[0]), basename(ends[1]));
	for (i = 0; i < 2; i++) {
		free(ends[i]);
		free(folders[i]);
	}
	return same;
}

static bool same_file(const char *a, const char *b)
{
	struct stat status[2];
	const bool there[2] = {!stat(a, &status[0]), !stat(b, &status[1])};

	if (there[0] != there[1])
		return false;
	if (!there[0])
		return same_place(a, b);
	return S_ISREG(status[0].st_mode) && same_inode(&status[0], &status[1]);
}

static int refuse(const struct distinct_file *written,
	const struct distinct_file *other, struct error *error)
{
	if (other->written)
		return error_set(error, ERR_USAGE,
			"%s '%s' and %s '%s' are one file", written->what,
			written->path, other->what, other->path);
	return error_set(error, ERR_USAGE, "%s '%s' would overwrite %s '%s'",
		written->what, written->path, other->what, other->path);
}

int distinct_check(
	const struct distinct_file *files, size_t count, struct error *error)
{
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; files[i].path && k < count; k++)
			if (k != i && files[k].path && files[i].written &&
				strcmp(files[i].path, "-") &&
				strcmp(files[k].path, "-") &&
				same_file(files[i].path, files[k].path))
				return refuse(&files[i], &files[k], error);
	return 0;
}
