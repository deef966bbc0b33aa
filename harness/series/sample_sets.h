#ifndef NEARFAR_SAMPLE_SETS_H
#define NEARFAR_SAMPLE_SETS_H

/*
 * Sets of latencies, one a point, from any file that holds some:
 *
 * - a series file (io.h): the values of latency_cycles, or where there
 *   are none the samples of each iteration of a region;
 * - the CSV that `run --raw` writes: the samples of a region;
 * - plain numbers, one a line, with '#' comments: a single set.
 *
 * Told apart by content. Values that are not finite are missing, not samples.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

#define REGION_DEFAULT "measure"

struct sample_set {
	size_t series;      /* its index in the file */
	char *bench, *axis; /* NULL: plain numbers, or the file lacks it */
	double x;           /* NaN: plain numbers */
	char *skipped;      /* why there are none, or NULL */
	double *cycles;
	size_t count, capacity;
};

struct sample_sets {
	struct sample_set *items; /* in the file's order */
	size_t count, capacity;
};

/*
 * A sample is the time of an iteration or of a whole region, whatever the
 * number of loads in it; latency_cycles is already divided by that. So a series
 * gives its samples only where it has no latencies (`region` NULL: those of
 * REGION_DEFAULT, if they are of iterations) or where a region is named.
 * ERR_USAGE for content that cannot be read and for a file without any sample
 * of the region, ERR_FAILED for a file that cannot be read.
 */
int sample_sets_read(const char *path, const char *region,
	struct sample_sets *sets, struct error *error);

/* Whether a file holds samples alone: plain numbers or what `run --raw` wrote.
   Reads no more than its beginning; standard input counts as a series. */
int sample_sets_detect(const char *path, bool *samples, struct error *error);

void sample_sets_free(struct sample_sets *sets);

#endif
