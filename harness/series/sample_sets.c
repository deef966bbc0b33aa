#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/series/sample_sets.h"
#include "harness/series/sample_sets_parse.h"

struct sample_set *sample_sets_add(struct sample_sets *sets, size_t series,
	const char *bench, const char *axis, double x)
{
	struct sample_set *set;

	if (sets->count == sets->capacity) {
		size_t capacity = 2 * sets->capacity + 16;
		struct sample_set *items =
			reallocarray(sets->items, capacity, sizeof(*items));

		if (!items)
			return NULL;
		sets->items = items;
		sets->capacity = capacity;
	}
	set = sets->items + sets->count;
	*set = (struct sample_set){.series = series, .x = x};
	set->bench = bench ? strdup(bench) : NULL;
	set->axis = axis ? strdup(axis) : NULL;
	sets->count++;
	return (bench && !set->bench) || (axis && !set->axis) ? NULL : set;
}

int sample_set_append(struct sample_set *set, double cycles)
{
	if (!isfinite(cycles))
		return 0;
	if (set->count == set->capacity) {
		size_t capacity = 2 * set->capacity + 64;
		double *values =
			reallocarray(set->cycles, capacity, sizeof(*values));

		if (!values)
			return ERR_FAILED;
		set->cycles = values;
		set->capacity = capacity;
	}
	set->cycles[set->count++] = cycles;
	return 0;
}

int sample_sets_no_memory(const char *source, struct error *error)
{
	return error_set(
		error, ERR_FAILED, "out of memory while reading '%s'", source);
}

void sample_sets_free(struct sample_sets *sets)
{
	size_t i;

	for (i = 0; i < sets->count; i++) {
		free(sets->items[i].bench);
		free(sets->items[i].axis);
		free(sets->items[i].skipped);
		free(sets->items[i].cycles);
	}
	free(sets->items);
	*sets = (struct sample_sets){0};
}

/* The first line that is neither blank nor a comment. */
static const char *first_line(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\r\n");
		if (*text != '#')
			return text;
		text += strcspn(text, "\n");
	}
}

static bool is_number_line(const char *line)
{
	char *end;

	if (!isdigit((unsigned char)*line) && *line != '-' && *line != '.')
		return false;
	strtod(line, &end);
	end += strspn(end, " \t\r");
	return end != line && (*end == '\n' || *end == '\0');
}

static int parse(struct content *content, const char *region,
	struct sample_sets *sets, struct error *error)
{
	const char *first = first_line(content->text);

	if (first == content->text + content->bytes)
		return error_set(
			error, ERR_USAGE, "'%s' is empty", content->source);
	if (is_number_line(first))
		return sample_sets_parse_numbers(content, sets, error);
	if (strncmp(first, RAW_HEADER, strlen(RAW_HEADER)) == 0)
		return sample_sets_parse_raw(content, region, sets, error);
	return sample_sets_parse_series(content, region, sets, error);
}

static int check_any(const struct sample_sets *sets, const char *source,
	const char *region, struct error *error)
{
	size_t i;

	for (i = 0; i < sets->count; i++)
		if (sets->items[i].count)
			return 0;
	if (region)
		return error_set(error, ERR_USAGE,
			"'%s' holds no samples of the region '%s'", source,
			region);
	return error_set(error, ERR_USAGE,
		"'%s' holds no latency samples, which 'run -f json' and "
		"'run --raw' write",
		source);
}

int sample_sets_read(const char *path, const char *region,
	struct sample_sets *sets, struct error *error)
{
	struct sample_sets found = {0};
	struct content content;
	int result = content_read(path, CONTENT_MOST, &content, error);

	if (result)
		return result;
	result = parse(&content, region, &found, error);
	if (!result)
		result = check_any(&found, content.source, region, error);
	content_free(&content);
	if (result)
		sample_sets_free(&found);
	else
		*sets = found;
	return result;
}
