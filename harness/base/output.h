#ifndef NEARFAR_OUTPUT_H
#define NEARFAR_OUTPUT_H

/*
 * A file that appears whole or not at all: written beside its path, then
 * flushed to the disk and renamed over it. A name that ends in ".gz" is
 * gzipped, without a time stamp, so that the same content gives the same
 * bytes. "-" is standard output; what is no plain file (/dev/null, a pipe) is
 * written directly. A link is followed.
 *
 *   output_open -> write to .stream -> output_commit or output_abort
 */
#include <stdio.h>

#include "harness/base/error.h"

struct output {
	FILE *stream;
	char *path, *temporary; /* temporary: NULL if written directly */
	int descriptor;         /* kept for the sync; -1 if there is none */
};

/* ERR_FAILED with the path and the reason. */
int output_open(struct output *output, const char *path, struct error *error);

/* ERR_FAILED if anything since the opening failed; the file is then as it was
   before. Frees everything either way. */
int output_commit(struct output *output, struct error *error);

void output_abort(struct output *output);

#endif
