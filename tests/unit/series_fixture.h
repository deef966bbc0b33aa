#ifndef NEARFAR_SERIES_FIXTURE_H
#define NEARFAR_SERIES_FIXTURE_H

/* Series made by hand for the tests of files, comparisons and plots. */
#include "harness/series/formats.h"
#include "harness/series/io.h"

/* Two series with everything a file can hold, awkward text included. */
void fixture_full(struct series_list *list);

/* One series of latencies; `x` are bytes. The metric's summary has a count
   of 8 and an interval of 1 around the median. */
struct series *fixture_curve(struct series_list *list, const char *bench,
	const double *x, const double *y, size_t count);

/* What a writer makes of a list; the caller frees it. */
char *fixture_text(const struct series_list *list, enum series_format format);

/* A path in a fresh folder of its own; the caller removes and frees. */
char *fixture_path(const char *name);
void fixture_remove(char *path);

/* Changes a few bytes of `text` (which has room for `capacity`) and returns
   its new length. */
size_t fixture_mutate(char *text, size_t length, size_t capacity,
	struct random_state *random);

/* Of a metric of the point, to be written. */
struct summary *fixture_summary(struct point *point, int metric);

#endif
