#ifndef NEARFAR_COMMAND_EXPLAIN_OPTIONS_H
#define NEARFAR_COMMAND_EXPLAIN_OPTIONS_H

/* The command line of `nearfar explain`. */
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/series/io.h"

#define EXPLAIN_FORMATS    (1u << FORMAT_TABLE | 1u << FORMAT_JSON)
#define EXPLAIN_WORDS_MOST 128

/* The words are those of `nearfar run` besides what is run. They borrow from
   the command line. */
struct explain_options {
	char *what;
	const char *output; /* NULL: standard output */
	int format;         /* -1: what the output's name says */
	bool no_what_if;
	bool has_launch;
	uint64_t launch;
	char *words[EXPLAIN_WORDS_MOST];
	size_t word_count;
};

/* Wrong options end the process with argp's usage and status 2. */
int explain_options_parse(int argc, char **argv,
	struct explain_options *options, struct error *error);

#endif
