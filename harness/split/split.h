#ifndef NEARFAR_SPLIT_H
#define NEARFAR_SPLIT_H

/*
 * A suite in shards, which many processes run and one joins. The folder of a
 * split, DIR, is all that they share:
 *
 *   DIR/plan.json       what is run; written once, by `nearfar plan`
 *   DIR/N.json.gz       the points of shard N (1, 2, ...): a file of series
 *                       (nearfar-series/1), which says in its provenance
 *                       whose points they are (stamp.h); by `run --shard`
 *   DIR/N.R.journal     while shard N runs: its finished points of row R
 *                       (kept.h), locked by the process that runs them
 *   DIR/N.journal       of a calibration: the points that shard N has run
 *   DIR/slurm.sh        a job array, if `plan --slurm` was asked for it
 *   DIR/N.log           what the job N of that array said
 *
 * plan.json has the schema nearfar-plan/1 (results/schema):
 *
 *   version, build   of the program that made the plan: shards are run by
 *                    this build alone, since another one may measure others
 *   suite            digest of the rows: their names and words
 *   rows             each with its name, the words of `nearfar run`, the seed,
 *                    a digest of its work, and its series with their points.
 *                    The work is all that makes the points what they are
 *                    (kept.h), but for the GPU, which is known where it runs
 *   shards           each with its cost and its parts: points `first` to
 *                    `first + count - 1` of a series of a row. Every point is
 *                    in one shard. Rows, series and points count from 0
 *
 * Where there is `calibrate`, the words of `nearfar calibrate`, the plan is one
 * of a calibration: it has no rows, and shards without parts. All shards do the
 * same search, and each runs some of the points of every step
 * (harness/calibrate/shards.h).
 *
 * The digest of a plan is that of the bytes of plan.json; each file of a shard
 * carries it. Files appear whole or not at all (output.h), so that nobody reads
 * half of one. Two processes that run the same shard at the same time do no
 * harm: the second finds the journal locked; where file systems do not lock, or
 * journals stand on two nodes, both write a whole file, and the last one stays.
 *
 * A cost is a number of accesses to memory (cost.h).
 */
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/keep/fingerprint.h"

#define SPLIT_SCHEMA "nearfar-plan/1"

#define SPLIT_ROWS_MAX   4096
#define SPLIT_SERIES_MAX 65536 /* of a row */
#define SPLIT_SHARDS_MAX 100000
#define SPLIT_WORDS_MAX  4096 /* of a row */

/* Texts are owned: split_free. */
struct split_series {
	char *bench, *axis;
	size_t point_count;
};

struct split_row {
	char *name;
	char **words; /* of `nearfar run` */
	size_t word_count;
	uint32_t seed;
	uint64_t work; /* digest */
	struct split_series *series;
	size_t series_count;
};

struct split_part {
	size_t row, series, first, count;
	double cost;
};

struct split_shard {
	double cost;
	struct split_part *parts; /* by row, series and first point */
	size_t part_count;
};

struct split {
	char build[FINGERPRINT_BYTES];
	uint64_t suite; /* digest */
	struct split_row *rows;
	size_t row_count;
	char **calibrate; /* words; NULL: the plan is of a suite */
	size_t calibrate_count;
	struct split_shard *shards; /* shard N is shards[N - 1] */
	size_t shard_count;
	uint64_t digest; /* of the file; 0: it was not read from one */
};

void split_free(struct split *split);

/* The digest of all rows' names and words. */
uint64_t split_suite_digest(const struct split *split);

/* The path of a file in the folder of a split; the caller frees it. NULL
   without memory. */
char *split_path(const char *folder, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* DIR/plan.json. ERR_USAGE for a folder without one and for a plan that is
   wrong, with the place; ERR_FAILED without memory. */
int split_read(const char *folder, struct split *split, struct error *error);

/* A shard as users name it. */
struct split_place {
	char *folder;
	struct split split;
	size_t number; /* from 1 */
};

/* Reads the plan that "DIR/N" names. ERR_USAGE for what is no shard; ERR_FAILED
   for the plan of another build. split_place_free, on failure too. */
int split_find(
	const char *text, struct split_place *place, struct error *error);
void split_place_free(struct split_place *place);

/* Makes the folder and writes its plan.json. A plan that is there stays if it
   is this one; another one is ERR_FAILED. */
int split_write(
	const char *folder, const struct split *split, struct error *error);

/* Points of all shards, or of one. */
size_t split_points(const struct split *split);
size_t split_shard_points(const struct split_shard *shard);

#endif
