#ifndef NEARFAR_RUN_TOGETHER_H
#define NEARFAR_RUN_TOGETHER_H

/* Which options go into a row of a suite, into the words of `explain`, and
   beside --shard. `row` is of run's table, a bench's, or NULL for an operand.
 */
#include "harness/options/options.h"

/* ERR_USAGE for an option that a row does not have: what is written and how
   many workers there are, is not the row's to say. */
options_before run_together_row;

/* The same of the words of `nearfar explain`, which runs the model once. */
options_before run_together_explain;

/* ERR_USAGE for what does not go with --shard. */
int run_together_shard(const struct options_row *row, struct error *error);

#endif
