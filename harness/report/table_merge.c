/* Rows that read the same, made one. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/table_parts.h"

static bool cells_equal(const struct table *table, const struct table_row *a,
	const struct table_row *b)
{
	char one[TABLE_CELL_BYTES], two[TABLE_CELL_BYTES];
	size_t i;

	for (i = 0; i < table->column_count; i++) {
		table_cell_text(table, &a->cells[i], one);
		table_cell_text(table, &b->cells[i], two);
		if (strcmp(one, two) || table_cell_marks(&a->cells[i]) !=
						table_cell_marks(&b->cells[i]))
			return false;
	}
	return true;
}

/* Whether all words but that of `key` are the same. */
static bool others_equal(const struct table *table, const struct table_row *a,
	const struct table_row *b, size_t key)
{
	size_t i;

	for (i = 0; i < table->key_count; i++)
		if (i != key && strcmp(a->words[i], b->words[i]))
			return false;
	return true;
}

static int join(struct table_row *row, const struct table_row *more, size_t key)
{
	char *text;

	if (asprintf(&text, "%s, %s", row->words[key], more->words[key]) < 0)
		return ERR_FAILED;
	free(row->words[key]);
	row->words[key] = text;
	return 0;
}

static void remove_row(struct table *table, size_t index)
{
	struct table_row *row = &table->rows[index];
	size_t i;

	for (i = 0; i < table->key_count; i++)
		free(row->words[i]);
	free(row->words);
	free(row->cells);
	memmove(row, row + 1, (--table->row_count - index) * sizeof(*row));
}

/* Rows that differ in `key` alone become one, so that a merged row always
   stands for every combination of its words. */
static int merge_key(struct table *table, size_t key)
{
	size_t i, k;

	for (i = 0; i < table->row_count; i++)
		for (k = i + 1; k < table->row_count;) {
			struct table_row *row = &table->rows[i];
			const struct table_row *more = &table->rows[k];

			if (!others_equal(table, row, more, key) ||
				!cells_equal(table, row, more)) {
				k++;
				continue;
			}
			if (join(row, more, key))
				return ERR_FAILED;
			remove_row(table, k);
		}
	return 0;
}

int table_merge(struct table *table, struct error *error)
{
	size_t key;

	for (key = 0; key < table->key_count; key++)
		if (merge_key(table, key))
			return error_set(error, ERR_FAILED, "out of memory");
	return 0;
}
