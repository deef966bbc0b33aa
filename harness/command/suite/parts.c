#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/suite/parts.h"
#include "harness/keep/distinct.h"

/* ---- reading ---- */

static int by_part(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int is_part(const struct dirent *entry)
{
	struct part part;

	return part_of_file(entry->d_name, &part);
}

/* The parts that have a file in the folder, in order. */
static int list_parts(const char *folder, struct part **parts, size_t *count,
	struct error *error)
{
	struct dirent **entries;
	struct part *read;
	int found = scandir(folder, &entries, is_part, alphasort), i;

	if (found < 0)
		return error_set(error, ERR_USAGE,
			"cannot read the folder '%s': %s", folder,
			strerror(errno));
	read = calloc((size_t)found + 1, sizeof(*read));
	for (i = 0; i < found; i++) {
		if (read)
			part_of_file(entries[i]->d_name, &read[i]);
		free(entries[i]);
	}
	free(entries);
	if (!read)
		return error_set(error, ERR_FAILED, "out of memory");
	qsort(read, (size_t)found, sizeof(*read), by_part);
	*parts = read;
	*count = (size_t)found;
	return 0;
}

static int read_part(struct merge *merge, const char *path, const char *output,
	struct error *error)
{
	const struct distinct_file files[] = {
		{output, "-o", true}, {path, "a part", false}};
	const int code = distinct_check(files, 2, error);

	return code ? code : merge_file(merge, path, error);
}

int parts_read(struct merge *merge, const char *folder, const char *output,
	struct error *error)
{
	struct part *parts = NULL;
	size_t count = 0, i;
	int code = list_parts(folder, &parts, &count, error);

	for (i = 0; !code && i < count; i++) {
		char *path = split_path(folder, "%zu-of-%zu.json.gz",
			parts[i].number, parts[i].count);

		code = path ? read_part(merge, path, output, error)
			    : error_set(error, ERR_FAILED, "out of memory");
		free(path);
	}
	free(parts);
	return code;
}

/* ---- what is missing ---- */

/* As many parts as the files that are there are of; without any, one. */
static struct part parts_of(const struct merge *merge)
{
	return merge->last.count ? merge->last : (struct part){1, 1, false};
}

void parts_list_missing(const struct merge *merge, FILE *out)
{
	struct part part = parts_of(merge);

	for (part.number = 1; part.number <= part.count; part.number++)
		if (merge_missing(merge, &part))
			fprintf(out, "%zu/%zu\n", part.number, part.count);
}

/* "2, 5 to 9, 12", as far as there is room. */
static void name_missing(const struct merge *merge, char *text, size_t bytes)
{
	struct part part = parts_of(merge);
	size_t first = 0, length = 0;
	bool missing;

	for (part.number = 1; part.number <= part.count && length + 48 < bytes;
		part.number++) {
		missing = merge_missing(merge, &part) > 0;
		if (missing && !first)
			first = part.number;
		if (!first || (missing && part.number < part.count))
			continue;
		part.number -= !missing;
		length += (size_t)snprintf(text + length, bytes - length,
			part.number > first ? "%s%zu to %zu" : "%s%zu",
			length ? ", " : "", first, part.number);
		part.number += !missing;
		first = 0;
	}
	if (part.number <= part.count)
		snprintf(text + length, bytes - length, ", ...");
}

/* ERR_FAILED with a sentence if anything is missing. */
int parts_check_all(const struct merge *merge, struct error *error)
{
	const size_t points = merge_missing(merge, NULL);
	struct part part = parts_of(merge);
	const size_t count = part.count;
	char names[400] = "";
	size_t parts = 0;

	if (!points)
		return 0;
	for (part.number = 1; part.number <= count; part.number++)
		parts += merge_missing(merge, &part) > 0;
	name_missing(merge, names, sizeof(names));
	return error_set(error, ERR_FAILED,
		"%zu of %zu parts %s missing, with %zu of %zu points: %s",
		parts, count, parts == 1 ? "is" : "are", points,
		split_points(merge->split), names);
}
