#ifndef NEARFAR_TABLE_PARTS_H
#define NEARFAR_TABLE_PARTS_H

/* What the files of table.h share. */
#include "harness/report/table.h"

/* What series of one table have in common. */
bool table_same_kind(const struct series *a, int measure_a,
	const struct series *b, int measure_b);

/* What a series is shown by; -1 if it lacks the metric asked for. */
int table_measure(const struct series *series, int metric);

/* The traits that are the table's keys and columns; its identity is there. */
int table_choose_keys(const struct table_layout *layout, struct table *table,
	struct error *error);

/* In this order; ERR_FAILED without memory. */
int table_add_columns(struct table *table);
int table_add_rows(struct table *table);

/* Whether the series has a trait of that name, of whatever kind. */
bool table_has_trait(const struct series *series, const char *name);

/* What series `index` of the table reads for a key, "" without the trait. */
const char *table_word(
	const struct table *table, size_t index, const struct table_key *key);

/* Whether the metric is a share of lines. */
bool table_is_share(int metric);

/* The name of the trait, or of the axis, that has the columns. */
const char *table_across(const struct table *table);

/* Where a cell is, "first=st.wb probed_offset_bytes=32", on one line. */
void table_put_place(
	const struct table *table, size_t row, size_t column, FILE *out);

uint32_t table_cell_marks(const struct table_cell *cell);

/* One side of a cell, as people read it. */
void table_point_text(const struct table *table, const struct point *point,
	char text[TABLE_CELL_BYTES / 2]);

/* The median of the table's metric, NaN without one. */
double table_point_value(const struct table *table, const struct point *point);

int table_find_errors(struct table *table, struct error *error);

/* Whether the key is the axis: its words are places on it. */
bool table_key_is_axis(const struct table *table, size_t key);

/* table_sheet.c: the formats for programs but csv. */
int table_put_sheets(const struct table_list *list, enum series_format format,
	FILE *out, struct error *error);

#endif
