#ifndef NEARFAR_MARK_RULES_H
#define NEARFAR_MARK_RULES_H

/* When a point is marked: the rules of harness/marks/marks.def. */
#include "harness/contract/backend.h"
#include "harness/marks/marks.h"
#include "harness/series/series.h"

#define MARK_CLOCK_SHARE    0.01
#define MARK_REPEATS_SHARE  0.10
#define MARK_INTERVAL_SHARE 0.10
#define MARK_TIMER_STEPS    50.0 /* of a span that is known to 2 % */
/* Of shares of lines, which may be 0: differences. */
#define MARK_REPEATS_POINTS  0.05
#define MARK_INTERVAL_POINTS 0.10

/* Whether differences of the metric tell more than ratios. */
bool marks_is_share(int metric);

/* What is known of a point when it has been measured. */
struct mark_source {
	const struct point *point;
	int metric; /* the first of the series; -1: none */
	unsigned repeats;
	const size_t *ends; /* by repeat: its values of the metric end there */
	double *scratch;    /* room for the values of a repeat */
	unsigned disturbances;         /* of all repeats */
	bool coarse;                   /* see marks_span_is_coarse() */
	const struct program *program; /* of the last repeat */
	const struct device *device;
};

/* Whether what a metric takes from the span of a run is known to less than one
   part in MARK_TIMER_STEPS. */
bool marks_span_is_coarse(
	const struct program *p, const struct result *result, uint32_t metrics);

/* The set of marks. */
uint32_t marks_find(const struct mark_source *source);

/* Adds those that follow from the other points of the series. ERR_FAILED
   without memory. */
int marks_add_series(struct series *series);

#endif
