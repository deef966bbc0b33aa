#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/error.h"
#include "harness/contract/parameters.h"

int model_parameters_add(
	struct model_parameters *list, const struct model_parameter *parameter)
{
	struct model_parameter *items =
		reallocarray(list->items, list->count + 1, sizeof(*items));
	char *origin = strdup(parameter->origin);

	if (items)
		list->items = items;
	if (!items || !origin) {
		free(origin);
		return ERR_FAILED;
	}
	items[list->count] = *parameter;
	items[list->count++].origin = origin;
	return 0;
}

const struct model_parameter *model_parameters_find(
	const struct model_parameters *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

void model_parameters_free(struct model_parameters *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		free(list->items[i].origin);
	free(list->items);
	*list = (struct model_parameters){0};
}

void model_value_format(
	const char *unit, double value, char text[MODEL_VALUE_BYTES])
{
	if (!strcmp(unit, "mask"))
		snprintf(
			text, MODEL_VALUE_BYTES, "0x%" PRIx64, (uint64_t)value);
	else
		emit_format(value, text);
}
