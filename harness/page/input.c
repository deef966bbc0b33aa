/* Files to series, each with its role, and which series judge which. */
#include <stdlib.h>
#include <string.h>

#include "harness/page/parts.h"

const char *const page_role_names[ROLE_COUNT] = {
#define PAGE_ROLE_NAME(name, text) [ROLE_##name] = text,
	PAGE_ROLES(PAGE_ROLE_NAME)
#undef PAGE_ROLE_NAME
};

static enum page_role role_of(const struct series *series)
{
	const char *backend = facts_find(&series->provenance, "backend");

	if (backend && !strcmp(backend, "sim"))
		return ROLE_MODEL;
	if (backend && !strcmp(backend, "import"))
		return ROLE_PUBLISHED;
	return ROLE_SILICON;
}

const char *page_who(const struct series *series)
{
	static const char *const keys[] = {
		"device.name", "machine", "tool", "backend"};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = facts_find(&series->provenance, keys[i]);

		if (value)
			return value;
	}
	return "unknown";
}

static int add_samples(
	struct page_input *input, const char *path, struct error *error)
{
	struct page_samples *samples = &input->samples[input->sample_count];

	int code = sample_sets_read(path, NULL, &samples->sets, error);

	if (code)
		return code;
	samples->path = path;
	input->sample_count++;
	return 0;
}

static int add_profiles(
	struct page_input *input, const char *path, struct error *error)
{
	struct page_profiles *p = &input->profiles[input->profile_count];
	int code = profile_read(path, &p->list, error);

	if (code)
		return code;
	p->path = path;
	input->profile_count++;
	return 0;
}

static int add_file(
	struct page_input *input, const char *path, struct error *error)
{
	struct series_list *file = &input->files[input->file_count];
	struct page_series *series;
	bool samples;
	size_t i;
	int code;

	if (profile_detect(path))
		return add_profiles(input, path, error);
	code = sample_sets_detect(path, &samples, error);

	if (code || samples)
		return code ? code : add_samples(input, path, error);
	code = series_read(path, file, error);
	if (code)
		return code;
	input->file_count++;
	series = reallocarray(
		input->series, input->count + file->count + 1, sizeof(*series));
	if (!series)
		return error_set(error, ERR_FAILED, "out of memory");
	input->series = series;
	for (i = 0; i < file->count; i++)
		series[input->count++] = (struct page_series){
			&file->items[i], role_of(&file->items[i]), path};
	return 0;
}

/* Borrows: the lists are freed without their series. */
static int divide(struct page_input *input, struct error *error)
{
	size_t i;

	input->bases.items = calloc(input->count + 1, sizeof(struct series));
	input->news.items = calloc(input->count + 1, sizeof(struct series));
	if (!input->bases.items || !input->news.items)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < input->count; i++) {
		struct series_list *list = input->series[i].role == ROLE_MODEL
						   ? &input->news
						   : &input->bases;

		if (series_primary(input->series[i].series) >= 0)
			list->items[list->count++] = *input->series[i].series;
	}
	return comparison_list_make(
		&input->bases, &input->news, -1, &input->compared, error);
}

int page_input_read(const char *const *paths, size_t count,
	struct page_input *input, struct error *error)
{
	struct page_input made = {0};
	size_t i;
	int code = 0;

	made.files = calloc(count + 1, sizeof(*made.files));
	made.samples = calloc(count + 1, sizeof(*made.samples));
	made.profiles = calloc(count + 1, sizeof(*made.profiles));
	if (!made.files || !made.samples || !made.profiles)
		code = error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; !code && i < count; i++)
		code = add_file(&made, paths[i], error);
	if (!code)
		code = divide(&made, error);
	if (code)
		page_input_free(&made);
	*input = made;
	return code;
}

void page_input_free(struct page_input *input)
{
	size_t i;

	comparison_list_free(&input->compared);
	free(input->bases.items);
	free(input->news.items);
	for (i = 0; i < input->file_count; i++)
		series_list_free(&input->files[i]);
	for (i = 0; i < input->sample_count; i++)
		sample_sets_free(&input->samples[i].sets);
	for (i = 0; i < input->profile_count; i++)
		profile_list_free(&input->profiles[i].list);
	free(input->files);
	free(input->samples);
	free(input->profiles);
	free(input->series);
	*input = (struct page_input){0};
}

/* The copies in a comparison have the points of what they are copies of. */
static bool same(const struct series *a, const struct series *b)
{
	return a->bench == b->bench;
}

size_t page_index(const struct page_input *input, const struct series *series)
{
	size_t i;

	for (i = 0; i < input->count; i++)
		if (same(input->series[i].series, series))
			return i;
	return input->count;
}

const struct comparison *page_judged(
	const struct page_input *input, const struct series *series)
{
	size_t i;

	for (i = 0; i < input->compared.count; i++)
		if (same(input->compared.items[i].pair.new, series))
			return &input->compared.items[i];
	return NULL;
}

const struct comparison *page_judging(
	const struct page_input *input, const struct series *series)
{
	size_t i;

	for (i = 0; i < input->compared.count; i++)
		if (same(input->compared.items[i].pair.base, series))
			return &input->compared.items[i];
	return NULL;
}
