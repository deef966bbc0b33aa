#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/split/split.h"

static void free_row(struct split_row *row)
{
	size_t i;

	for (i = 0; row->words && i < row->word_count; i++)
		free(row->words[i]);
	for (i = 0; row->series && i < row->series_count; i++) {
		free(row->series[i].bench);
		free(row->series[i].axis);
	}
	free(row->words);
	free(row->series);
	free(row->name);
}

void split_free(struct split *split)
{
	size_t i;

	for (i = 0; split->rows && i < split->row_count; i++)
		free_row(&split->rows[i]);
	for (i = 0; split->shards && i < split->shard_count; i++)
		free(split->shards[i].parts);
	for (i = 0; split->calibrate && i < split->calibrate_count; i++)
		free(split->calibrate[i]);
	free(split->calibrate);
	free(split->rows);
	free(split->shards);
	*split = (struct split){0};
}

/* With the zero byte, so that "a b" and "ab" differ. */
static uint64_t add_text(uint64_t digest, const char *text)
{
	return fingerprint_add(digest, text, strlen(text) + 1);
}

uint64_t split_suite_digest(const struct split *split)
{
	uint64_t digest = FINGERPRINT_EMPTY;
	size_t i, k;

	for (i = 0; i < split->row_count; i++) {
		const struct split_row *row = &split->rows[i];

		digest = add_text(digest, row->name);
		for (k = 0; k < row->word_count; k++)
			digest = add_text(digest, row->words[k]);
		digest = add_text(digest, "");
	}
	for (i = 0; i < split->calibrate_count; i++)
		digest = add_text(digest, split->calibrate[i]);
	return digest;
}

char *split_path(const char *folder, const char *format, ...)
{
	char *name = NULL, *path = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&name, format, arguments);
	va_end(arguments);
	if (length < 0)
		return NULL;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		path = NULL;
	free(name);
	return path;
}

size_t split_shard_points(const struct split_shard *shard)
{
	size_t count = 0, i;

	for (i = 0; i < shard->part_count; i++)
		count += shard->parts[i].count;
	return count;
}

size_t split_points(const struct split *split)
{
	size_t count = 0, i;

	for (i = 0; i < split->shard_count; i++)
		count += split_shard_points(&split->shards[i]);
	return count;
}
