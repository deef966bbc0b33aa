#ifndef NEARFAR_RUN_ROW_H
#define NEARFAR_RUN_ROW_H

/* A row of a suite: its words understood, its backend open, its plans made. */
#include "harness/command/run/run_plans.h"
#include "harness/split/split.h"

struct run_row {
	char **argv; /* what the options borrow from; owned */
	struct run_options options;
	struct run_opened opened; /* one */
	struct run_plans plans;
};

/* `place` begins each message: "suite.txt:12". With `only_looking` a GPU need
   not be there. ERR_USAGE for words that are no row. On failure, too,
   run_row_free. */
int run_row_make(struct run_row *row, const char *place,
	const struct split_row *words, bool only_looking, atomic_int *stop,
	struct error *error);
void run_row_free(struct run_row *row);

/* The digest of its work, whatever GPU it runs on. ERR_FAILED without
   memory. */
int run_row_work(
	const struct run_row *row, uint64_t *digest, struct error *error);

#endif
