#ifndef NEARFAR_SERIES_IO_H
#define NEARFAR_SERIES_IO_H

/*
 * Series as files. Reading takes JSON (schema nearfar-series/1) and the CSV
 * that `run -f csv` writes, plain or gzipped, told apart by content; "-" is
 * standard input. Writing takes any format to a stream; a file that is
 * written appears whole or not at all (written beside, then renamed), gzipped
 * if its name ends in ".gz".
 */
#include <stdio.h>

#include "harness/base/content.h"
#include "harness/base/text_table.h"
#include "harness/series/series.h"

/* Name, ending of a file's name, writer, and what it is for. Longer endings
   come before those that they end in. */
#define SERIES_FORMATS(F)                                                      \
	F(TABLE, "table", ".txt", series_put_table, "tables for people")       \
	F(TIDY, "tidy", ".tidy.csv", series_put_tidy,                          \
		"long-form CSV: one header, options as columns, for pandas "   \
		"and R")                                                       \
	F(CSV, "csv", ".csv", series_put_csv,                                  \
		"CSV, one header a series, options in comments")               \
	F(GBENCH, "gbench", ".gbench.json", series_put_gbench,                 \
		"google-benchmark's JSON, for its compare.py")                 \
	F(VEGA, "vega-lite", ".vl.json", series_put_vega,                      \
		"a Vega-Lite chart with its data")                             \
	F(JSON, "json", ".json", series_put_json,                              \
		"everything, samples included; what nearfar reads")            \
	F(JSONL, "jsonl", ".jsonl", series_put_jsonl,                          \
		"a line of JSON a point")                                      \
	F(OPENMETRICS, "openmetrics", ".prom", series_put_openmetrics,         \
		"medians as OpenMetrics, for Prometheus")                      \
	F(MD, "md", ".md", series_put_md, "tables in Markdown")                \
	F(TEX, "tex", ".tex", series_put_tex, "tables for LaTeX (booktabs)")

enum series_format {
#define SERIES_FORMAT_ENUM(name, text, ending, put, what) FORMAT_##name,
	SERIES_FORMATS(SERIES_FORMAT_ENUM)
#undef SERIES_FORMAT_ENUM
		FORMAT_COUNT
};

extern const char *const series_format_names[FORMAT_COUNT];

/* "table|tidy|csv|...", in the order of the enum, for tables of options. */
#define SERIES_FORMAT_CHOICE(name, text, ending, put, what) "|" text
#define SERIES_FORMAT_CHOICES                               (&("" SERIES_FORMATS(SERIES_FORMAT_CHOICE))[1])

/* The enum series_format of a name, or -1. */
int series_format_find(const char *name);

/* "table, tidy, csv, ..." and ".txt .tidy.csv ...": `text` has room for all. */
#define SERIES_FORMAT_LIST_BYTES 128
void series_format_list(char text[SERIES_FORMAT_LIST_BYTES]);
void series_ending_list(char text[SERIES_FORMAT_LIST_BYTES]);

/* By the end of a file's name, before a ".gz"; FORMAT_TABLE for NULL, "-", and
   a name without a dot. ERR_USAGE, without a sentence, for any other ending:
   the caller knows what it writes. */
int series_format_of(const char *path, enum series_format *format);

/* ERR_USAGE for content, with FILE:LINE: or, where JSON is well formed but
   says something wrong, with FILE: and the JSON path; ERR_FAILED for a file
   that cannot be read. */
int series_read(
	const char *path, struct series_list *list, struct error *error);
int series_parse(const struct content *content, struct series_list *list,
	struct error *error);

/* How people's tables of a format look. */
enum text_style series_style(enum series_format format);

int series_write(const struct series_list *list, enum series_format format,
	FILE *out, struct error *error);

int series_write_file(const struct series_list *list, enum series_format format,
	const char *path, struct error *error);

/* Every raw sample as CSV: series, x, repeat, region, sm, warp, iteration,
   cycles. */
int series_write_raw(
	const struct series_list *list, const char *path, struct error *error);

#endif
