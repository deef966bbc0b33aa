#include <stdlib.h>

#include "harness/base/error.h"
#include "harness/contract/instructions.h"

int model_instructions_add(struct model_instructions *list,
	const struct model_instruction *instruction)
{
	struct model_instruction *items =
		reallocarray(list->items, list->count + 1, sizeof(*items));

	if (!items)
		return ERR_FAILED;
	list->items = items;
	items[list->count++] = *instruction;
	return 0;
}

void model_instructions_free(struct model_instructions *list)
{
	free(list->items);
	*list = (struct model_instructions){0};
}
