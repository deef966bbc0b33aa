#ifndef NEARFAR_SPLIT_MERGE_H
#define NEARFAR_SPLIT_MERGE_H

/*
 * Joins the files of parts to the series that one process would have written:
 *
 *   merge_begin -> merge_file, for each file -> merge_missing ->
 *   merge_list, once for each row -> merge_free
 *
 * A point that several files have must be the same in each. The series of a
 * row must agree in their options, their metrics, and in backend, machine and
 * name of the device; what else differs in their provenance (host, date, UUID)
 * stands there several times.
 */
#include <stdbool.h>

#include "harness/split/part.h"
#include "harness/split/split.h"
#include "harness/series/series.h"

struct merge_point {
	struct point point;
	char *path; /* the file that it came from; NULL: it has not come */
};

struct merge_series {
	struct series series; /* without its points; `bench` NULL: nothing of
				 it has come */
	char *path;           /* where its facts come from */
	struct merge_point *points;
};

struct merge {
	const struct split *split; /* borrowed */
	struct merge_series **rows;
	bool one_device;  /* the UUID of the device must agree, too */
	struct part last; /* of the file that was read last; `count` 0: none
			     was */
};

/* ERR_FAILED without memory; merge_free all the same. */
int merge_begin(struct merge *merge, const struct split *split, bool one_device,
	struct error *error);

/* Takes the points of a file. ERR_FAILED for a file that is of another suite or
   build, or disagrees with those before. */
int merge_file(struct merge *merge, const char *path, struct error *error);

/* Points of a part that have not come; NULL: of all parts. */
size_t merge_missing(const struct merge *merge, const struct part *part);

/* Appends the series of a row, as far as they have come. */
int merge_list(struct merge *merge, size_t row, struct series_list *list,
	struct error *error);

void merge_free(struct merge *merge);

#endif
