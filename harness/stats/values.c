#include <stdlib.h>

#include "harness/base/error.h"
#include "harness/stats/values.h"

int values_add(struct values *values, double value)
{
	if (values->count == values->capacity) {
		size_t capacity = values->capacity ? 2 * values->capacity : 64;
		double *larger =
			realloc(values->items, capacity * sizeof(*larger));

		if (!larger)
			return ERR_FAILED;
		values->items = larger;
		values->capacity = capacity;
	}
	values->items[values->count++] = value;
	return 0;
}

void values_free(struct values *values)
{
	free(values->items);
	*values = (struct values){0};
}
