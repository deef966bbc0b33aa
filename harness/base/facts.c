#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/base/facts.h"

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
