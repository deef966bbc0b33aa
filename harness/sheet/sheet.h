#ifndef NEARFAR_SHEET_H
#define NEARFAR_SHEET_H

/*
 * Results as named columns and rows, in the formats of series: what commands
 * that make no series of their own write for programs. A column is a label
 * (what a row is of) or a value. A zeroed struct is an empty sheet with a name.
 *
 *   sheet_column ... -> sheet_text or sheet_number, left to right -> sheet_put
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/series/io.h"

#define SHEET_COLUMNS_MAX 40

struct sheet_cell {
	char *text; /* NULL: `number`, which is none if it is not finite */
	double number;
};

struct sheet {
	const char *name; /* of the schema: "modes" */
	struct {
		const char *name; /* borrowed */
		bool label;
	} columns[SHEET_COLUMNS_MAX];
	size_t column_count;
	struct sheet_cell *cells; /* row by row */
	size_t count, capacity;
	bool failed; /* without memory */
};

void sheet_column(struct sheet *sheet, const char *name, bool label);
void sheet_text(struct sheet *sheet, const char *text); /* copied */
void sheet_number(struct sheet *sheet, double number);
void sheet_free(struct sheet *sheet);

/*
 * All sheets, which have the first one's name. csv and tidy begin each with its
 * columns, unless they are those of the sheet before. ERR_USAGE for gbench,
 * which has times alone, and for openmetrics and vega-lite where no cell is a
 * number; ERR_FAILED without memory. What the stream does shows in ferror().
 */
int sheet_put(const struct sheet *sheets, size_t count,
	enum series_format format, FILE *out, struct error *error);
/* Of one sheet, by the name of the format; ERR_USAGE for another name, too. */
int sheet_put_named(const struct sheet *sheet, const char *format, FILE *out,
	struct error *error);

#endif
