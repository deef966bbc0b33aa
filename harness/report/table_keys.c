/* Which options are keys of a table, and what its cells show. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/table_parts.h"

bool table_has_option(const struct series *series, const char *name)
{
	return facts_find(&series->options, name) != NULL;
}

const char *table_option(const struct series *series, const char *name)
{
	const char *value = facts_find(&series->options, name);

	return value ? value : "";
}

bool table_is_share(int metric)
{
	return metric >= METRIC_SHARE_L1 && metric <= METRIC_SHARE_DRAM;
}

int table_measure(const struct series *series, int metric)
{
	int share;

	if (metric >= 0)
		return series->metrics >> metric & 1 ? metric : -1;
	for (share = METRIC_SHARE_L1; share <= METRIC_SHARE_DRAM; share++)
		if (series->metrics >> share & 1)
			return TABLE_LEVELS;
	return series_primary(series);
}

bool table_same_kind(const struct series *a, int measure_a,
	const struct series *b, int measure_b)
{
	return measure_a == measure_b && !strcmp(a->bench, b->bench) &&
	       !strcmp(a->axis, b->axis);
}

static bool varies(const struct table_group *group, const char *option)
{
	const char *value = table_option(group->base[0], option);
	size_t i;

	for (i = 1; i < group->count; i++)
		if (strcmp(value, table_option(group->base[i], option)))
			return true;
	return false;
}

static bool is_key(const struct table *table, const char *option)
{
	size_t i;

	if (table->column_option && !strcmp(table->column_option, option))
		return true;
	for (i = 0; i < table->key_count; i++)
		if (!strcmp(table->keys[i], option))
			return true;
	return false;
}

/* The next option in which the series differ and that is no key: of any
   series, since what one lacks another may have. NULL: there is none. */
static const char *open_option(
	const struct table_group *group, const struct table *table)
{
	size_t i, k;

	for (i = 0; i < group->count; i++) {
		const struct facts *options = &group->base[i]->options;

		for (k = 0; k < options->count; k++)
			if (!is_key(table, options->items[k].key) &&
				varies(group, options->items[k].key))
				return options->items[k].key;
	}
	return NULL;
}

static int add_key(struct table *table, const char *key, struct error *error)
{
	const char **keys =
		reallocarray(table->keys, table->key_count + 1, sizeof(*keys));

	if (!keys)
		return error_set(error, ERR_FAILED, "out of memory");
	keys[table->key_count++] = key;
	table->keys = keys;
	return 0;
}

static bool any_has(const struct table_group *group, const char *option)
{
	size_t i;

	for (i = 0; i < group->count; i++)
		if (table_has_option(group->base[i], option))
			return true;
	return false;
}

/* The layout's words name options of any table; this one's are taken. */
static int take_layout(const struct table_group *group,
	const struct table_layout *layout, struct table *table,
	struct error *error)
{
	size_t i;
	int result = 0;

	if (layout->columns && any_has(group, layout->columns))
		table->column_option = layout->columns;
	for (i = 0; !result && i < layout->row_count; i++) {
		if (!any_has(group, layout->rows[i]))
			continue;
		if (is_key(table, layout->rows[i]))
			return error_set(error, ERR_USAGE,
				"'%s' is named twice among rows and columns",
				layout->rows[i]);
		result = add_key(table, layout->rows[i], error);
	}
	return result;
}

int table_choose_keys(const struct table_group *group,
	const struct table_layout *layout, struct table *table,
	struct error *error)
{
	const char *option;
	int result = take_layout(group, layout, table, error);

	while (!result && (option = open_option(group, table))) {
		if (layout->row_count)
			return error_set(error, ERR_USAGE,
				"the series of '%s' differ in '%s', which is "
				"neither among the rows nor the columns",
				table->base->bench, option);
		result = add_key(table, option, error);
	}
	if (result || !table->column_option)
		return result;
	table->axis_is_key = true;
	return add_key(table, table->base->axis, error);
}
