#ifndef NEARFAR_FIT_WORDS_H
#define NEARFAR_FIT_WORDS_H

/* The table of the options of `nearfar fit`, into a struct fit_options. */
#include "harness/command/fit/fit_options.h"

extern const struct options_table fit_options;

/* One more of a kind; ERR_USAGE if there are too many. */
int fit_words_add(const char **words, size_t *count, const char *word,
	struct error *error);

#endif
