#include <stdlib.h>
#include <string.h>

#include "harness/report/table_parts.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

/* ---- tables ---- */

static void free_row(const struct table *table, struct table_row *row)
{
	size_t i;

	for (i = 0; row->words && i < table->key_count; i++)
		free(row->words[i]);
	free(row->words);
	free(row->cells);
}

static void free_table(struct table *table)
{
	size_t i;

	for (i = 0; i < table->row_count; i++)
		free_row(table, &table->rows[i]);
	free(table->errors.worst_place);
	free(table->rows);
	free(table->columns);
	free(table->keys);
	free(table->bases);
	free(table->news);
	identity_free(&table->identity);
}

static int make_table(struct table *table, const struct table_layout *layout,
	struct error *error)
{
	int result;

	table->base = table->bases[0];
	table->new = table->news[0];
	table->measure = table_measure(table->base, layout->metric);
	result = table_choose_keys(layout, table, error);
	if (result)
		return result;
	if (table_add_columns(table) || table_add_rows(table))
		return no_memory(error);
	return table->new ? table_find_errors(table, error) : 0;
}

/* ---- groups ---- */

/* What belongs into tables. */
struct wanted {
	struct series_pair *pairs; /* new: NULL without a second list */
	size_t count;
	bool *taken;
	struct series_pair *group; /* of one table */
};

/* Pair `first` and those after it that belong to its table. */
static int gather(struct wanted *wanted, int metric, size_t first,
	struct table *table, struct error *error)
{
	const struct series *series = wanted->pairs[first].base;
	size_t count = 0, i;

	table->bases = calloc(wanted->count, sizeof(*table->bases));
	table->news = calloc(wanted->count, sizeof(*table->news));
	if (!table->bases || !table->news)
		return no_memory(error);
	for (i = first; i < wanted->count; i++) {
		const struct series_pair *pair = &wanted->pairs[i];

		if (wanted->taken[i] ||
			!table_same_kind(series, table_measure(series, metric),
				pair->base, table_measure(pair->base, metric)))
			continue;
		wanted->taken[i] = true;
		wanted->group[count] = *pair;
		table->bases[count] = pair->base;
		table->news[count++] = pair->new;
	}
	table->series_count = count;
	return series_pairs_identity(
		wanted->group, count, &table->identity, error);
}

static int make_groups(struct wanted *wanted, const struct table_layout *layout,
	struct table_list *list, struct error *error)
{
	size_t i;
	int result = 0;

	list->items = calloc(wanted->count + 1, sizeof(*list->items));
	if (!list->items)
		return no_memory(error);
	for (i = 0; !result && i < wanted->count; i++) {
		struct table *table = &list->items[list->count];

		if (wanted->taken[i] || table_measure(wanted->pairs[i].base,
						layout->metric) < 0)
			continue;
		list->count++;
		result = gather(wanted, layout->metric, i, table, error);
		if (!result)
			result = make_table(table, layout, error);
	}
	return result;
}

/* Fills the list's pairs, and `wanted` with them. */
static int want_pairs(const struct series_list *base,
	const struct series_list *new, struct table_list *list,
	struct wanted *wanted, struct error *error)
{
	int result = series_pairs_find(base, new, &list->pairs, error);

	if (result)
		return result;
	if (!list->pairs.count)
		return series_pairs_none(&list->pairs, error);
	wanted->count = list->pairs.count;
	wanted->pairs = calloc(wanted->count, sizeof(*wanted->pairs));
	if (!wanted->pairs)
		return no_memory(error);
	memcpy(wanted->pairs, list->pairs.items,
		wanted->count * sizeof(*wanted->pairs));
	return 0;
}

static int want_all(const struct series_list *base, struct wanted *wanted,
	struct error *error)
{
	size_t i;

	wanted->pairs = calloc(base->count + 1, sizeof(*wanted->pairs));
	if (!wanted->pairs)
		return no_memory(error);
	for (i = 0; i < base->count; i++)
		wanted->pairs[i].base = &base->items[i];
	wanted->count = base->count;
	return 0;
}

/* ---- what is asked for ---- */

static bool any_has(const struct series_list *list, const char *trait)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (table_has_trait(&list->items[i], trait))
			return true;
	return false;
}

static int check_trait(const struct series_list *base,
	const struct series_list *new, const char *trait, struct error *error)
{
	if (any_has(base, trait) || (new &&any_has(new, trait)) ||
		!strcmp(trait, "run"))
		return 0;
	return error_set(
		error, ERR_USAGE, "no series has the option '%s'", trait);
}

static int check(const struct series_list *base, const struct series_list *new,
	const struct table_layout *layout, struct error *error)
{
	size_t i;
	int result = 0;

	for (i = 0; !result && i < layout->row_count; i++)
		result = check_trait(base, new, layout->rows[i], error);
	if (!result && layout->columns)
		result = check_trait(base, new, layout->columns, error);
	if (result)
		return result;
	for (i = 0; i < base->count; i++)
		if (table_measure(&base->items[i], layout->metric) >= 0)
			return 0;
	if (layout->metric < 0)
		return error_set(error, ERR_USAGE, "no series has a metric");
	return error_set(error, ERR_USAGE, "no series has the metric '%s'",
		metric_columns[layout->metric]);
}

int table_list_make(const struct series_list *base,
	const struct series_list *new, const struct table_layout *layout,
	struct table_list *list, struct error *error)
{
	struct wanted wanted = {0};
	struct table_list made = {0};
	int result = check(base, new, layout, error);

	if (!result)
		result = new ? want_pairs(base, new, &made, &wanted, error)
			     : want_all(base, &wanted, error);
	if (!result) {
		wanted.taken = calloc(wanted.count + 1, sizeof(*wanted.taken));
		wanted.group = calloc(wanted.count + 1, sizeof(*wanted.group));
		result = wanted.taken && wanted.group
				 ? make_groups(&wanted, layout, &made, error)
				 : no_memory(error);
	}
	free(wanted.pairs);
	free(wanted.taken);
	free(wanted.group);
	if (result)
		table_list_free(&made);
	else
		*list = made;
	return result;
}

void table_list_free(struct table_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		free_table(&list->items[i]);
	free(list->items);
	series_pairs_free(&list->pairs);
	*list = (struct table_list){0};
}
