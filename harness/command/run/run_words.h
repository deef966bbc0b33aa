#ifndef NEARFAR_RUN_WORDS_H
#define NEARFAR_RUN_WORDS_H

/* What the words of `nearfar run` that are no options name. */
#include "harness/command/run/run_options.h"

enum run_words { RUN_BENCHES, RUN_PROGRAMS, RUN_JOBS };

/* Benches; or files and folders of programs or jobs, whose paths are kept even
   on failure, for run_options_free. ERR_USAGE for a word that names nothing,
   and for an option that does not belong to what is run. */
int run_words_resolve(struct run_options *o, const char *const *words,
	size_t count, enum run_words kind, struct error *error);

/* The backend of that name; ERR_USAGE if there is none. */
int run_words_backend(
	struct run_options *o, const char *word, struct error *error);

/* What --device names: "0", "0,2" or "all". ERR_USAGE. */
int run_words_devices(
	struct run_options *o, const char *text, struct error *error);

/* The GPU that --peer names. ERR_USAGE. */
int run_words_peer(
	struct run_options *o, const char *word, struct error *error);

/* enum job_values that --values names, or -1. */
int run_words_values(const struct run_options *o);

/* What --dump names, "BUFFER=FILE", which is cut in two. ERR_USAGE for another
   word. */
int run_words_dump(struct run_options *o, char *word, struct error *error);

#endif
