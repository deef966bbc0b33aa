#ifndef NEARFAR_TABLE_PARTS_H
#define NEARFAR_TABLE_PARTS_H

/* What the files of table.h share. */
#include "harness/report/table.h"

/* What series of one table have in common. */
bool table_same_kind(const struct series *a, int measure_a,
	const struct series *b, int measure_b);

/* What a series is shown by; -1 if it lacks the metric asked for. */
int table_measure(const struct series *series, int metric);

/* The series of one table, in order. */
struct table_group {
	const struct series **base, **new; /* new: of NULLs without a list */
	size_t count;
};

/* The options that are the table's keys and columns. */
int table_choose_keys(const struct table_group *group,
	const struct table_layout *layout, struct table *table,
	struct error *error);

/* In this order; ERR_FAILED without memory. */
int table_add_columns(const struct table_group *group, struct table *table);
int table_add_rows(const struct table_group *group, struct table *table);

bool table_has_option(const struct series *series, const char *name);

/* The value of an option, "" without one. */
const char *table_option(const struct series *series, const char *name);

/* Whether the metric is a share of lines. */
bool table_is_share(int metric);

/* The option, or the axis, that has the columns. */
const char *table_across(const struct table *table);

void table_column_text(
	const struct table *table, size_t column, char text[TABLE_CELL_BYTES]);

/* One side of a cell, as people read it. */
void table_point_text(const struct table *table, const struct point *point,
	char text[TABLE_CELL_BYTES / 2]);

/* The median of the table's metric, NaN without one. */
double table_point_value(const struct table *table, const struct point *point);

int table_find_errors(struct table *table, struct error *error);

/* Whether the key is the axis: its words are places on it. */
bool table_key_is_axis(const struct table *table, size_t key);

#endif
