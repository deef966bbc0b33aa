#ifndef NEARFAR_SERIES_FORMATS_H
#define NEARFAR_SERIES_FORMATS_H

/*
 * The formats behind io.h, one function each. Writers return 0, or ERR_FAILED
 * without memory, and leave failures of the stream in ferror(out). Parsers
 * take a whole file, `bytes` long and followed by a zero byte, append what they
 * read to an empty list and leave what they had read so far in it when they
 * fail.
 */
#include <stdio.h>

#include "harness/series/io.h"
#include "harness/series/series.h"

#define SERIES_WRITER(name, text, ending, put, what)                           \
	int put(const struct series_list *list, FILE *out);
SERIES_FORMATS(SERIES_WRITER)
#undef SERIES_WRITER
int series_put_raw(const struct series_list *list, FILE *out);

int series_parse_json(const char *text, size_t bytes, const char *source,
	struct series_list *list, struct error *error);
/* From the chunk at hand on. */
int series_read_json(
	struct chunks *chunks, struct series_list *list, struct error *error);
int series_parse_csv(char *text, size_t bytes, const char *source,
	struct series_list *list, struct error *error);

/* A point as it stands in series_put_json. */
void series_put_point(
	const struct series *series, const struct point *point, FILE *out);

/* {"median": ..., "count": ...}, on one line. */
void series_put_summary(const struct summary *summary, FILE *out);

/* The text on one line: backslash and control characters are escaped. */
void series_put_line(FILE *out, const char *text);

/* "# PREFIXKEY: VALUE", one line whatever the value is. */
void series_put_comment(
	FILE *out, const char *prefix, const char *key, const char *value);

/* "op=ld.cg order=shuffle", and "backend sim, machine h200-sxm, ...": the
   facts that a reader asks for first. On one line, without its end. */
void series_put_options(const struct series *series, FILE *out);
void series_put_key_facts(const struct series *series, FILE *out);

/* The same of several series: only those facts in which all agree. */
void series_put_common_facts(
	const struct series *const *series, size_t count, FILE *out);

#endif
