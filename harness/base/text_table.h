#ifndef NEARFAR_TEXT_TABLE_H
#define NEARFAR_TEXT_TABLE_H

/*
 * A table for people: cells are added left to right, the first row is the
 * head, and each column is as wide as its widest cell and aligned right, or
 * left if `left` is set. Where they are wider than the window (text_window),
 * the columns come in parts below each other, each with the first column. A
 * zeroed struct is an empty table. Out of memory, the table prints nothing and
 * the stream fails.
 */
#include <stdbool.h>
#include <stdio.h>

struct text_cell {
	char *text;
	size_t column;
	bool row_begins;
	bool rest; /* spans the remaining columns, aligned left */
};

struct text_table {
	struct text_cell *cells;
	size_t count, capacity, column;
	bool row_begins, failed;
	bool left; /* for words; set before printing */
};

void text_table_row(struct text_table *table);
void text_table_add(struct text_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void text_table_rest(struct text_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* With about four significant digits; "-" if it is not a number. */
void text_table_number(struct text_table *table, double value);

/* The text of such a number; `text` has 32 bytes. */
void text_table_format(double value, char *text);

/* A value on an axis: sizes as in units.h where that is short, else with four
   digits; `text` has 32 bytes. */
void text_table_x(const char *axis, double x, char *text);

/* Of the head. */
size_t text_table_columns(const struct text_table *table);

void text_table_put(const struct text_table *table, FILE *out);
void text_table_put_md(const struct text_table *table, FILE *out);

/* LaTeX: a tabular of the package booktabs; what is said about it stands in
   comments. A stream of tex_comments() writes its lines to `out` as "% line",
   and leaves `out` open when it is closed; NULL without memory. */
void text_table_put_tex(const struct text_table *table, FILE *out);
FILE *tex_comments(FILE *out);

enum text_style { TEXT_PLAIN, TEXT_MD, TEXT_TEX };
void text_table_put_as(
	const struct text_table *table, enum text_style style, FILE *out);
/* How many characters fit on a line of the stream: COLUMNS, or what its
   terminal says; 0 where nothing limits it. */
unsigned text_window(FILE *out);

void text_table_free(struct text_table *table);

#endif
