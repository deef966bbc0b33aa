/* Which options are keys of a table, and what its cells show. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/table_parts.h"

bool table_has_trait(const struct series *series, const char *name)
{
	return series_trait_named(series, name) != NULL;
}

const char *table_word(
	const struct table *table, size_t index, const struct table_key *key)
{
	const char *value;

	if (key->trait < table->identity.key_count)
		return identity_word(&table->identity, index, key->trait);
	value = series_trait_named(table->bases[index], key->name);
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

/* ---- keys ---- */

static bool is_key(const struct table *table, const struct table_key *key)
{
	size_t i;

	if (table->across.name && table->across.trait == key->trait &&
		!strcmp(table->across.name, key->name))
		return true;
	for (i = 0; i < table->key_count; i++)
		if (table->keys[i].trait == key->trait &&
			!strcmp(table->keys[i].name, key->name))
			return true;
	return false;
}

static int add_key(
	struct table *table, struct table_key key, struct error *error)
{
	struct table_key *keys =
		reallocarray(table->keys, table->key_count + 1, sizeof(*keys));

	if (!keys)
		return error_set(error, ERR_FAILED, "out of memory");
	keys[table->key_count++] = key;
	table->keys = keys;
	return 0;
}

static struct table_key key_of(const struct table *table, const char *name)
{
	return (struct table_key){name, identity_key(&table->identity, name)};
}

static bool any_has(const struct table *table, const char *name)
{
	size_t i;

	if (identity_key(&table->identity, name) < table->identity.key_count)
		return true;
	for (i = 0; i < table->series_count; i++)
		if (table_has_trait(table->bases[i], name))
			return true;
	return false;
}

/* The layout's words name traits of any table; this one's are taken. */
static int take_layout(const struct table_layout *layout, struct table *table,
	struct error *error)
{
	size_t i;
	int result = 0;

	if (layout->columns && any_has(table, layout->columns))
		table->across = key_of(table, layout->columns);
	for (i = 0; !result && i < layout->row_count; i++) {
		const struct table_key key = key_of(table, layout->rows[i]);

		if (!any_has(table, key.name))
			continue;
		if (is_key(table, &key))
			return error_set(error, ERR_USAGE,
				"'%s' is named twice among rows and columns",
				key.name);
		result = add_key(table, key, error);
	}
	return result;
}

/* The rest of what differs. */
static int take_identity(const struct table_layout *layout, struct table *table,
	struct error *error)
{
	size_t i;
	int result = 0;

	for (i = 0; !result && i < table->identity.key_count; i++) {
		const struct table_key key = {table->identity.keys[i].name, i};

		if (is_key(table, &key))
			continue;
		if (layout->row_count)
			return error_set(error, ERR_USAGE,
				"the series of '%s' differ in '%s', which is "
				"neither among the rows nor the columns",
				table->base->bench, key.name);
		result = add_key(table, key, error);
	}
	return result;
}

int table_choose_keys(const struct table_layout *layout, struct table *table,
	struct error *error)
{
	int result = take_layout(layout, table, error);

	if (!result)
		result = take_identity(layout, table, error);
	if (result || !table->across.name)
		return result;
	table->axis_is_key = true;
	return add_key(table,
		(struct table_key){
			table->base->axis, table->identity.key_count},
		error);
}
