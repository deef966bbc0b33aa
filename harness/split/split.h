#ifndef NEARFAR_SPLIT_H
#define NEARFAR_SPLIT_H

/*
 * A suite in parts, which many processes run and one joins. Each process reads
 * the suite for itself and runs the points that are its part's (part.h); no
 * process needs another one, nor a plan that somebody has made. The folder DIR
 * is where they leave what they did:
 *
 *   DIR/K-of-N.json.gz     the points of part K of N: a file of series
 *                          (nearfar-series/1), which says in its provenance
 *                          whose points they are (stamp.h)
 *   DIR/K-of-N.ROW.journal while part K runs: its finished points of a row
 *                          (kept.h), locked by the process that runs them
 *   DIR/ROW-of-N/K.journal of a row that is a fit: the points that part K has
 *                          run. All parts do the same search, and each runs
 *                          some of the points of every step
 *                          (harness/fit/search/others.h)
 *   DIR/slurm.sh           a job array, if `plan --slurm` was asked for it
 *   DIR/K.log              what job K of that array said
 *
 * Files appear whole or not at all (output.h), so that nobody reads half of
 * one. Two processes that run the same part at the same time do no harm: the
 * second finds the journal locked; where file systems do not lock, or journals
 * stand on two nodes, both write a whole file, and the last one stays.
 *
 * The work of a row is the digest of all that makes its points what they are
 * (kept.h), but for the GPU, which is known where it runs.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/keep/build_id.h"

#define SPLIT_ROWS_MAX  4096
#define SPLIT_WORDS_MAX 4096 /* of a row */

/* Texts and points are owned: split_free. */
struct split_series {
	char *bench, *axis;
	double *points;
	size_t point_count;
};

struct split_row {
	char *name;
	char **words; /* of `nearfar run`, or "fit" and those of fit */
	size_t word_count;
	uint64_t work; /* digest; 0 of a fit */
	struct split_series *series;
	size_t series_count; /* 0 of a fit */
};

struct split {
	char build[BUILD_ID_BYTES];
	struct split_row *rows;
	size_t row_count;
};

void split_free(struct split *split);

bool split_row_is_fit(const struct split_row *row);

/* The path of a file in the folder of a split; the caller frees it. NULL
   without memory. */
char *split_path(const char *folder, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Points of all rows. */
size_t split_points(const struct split *split);

#endif
