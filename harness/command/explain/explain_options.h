#ifndef NEARFAR_COMMAND_EXPLAIN_OPTIONS_H
#define NEARFAR_COMMAND_EXPLAIN_OPTIONS_H

/* The command line of `nearfar explain`. */
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/options/options.h"
#include "harness/series/io.h"

#define EXPLAIN_FORMATS    (1u << FORMAT_TABLE | 1u << FORMAT_JSON)
#define EXPLAIN_WORDS_MOST 128

/* The words are those of `nearfar run` besides what is run. They borrow from
   the command line. */
struct explain_options {
	char *what;
	struct options_words given; /* `what`, and words of run */
	const char *output;         /* NULL: standard output */
	int format;                 /* -1: what the output's name says */
	bool no_what_if;
	const char *launch_word; /* NULL: the launch that takes longest */
	bool launch_is_name;     /* else `launch` is its number */
	uint64_t launch;
	char *words[EXPLAIN_WORDS_MOST];
	size_t word_count;
};

extern const struct options_table explain_options;

/* As options_parse(). */
int explain_options_parse(int argc, char **argv,
	struct explain_options *options, struct error *error);

#endif
