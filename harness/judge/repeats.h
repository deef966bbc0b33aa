#ifndef NEARFAR_REPEATS_H
#define NEARFAR_REPEATS_H

/*
 * How often a point is run: a number of times, or until the 95 % interval of
 * the median of its headline metric lies within so many percent of the median;
 * of shares, within so many hundredths. The latter has at least
 * REPEATS_LEAST runs, for an interval of fewer says nothing, and ends after
 * REPEATS_MOST runs or REPEATS_SECONDS whether the interval is there or not.
 */
#include <stdbool.h>

#include "harness/base/error.h"
#include "harness/series/series.h"
#include "harness/stats/stats.h"

#define REPEATS_LEAST          3
#define REPEATS_MOST           100
#define REPEATS_SECONDS        60
#define REPEATS_BYTES          32
#define REPEATS_SENTENCE_BYTES 512

struct repeats {
	unsigned count; /* at most, where within_percent is not 0 */
	double within_percent;
};

/* "5", "auto" (within 1 %) or "auto:2.5%". ERR_USAGE. */
int repeats_parse(
	const char *text, struct repeats *repeats, struct error *error);

/* As repeats_parse() reads it. */
void repeats_text(const struct repeats *repeats, char text[REPEATS_BYTES]);

/* How far the farther end of the interval is from the median, in percent of
   it; of shares in hundredths. Infinite where there is no value. */
double repeats_off_percent(int metric, const struct summary *summary);

/* Where a point stands: when its interval is looked at next. */
struct repeats_course {
	const struct repeats *repeats; /* borrowed */
	unsigned next;
	double since_s;
};

/* Values so far: of one point, or of several that are run together, each
   `stride` behind the one before. */
struct repeats_values {
	int metric; /* -1: none, and nothing to wait for */
	const double *items;
	size_t count, points, stride;
};

/* Before the first run that counts. */
void repeats_begin(
	struct repeats_course *course, const struct repeats *repeats);

/* Whether no further run is needed, after `runs` of them. */
bool repeats_enough(struct repeats_course *course, unsigned runs,
	const struct repeats_values *values);

/* The sentence on the points of the series whose interval was not reached;
   empty where each was, and where the number is fixed. */
void repeats_missed(const struct repeats *repeats, const struct series *series,
	size_t series_count, char text[REPEATS_SENTENCE_BYTES]);

#endif
