#ifndef NEARFAR_FIT_OPTIONS_H
#define NEARFAR_FIT_OPTIONS_H

/*
 * The words of `nearfar fit`, which fits to one of three things: a device that
 * it measures, a folder into which one was measured, or files of series.
 */
#include <stdio.h>

#include "harness/fit/search/search.h"
#include "harness/fit/fit.h"
#include "harness/options/options.h"

#define FIT_WORDS_MAX 1024 /* of a kind */

enum fit_source { FIT_OF_DEVICE, FIT_OF_FOLDER, FIT_OF_FILES };

struct fit_options {
	enum fit_source source;
	struct fit_config fit;       /* of a device and of a folder */
	struct search_config search; /* of files */
	const char *measure;         /* a folder: the first half alone */
	const char *from[FIT_WORDS_MAX];
	const char *hold_outs[FIT_WORDS_MAX];
	const char *free[FIT_WORDS_MAX];
	size_t from_count;
	struct options_words more; /* files behind those of --from */
	/* of the command line, for both */
	const char *output, *errors, *nearest;
	double seconds;
	uint64_t evaluations, seed;
	unsigned jobs, device;
	bool of_a_row;  /* the words are a row's of a suite */
	unsigned given; /* bits: which of those that not all sources have */
};

/* The options borrow from argv; the caller frees them. Wrong usage that argp
   finds ends the process, of a row's words (which are of files alone) returns
   ERR_USAGE. */
int fit_options_read(int argc, char **argv, bool of_a_row,
	struct fit_options **options, struct error *error);

/* No file that is written is another one; outputs can be written. */
int fit_check_files(const struct search_config *config, struct error *error);

#endif
