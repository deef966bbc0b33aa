#ifndef NEARFAR_COMMAND_CALIBRATE_H
#define NEARFAR_COMMAND_CALIBRATE_H

/* The words of `nearfar calibrate`, and a calibration in shards. */
#include <stdio.h>

#include "harness/calibrate/calibrate.h"
#include "harness/split/split.h"

#define CALIBRATE_WORDS_MAX 1024 /* of a kind */

struct calibrate_options {
	struct calibrate_config config;
	const char *targets[CALIBRATE_WORDS_MAX];
	const char *hold_outs[CALIBRATE_WORDS_MAX];
	const char *free[CALIBRATE_WORDS_MAX];
	bool in_shards; /* the words are those of a plan */
	struct error *error;
	int code;
};

/* argv[0] is the command's name. The options borrow from argv; the caller frees
   them. Wrong usage that argp finds ends the process. */
int calibrate_options_read(int argc, char **argv, bool in_shards,
	struct calibrate_options **options, struct error *error);

/* No file that is written is another one; outputs can be written. */
int calibrate_check_files(
	const struct calibrate_config *config, struct error *error);

/* Whether the words of a plan can be run; `points` that the targets hold. */
int calibrate_plan(
	const struct split *split, size_t *points, struct error *error);

/* `nearfar run --shard DIR/N` and `nearfar merge DIR -o MACHINE.yaml` where
   DIR is of a calibration (harness/calibrate/shards.h). */
int calibrate_shard(
	const struct split_place *place, unsigned jobs, struct error *error);
int calibrate_merge(const char *folder, const struct split *split,
	const char *output, FILE *out, struct error *error);

#endif
