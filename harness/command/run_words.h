#ifndef NEARFAR_RUN_WORDS_H
#define NEARFAR_RUN_WORDS_H

/* What the words of `nearfar run` that are no options name. */
#include "harness/command/run_options.h"

/* Benches; or with `programs` files and folders, whose paths are kept even on
   failure, for run_options_free. ERR_USAGE for a word that names nothing, and
   for an option that none of the benches has. */
int run_words_resolve(struct run_options *o, const char *const *words,
	size_t count, bool programs, struct error *error);

#endif
