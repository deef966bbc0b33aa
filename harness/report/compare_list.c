#include <stdlib.h>

#include "harness/base/stream.h"
#include "harness/report/compare.h"

static int make_all(
	int metric, struct comparison_list *list, struct error *error)
{
	const struct series_pairs *pairs = &list->pairs;
	size_t i;
	int result;

	list->items = calloc(pairs->count + 1, sizeof(*list->items));
	if (!list->items)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < pairs->count; i++) {
		result = comparison_make(
			&pairs->items[i], metric, &list->items[i], error);
		if (result)
			return result;
		list->count++;
	}
	return series_pairs_identity(
		pairs->items, pairs->count, &list->identity, error);
}

int comparison_list_make(const struct series_list *base,
	const struct series_list *new, int metric, struct comparison_list *list,
	struct error *error)
{
	struct comparison_list made = {0};
	int result = series_pairs_find(base, new, &made.pairs, error);

	if (!result)
		result = make_all(metric, &made, error);
	if (result)
		comparison_list_free(&made);
	else
		*list = made;
	return result;
}

void comparison_list_free(struct comparison_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		comparison_free(&list->items[i]);
	free(list->items);
	series_pairs_free(&list->pairs);
	identity_free(&list->identity);
	*list = (struct comparison_list){0};
}

char *comparison_title(const struct comparison_list *list, size_t index)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = stream_open_text(&text, &bytes);

	if (!out)
		return NULL;
	identity_put_title(&list->identity, index,
		list->items[index].pair.base->bench, out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
