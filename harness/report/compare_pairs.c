#include <stdlib.h>
#include <string.h>

#include "harness/report/compare.h"

static bool same_kind(const struct series *a, const struct series *b)
{
	return !strcmp(a->bench, b->bench) && !strcmp(a->axis, b->axis);
}

static bool same_options(const struct series *a, const struct series *b)
{
	size_t i;

	for (i = 0; i < a->options.count; i++) {
		const struct fact *option = &a->options.items[i];
		const char *other = facts_find(&b->options, option->key);

		if (other && strcmp(other, option->value))
			return false;
	}
	return true;
}

static size_t count_kind(
	const struct series_list *list, const struct series *series)
{
	size_t count = 0, i;

	for (i = 0; i < list->count; i++)
		count += same_kind(&list->items[i], series);
	return count;
}

static bool is_taken(
	const struct series_pairs *pairs, const struct series *series)
{
	size_t i;

	for (i = 0; i < pairs->count; i++)
		if (pairs->items[i].new == series)
			return true;
	return false;
}

static const struct series *find_partner(const struct series_list *base,
	const struct series_list *new, const struct series *series,
	const struct series_pairs *pairs)
{
	const bool alone =
		count_kind(base, series) == 1 && count_kind(new, series) == 1;
	size_t i;

	for (i = 0; i < new->count; i++) {
		const struct series *other = &new->items[i];

		if (same_kind(series, other) && !is_taken(pairs, other) &&
			(alone || same_options(series, other)))
			return other;
	}
	return NULL;
}

int series_pairs_find(const struct series_list *base,
	const struct series_list *new, struct series_pairs *pairs,
	struct error *error)
{
	struct series_pairs found = {0};
	size_t i;

	found.items = calloc(base->count + 1, sizeof(*found.items));
	if (!found.items)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < base->count; i++) {
		const struct series *series = &base->items[i];
		const struct series *partner =
			find_partner(base, new, series, &found);

		if (partner)
			found.items[found.count++] =
				(struct series_pair){series, partner};
	}
	found.only_base = base->count - found.count;
	found.only_new = new->count - found.count;
	*pairs = found;
	return 0;
}

void series_pairs_free(struct series_pairs *pairs)
{
	free(pairs->items);
	*pairs = (struct series_pairs){0};
}
