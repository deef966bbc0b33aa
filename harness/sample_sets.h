#ifndef NEARFAR_SAMPLE_SETS_H
#define NEARFAR_SAMPLE_SETS_H

/*
 * Sets of latencies, one a point, from any file that holds some:
 *
 * - a series file (series_io.h): the samples of each iteration of a region,
 *   or else the values of latency_cycles;
 * - the CSV that `run --raw` writes;
 * - plain numbers, one a line, with '#' comments: a single set.
 *
 * Told apart by content. Values that are not finite are missing, not samples.
 */
#include <stdbool.h>
#include <stddef.h>

#include "error.h"

#define REGION_DEFAULT "measure"

struct sample_set {
	size_t series;	     /* its index in the file */
	char *bench, *axis;  /* NULL: plain numbers, or the file lacks it */
	double x;	     /* NaN: plain numbers */
	char *skipped;	     /* why there are none, or NULL */
	double *cycles;
	size_t count, capacity;
};

struct sample_sets {
	struct sample_set *items; /* in the file's order */
	size_t count, capacity;
};

/*
 * `region` NULL takes REGION_DEFAULT where it has samples of iterations and
 * falls back on latency_cycles; a name that is given is taken as it is.
 * ERR_USAGE for content that cannot be read and for a file without any sample
 * of the region, ERR_FAILED for a file that cannot be read.
 */
int sample_sets_read(const char *path, const char *region,
	struct sample_sets *sets, struct error *error);

void sample_sets_free(struct sample_sets *sets);

#endif
