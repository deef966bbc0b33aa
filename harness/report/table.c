#include <stdlib.h>
#include <string.h>

#include "harness/report/compare.h"
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
}

static int make_table(const struct table_group *group,
	const struct table_layout *layout, struct table *table,
	struct error *error)
{
	int result;

	table->base = group->base[0];
	table->new = group->new[0];
	table->measure = table_measure(table->base, layout->metric);
	result = table_choose_keys(group, layout, table, error);
	if (result)
		return result;
	if (table_add_columns(group, table) || table_add_rows(group, table))
		return no_memory(error);
	return table->new ? table_find_errors(table, error) : 0;
}

/* ---- groups ---- */

/* Series `first` and those after it that belong to its table. */
static void gather(const struct series_list *base,
	const struct series **partners, int metric, size_t first, bool *taken,
	struct table_group *group)
{
	const struct series *series = &base->items[first];
	size_t i;

	group->count = 0;
	for (i = first; i < base->count; i++) {
		const struct series *other = &base->items[i];

		if (taken[i] ||
			!table_same_kind(series, table_measure(series, metric),
				other, table_measure(other, metric)))
			continue;
		taken[i] = true;
		group->base[group->count] = other;
		group->new[group->count++] = partners[i];
	}
}

static int make_groups(const struct series_list *base,
	const struct series **partners, bool *taken,
	const struct table_layout *layout, struct table_list *list,
	struct error *error)
{
	struct table_group group = {
		.base = calloc(base->count + 1, sizeof(*group.base)),
		.new = calloc(base->count + 1, sizeof(*group.new))};
	size_t i;
	int result = 0;

	list->items = calloc(base->count + 1, sizeof(*list->items));
	if (!group.base || !group.new || !list->items)
		result = no_memory(error);
	for (i = 0; !result && i < base->count; i++) {
		if (taken[i] ||
			table_measure(&base->items[i], layout->metric) < 0)
			continue;
		gather(base, partners, layout->metric, i, taken, &group);
		result = make_table(
			&group, layout, &list->items[list->count++], error);
	}
	free(group.base);
	free(group.new);
	return result;
}

/* partners[i] is what series i of the base is compared with; those without
   one count as taken. */
static int find_partners(const struct series_list *base,
	const struct series_list *new, const struct series **partners,
	bool *taken, struct table_list *list, struct error *error)
{
	struct series_pairs pairs;
	size_t i, k = 0;
	int result = series_pairs_find(base, new, &pairs, error);

	if (result)
		return result;
	for (i = 0; i < base->count; i++) {
		taken[i] = k == pairs.count ||
			   pairs.items[k].base != &base->items[i];
		if (!taken[i])
			partners[i] = pairs.items[k++].new;
	}
	list->only_base = pairs.only_base;
	list->only_new = pairs.only_new;
	series_pairs_free(&pairs);
	return k ? 0
		 : error_set(error, ERR_FAILED,
			   "no series of the two files are partners");
}

/* ---- what is asked for ---- */

static bool any_has(const struct series_list *list, const char *option)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (table_has_option(&list->items[i], option))
			return true;
	return false;
}

static int check(const struct series_list *base,
	const struct table_layout *layout, struct error *error)
{
	size_t i;

	for (i = 0; i < layout->row_count; i++)
		if (!any_has(base, layout->rows[i]))
			return error_set(error, ERR_USAGE,
				"no series has the option '%s'",
				layout->rows[i]);
	if (layout->columns && !any_has(base, layout->columns))
		return error_set(error, ERR_USAGE,
			"no series has the option '%s'", layout->columns);
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
	const struct series **partners =
		calloc(base->count + 1, sizeof(*partners));
	bool *taken = calloc(base->count + 1, sizeof(*taken));
	struct table_list made = {0};
	int result = partners && taken ? check(base, layout, error)
				       : no_memory(error);

	if (!result && new)
		result =
			find_partners(base, new, partners, taken, &made, error);
	if (!result)
		result = make_groups(
			base, partners, taken, layout, &made, error);
	free(partners);
	free(taken);
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
	*list = (struct table_list){0};
}
