#ifndef NEARFAR_SERIES_H
#define NEARFAR_SERIES_H

/*
 * A series: one curve with everything needed to trace each number. This is
 * what `run` writes and what show, compare and modes read;
 * harness/command/formats.md documents the files.
 */
#include "harness/contract/backend.h"
#include "harness/contract/bench.h"
#include "harness/base/error.h"
#include "harness/stats/stats.h"

#define SERIES_SCHEMA "nearfar-series/1"

/* What readers take: a point has some hundred bytes in memory, and facts are
   looked for one by one. */
#define SERIES_POINTS_MAX 1048576 /* of a file */
#define SERIES_FACTS_MAX  1024    /* options and provenance of a series */

/* The raw samples of a point, as columns of equal length. */
struct sample_table {
	size_t count, capacity;
	uint32_t *repeat, *warp, *iteration;
	uint16_t *region, *sm;
	double *cycles;
};

/* Region by region, repeat by repeat: whole-chip times. */
struct span_row {
	uint32_t region, repeat;
	double cycles, ns;
	double clock_hz; /* of that repeat */
};

/* One metric of a point. */
struct metric_values {
	int metric;
	struct summary summary;
	double *values; /* what the summary summarises; NULL where not kept */
	size_t value_count;
};

struct point {
	double x;
	char *skipped;  /* the reason, or NULL; a skipped point has no data */
	char *program;  /* text form, of the first repeat */
	char **regions; /* region names, in order */
	size_t region_count;
	struct metric_values
		*metrics; /* of series.metrics, those that are there */
	size_t metric_count;
	double clock_hz;             /* median over repeats */
	uint32_t marks;              /* 1 << MARK_*: what to know of it */
	struct sample_table samples; /* empty unless kept */
	struct span_row *spans;
	size_t span_count;
	struct counter *counters; /* of the first repeat; names owned */
	size_t counter_count;
	struct job_result profiled; /* launches of the first repeat, with their
				       profiles, where these were asked for: of
				       a job one, of a program all; in no file
				       of series */
};

/* The key of the fact that says which level serves which points. */
#define FACT_SERVED "served_by"
/* The key of facts that say of what the model's time is not fitted yet. */
#define FACT_TIME "time"
/* Of facts that say what the model has done beside what a kernel says. */
#define FACT_NOTE "note"
/* Of facts that say that the model's values are not the hardware's. */
#define FACT_VALUES "values"

struct series {
	char *bench;             /* "pointer-chase" */
	char *axis;              /* "footprint_bytes" */
	uint64_t metrics;        /* a set of METRIC_BIT(METRIC_*) */
	struct facts options;    /* every bench option as resolved */
	struct facts provenance; /* backend, machine or device, driver, seed,
				    repeats, warmups, host, version, date */
	struct point *points;
	size_t point_count;
};

/* What one file holds. */
struct series_list {
	struct series *items;
	size_t count;
};

extern const char *const metric_columns[METRIC_ALL];
extern const char *const metric_meanings[METRIC_ALL];

/* The enum metric of a column name, or of a counter's; or -1. */
int metric_find(const char *column);
/* Makes the counter a metric of each series that has it; others stay as they
   are, and so they do for a metric that is no counter. ERR_FAILED without
   memory. */
int series_take_counter(struct series_list *list, int metric);

/* What the job of a series calls the launch at `x`: its name, or its kernel;
   empty where the series is of no job. */
#define SERIES_LAUNCH_BYTES 64
void series_launch(
	const struct series *series, double x, char text[SERIES_LAUNCH_BYTES]);

/* The metric that is shown where none is asked for: the headline of the bench
   (bench.h), or the first one of a series that has it not. -1 if the series has
   none. */
int series_primary(const struct series *series);

/* The numbers of a summary and the columns of a sample table, by the names
   they have in files. */
#define SUMMARY_NUMBERS(N) N(median) N(mean) N(p5) N(p95) N(mad) N(low) N(high)
#define SAMPLE_TABLE(C)    C(repeat) C(region) C(sm) C(warp) C(iteration) C(cycles)

struct summary_field {
	const char *name;
	size_t offset; /* of a double in struct summary */
};

struct sample_column {
	const char *name;
	size_t offset; /* of a pointer in struct sample_table */
	size_t width;  /* of an element; 8 is a double, else unsigned */
};

#define SUMMARY_FIELDS 7
#define SAMPLE_COLUMNS 6

extern const struct summary_field summary_fields[SUMMARY_FIELDS];
extern const struct sample_column sample_columns[SAMPLE_COLUMNS];

double summary_get(const struct summary *summary, size_t field);
void summary_set(struct summary *summary, size_t field, double value);
/* count 0 and NaN. */
void summary_clear(struct summary *summary);

/* ERR_FAILED without memory. */
int sample_table_reserve(struct sample_table *table, size_t capacity);
int sample_table_add(struct sample_table *table, uint32_t repeat,
	const struct sample *sample);
double sample_table_get(
	const struct sample_table *table, size_t column, size_t row);
void sample_table_set(
	struct sample_table *table, size_t column, size_t row, double value);

/* Appends zeroed items that the list owns; NULL without memory. What was
   returned before moves. */
struct point *series_add_point(struct series *series, double x);
struct series *series_list_add(struct series_list *list);

/* What the point has of a metric; where it has nothing, an empty reading:
   count 0, NaN, no values. */
const struct metric_values *point_metric(const struct point *point, int metric);
const struct summary *point_summary(const struct point *point, int metric);
/* The same to be written; an empty reading is added where there is none. Moves
   the others of the point. NULL without memory. */
struct metric_values *point_add_metric(struct point *point, int metric);

/* All marks of the points. */
uint32_t series_marks(const struct series *series);

/* The free functions leave the value empty. */
void point_free(struct point *point);
void series_free(struct series *series);
void series_list_free(struct series_list *list);

#endif
