#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"

int facts_add(struct facts *facts, const char *key, const char *format, ...)
{
	struct fact *items, fact;
	va_list arguments;
	int length;

	items = reallocarray(facts->items, facts->count + 1, sizeof(*items));
	if (!items)
		return ERR_FAILED;
	facts->items = items;
	va_start(arguments, format);
	length = vasprintf(&fact.value, format, arguments);
	va_end(arguments);
	if (length < 0)
		return ERR_FAILED;
	fact.key = strdup(key);
	if (!fact.key) {
		free(fact.value);
		return ERR_FAILED;
	}
	items[facts->count++] = fact;
	return 0;
}

const char *facts_find(const struct facts *facts, const char *key)
{
	size_t i;

	for (i = 0; i < facts->count; i++)
		if (!strcmp(facts->items[i].key, key))
			return facts->items[i].value;
	return NULL;
}

void facts_free(struct facts *facts)
{
	size_t i;

	for (i = 0; i < facts->count; i++) {
		free(facts->items[i].key);
		free(facts->items[i].value);
	}
	free(facts->items);
	facts->items = NULL;
	facts->count = 0;
}

int result_add(struct result *result, const struct sample *sample)
{
	if (result->sample_count == result->sample_capacity) {
		const size_t capacity =
			result->sample_count ? 2 * result->sample_count : 256;
		struct sample *samples = reallocarray(
			result->samples, capacity, sizeof(*samples));

		if (!samples)
			return ERR_FAILED;
		result->samples = samples;
		result->sample_capacity = capacity;
	}
	result->samples[result->sample_count++] = *sample;
	return 0;
}

void result_clear(struct result *result)
{
	struct sample *samples = result->samples;
	const size_t capacity = result->sample_capacity;

	memset(result, 0, sizeof(*result));
	result->samples = samples;
	result->sample_capacity = capacity;
}

void result_free(struct result *result)
{
	free(result->samples);
	memset(result, 0, sizeof(*result));
}
