#ifndef NEARFAR_TABLE_H
#define NEARFAR_TABLE_H

/*
 * A pivot of series: a row for each combination of the traits in which the
 * series differ (identity.h: options, --set values, machine...), a column for
 * each place on the axis, and in each cell what was measured there. The axis
 * and a trait can change places. No series is left out: equal ones are told
 * apart by their run.
 *
 * A cell is the median of a metric or, of series that say where lines were
 * found, the levels at which more than TABLE_LEVEL_SHARE of them were: "L1",
 * "near+far". Half of the lines have their home on either side, so two levels
 * are the rule, and what is found at a few lines is left out.
 *
 * With a second list each cell has two points, the base's and the new one's,
 * and the table says how far they are apart. Series are borrowed from their
 * lists and must outlive the tables.
 */
#include <stdio.h>

#include "harness/report/pairs.h"
#include "harness/series/identity.h"
#include "harness/series/io.h"

#define TABLE_LEVEL_SHARE 0.25
#define TABLE_CELL_BYTES  96

/* What a cell shows: a metric, or the levels. */
#define TABLE_LEVELS METRIC_ALL

struct table_cell {
	const struct point *base, *new; /* NULL: there is none */
};

struct table_column {
	double x;         /* of the axis; 0 where an option has the columns */
	const char *word; /* the trait's, or NULL */
};

struct table_row {
	char **words;             /* one a key, for people; owned */
	double x;                 /* where the axis is a key, else 0 */
	struct table_cell *cells; /* one a column */
};

/* Of the cells that both have. Shares: absolute differences, each of the
   metrics counts; else: absolute relative errors, in percent. */
struct table_errors {
	size_t cell_count;
	size_t differing_count; /* cells that do not read the same */
	double mean, median;    /* NaN without a cell */
	double worst;
	int worst_metric;
	char *worst_place; /* "first=st.wb probed_offset_bytes=32"; owned */
};

/* A trait that has rows or columns. */
struct table_key {
	const char *name; /* borrowed */
	size_t trait;     /* of the identity; its key_count: the trait does
			     not differ, or is the axis */
};

struct table {
	const struct series *base, *new;     /* the first ones, or NULL */
	const struct series **bases, **news; /* all, by pairs; news: NULLs
						without a second list */
	size_t series_count;
	struct identity identity; /* of the bases; of the new ones where one
				     base stands beside several */
	int measure;              /* a metric, or TABLE_LEVELS */
	struct table_key *keys;   /* the axis, if it is one, is last */
	size_t key_count;
	bool axis_is_key;
	struct table_key across; /* name NULL: the axis has the columns */
	struct table_column *columns;
	size_t column_count;
	struct table_row *rows; /* in the order of the series */
	size_t row_count;
	size_t repeated_count;      /* points left out: their series has another
				       at that place, which came first */
	struct table_errors errors; /* all 0 without a second list */
};

/* One for each bench, axis and measure that the base has. */
struct table_list {
	struct table *items;
	size_t count;
	struct series_pairs pairs; /* empty without a second list */
};

struct table_layout {
	const char *const *rows; /* traits; those in which series differ */
	size_t row_count;        /* 0: by default */
	const char *columns;     /* a trait, or NULL: the axis */
	int metric;              /* -1: levels, or else the primary one */
};

/* `new` may be NULL; with it, series without a partner (pairs.h) are not in
   the tables but in `pairs`. ERR_USAGE for a trait or a metric that no series
   has, and for series that a layout puts into the same cells; ERR_FAILED
   without memory, and if no series has a partner. */
int table_list_make(const struct series_list *base,
	const struct series_list *new, const struct table_layout *layout,
	struct table_list *list, struct error *error);
void table_list_free(struct table_list *list);

/* Rows that differ in one key and read the same become one, with the words
   joined by ", ". A merged row keeps the points of its first. ERR_FAILED
   without memory. */
int table_merge(struct table *table, struct error *error);

/* As people read it: "near", or "near | far" where the two differ. */
void table_cell_text(const struct table *table, const struct table_cell *cell,
	char text[TABLE_CELL_BYTES]);

void table_column_text(
	const struct table *table, size_t column, char text[TABLE_CELL_BYTES]);

/* Any format but FORMAT_GBENCH (sheet.h). ERR_FAILED without memory; what the
   stream does shows in ferror(). */
int table_list_put(const struct table_list *list, enum series_format format,
	FILE *out, struct error *error);

#endif
