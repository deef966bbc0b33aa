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
		free(row->series[i].points);
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
	free(split->rows);
	*split = (struct split){0};
}

bool split_row_is_fit(const struct split_row *row)
{
	return row->word_count && !strcmp(row->words[0], "fit");
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

size_t split_points(const struct split *split)
{
	size_t count = 0, i, k;

	for (i = 0; i < split->row_count; i++)
		for (k = 0; k < split->rows[i].series_count; k++)
			count += split->rows[i].series[k].point_count;
	return count;
}
