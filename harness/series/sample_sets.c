#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/series/sample_sets.h"
#include "harness/series/formats.h"
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

int sample_set_reserve(struct sample_set *set, size_t capacity)
{
	double *values;

	if (capacity <= set->capacity)
		return 0;
	values = reallocarray(set->cycles, capacity, sizeof(*values));
	if (!values)
		return ERR_FAILED;
	set->cycles = values;
	set->capacity = capacity;
	return 0;
}

int sample_set_append(struct sample_set *set, double cycles)
{
	if (!isfinite(cycles))
		return 0;
	if (set->count == set->capacity &&
		sample_set_reserve(set, 2 * set->capacity + 64))
		return ERR_FAILED;
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

/* How the text of a file is to be read, by its first line. */
static enum sample_form form_of(const char *text)
{
	const char *first = first_line(text);

	if (!*first)
		return SAMPLE_NOTHING;
	if (is_number_line(first))
		return SAMPLE_NUMBERS;
	if (strncmp(first, RAW_HEADER, strlen(RAW_HEADER)) == 0)
		return SAMPLE_RAW;
	return SAMPLE_SERIES;
}

/* Samples alone are read a piece at a time. */
static int parse_pieces(struct pieces *pieces, enum sample_form form,
	const char *region, struct sample_sets *sets, struct error *error)
{
	struct sample_reader reader = {
		.region = region ? region : REGION_DEFAULT, .sets = sets};
	int result = 1;

	while (result > 0) {
		if (form == SAMPLE_NUMBERS)
			result = sample_sets_parse_numbers(pieces, sets, error);
		else
			result = sample_sets_parse_raw(pieces, &reader, error);
		if (!result)
			result = pieces_next(pieces, error);
	}
	sample_reader_free(&reader);
	return result;
}

static int parse_content(const struct content *content, const char *region,
	struct sample_sets *sets, struct error *error)
{
	struct series_list list = {0};
	struct pieces pieces = {.text = content->text,
		.bytes = content->bytes,
		.line = 1,
		.source = content->source};
	const enum sample_form form = form_of(content->text);
	int result;

	if (content_check_values(content, ",[{\n", error))
		return ERR_USAGE;
	if (form == SAMPLE_NOTHING)
		return error_set(
			error, ERR_USAGE, "'%s' is empty", content->source);
	if (form != SAMPLE_SERIES)
		return parse_pieces(&pieces, form, region, sets, error);
	result = series_parse_csv(
		content->text, content->bytes, content->source, &list, error);
	if (!result && sample_sets_collect(&list, region, sets))
		result = sample_sets_no_memory(content->source, error);
	series_list_free(&list);
	return result;
}

static int parse_chunks(struct chunks *chunks, const char *region,
	struct sample_sets *sets, struct error *error)
{
	const char first = chunks->text[strspn(chunks->text, " \t\r\n")];
	struct series_list list = {0};
	struct content content;
	int result;

	if (first != '{' && first != '[') {
		result = content_rest(chunks, &content, error);
		if (result)
			return result;
		result = parse_content(&content, region, sets, error);
		content_free(&content);
		return result;
	}
	result = series_read_json(chunks, &list, error);
	if (!result && sample_sets_collect(&list, region, sets))
		result = sample_sets_no_memory(chunks->source, error);
	series_list_free(&list);
	return result;
}

static int parse_whole(const char *path, const char *region,
	struct sample_sets *sets, struct error *error)
{
	struct chunks chunks;
	int result = chunks_open(path, CONTENT_MOST, true, &chunks, error);

	if (result)
		return result;
	result = chunks_next(&chunks, error);
	if (result >= 0)
		result = parse_chunks(&chunks, region, sets, error);
	chunks_close(&chunks);
	return result;
}

/* `form`: what the beginning of the file says; SAMPLE_SERIES for standard
   input, which is read whole. 1 with the first piece. */
static int look(const char *path, struct pieces *pieces, enum sample_form *form,
	struct error *error)
{
	int result;

	*form = SAMPLE_SERIES;
	*pieces = (struct pieces){0};
	if (!strcmp(path, "-"))
		return 0;
	result = pieces_open(path, pieces, error);
	if (!result)
		result = pieces_next(pieces, error);
	if (result > 0)
		*form = form_of(pieces->text);
	else
		pieces_close(pieces);
	return result;
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

int sample_sets_detect(const char *path, bool *samples, struct error *error)
{
	enum sample_form form;
	struct pieces pieces;
	int result = look(path, &pieces, &form, error);

	pieces_close(&pieces);
	*samples = form == SAMPLE_NUMBERS || form == SAMPLE_RAW;
	/* What is one overlong line is a matter for who reads all of it. */
	return result == ERR_FAILED ? result : 0;
}

int sample_sets_read(const char *path, const char *region,
	struct sample_sets *sets, struct error *error)
{
	struct sample_sets found = {0};
	enum sample_form form;
	struct pieces pieces;
	int result = look(path, &pieces, &form, error);

	if (result == ERR_FAILED)
		return result;
	if (result > 0 && (form == SAMPLE_NUMBERS || form == SAMPLE_RAW))
		result = parse_pieces(&pieces, form, region, &found, error);
	else
		result = parse_whole(path, region, &found, error);
	pieces_close(&pieces);
	if (!result)
		result = check_any(&found,
			strcmp(path, "-") ? path : "standard input", region,
			error);
	if (result)
		sample_sets_free(&found);
	else
		*sets = found;
	return result;
}
