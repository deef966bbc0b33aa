#ifndef NEARFAR_RUN_SUITE_H
#define NEARFAR_RUN_SUITE_H

/* A suite, with what its rows are here: their work, their series and points. */
#include "harness/command/suite/run_row.h"
#include "harness/options/options.h"
#include "harness/split/split.h"

/* What is done with each row that is no fit, while it is open; a negative code
   ends it. */
typedef int run_suite_each(void *context, const struct run_row *row,
	size_t index, struct error *error);

/* Reads the suite at `path`, "-" for standard input; `more` words are added to
   each row. A GPU need not be there. `each` may be NULL. ERR_USAGE with
   FILE:LINE: for what is no row; split_free in any case. */
int run_suite_read(const char *path, const struct options_words *more,
	run_suite_each *each, void *context, struct split *split,
	struct error *error);

#endif
