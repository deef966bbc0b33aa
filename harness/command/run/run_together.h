#ifndef NEARFAR_RUN_TOGETHER_H
#define NEARFAR_RUN_TOGETHER_H

/* Which options go into a row of a suite, into the words of `explain`, and
   beside
   --shard. */
#include <argp.h>

#include "harness/base/error.h"

/* ERR_USAGE for an option, by its key, that a row does not have: what is
   written and how many workers there are, is not the row's to say. */
int run_together_row(int key, struct error *error);

/* The same of the words of `nearfar explain`, which runs the model once. */
int run_together_explain(int key, struct error *error);
/* ERR_USAGE for an option, or (ARGP_KEY_ARG) a word, beside --shard. */
int run_together_shard(int key, struct error *error);

/* ERR_USAGE for the words of a row that argp did not take, with the option that
   is in none of the tables, if it can be told. */
int run_together_refuse(const struct argp_option *table, int argc, char **argv,
	struct error *error);

#endif
