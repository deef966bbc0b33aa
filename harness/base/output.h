#ifndef NEARFAR_OUTPUT_H
#define NEARFAR_OUTPUT_H

/*
 * A file that appears whole or not at all: written without a name in the
 * folder of its path (where the file system cannot do that: under a random
 * name that nobody else has), then flushed to the disk and renamed over the
 * path. A name that ends in ".gz" is gzipped, without a time stamp, so that
 * the same content gives the same bytes.
 *
 * A symbolic link is followed and stays. A file that is there keeps its mode
 * and its owner, and must be writable; one that has other names, or an owner
 * that cannot be kept, is not renamed over but filled again, from a copy that
 * stays if that fails. What is no plain file (a pipe, a terminal, /dev/null)
 * is written directly, and so are "-" and "/dev/stdout": standard output.
 *
 *   output_open -> write to .stream -> output_commit or output_abort
 *
 * An open output does not move: its stream points to it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "harness/base/error.h"

struct output {
	FILE *stream;
	char *path;      /* where the file will be, links followed */
	char *temporary; /* the name of what is written; NULL: it has none */
	bool direct;     /* `path` itself is written */
	bool there;      /* a file is at `path`, and `old` is what it is */
	struct stat old;
	int descriptor; /* kept for the sync; -1 if there is none */
	int failure;    /* errno of the first write that failed, or 0 */
};

/* ERR_FAILED with the path and the reason. */
int output_open(struct output *output, const char *path, struct error *error);

/* ERR_FAILED if anything since the opening failed; the file is then as it was
   before, unless the sentence says where its new content is. Frees everything
   either way. */
int output_commit(struct output *output, struct error *error);

void output_abort(struct output *output);

/* Fails early (ERR_FAILED) where `path` could not be written; writes nothing,
   and opens nothing that somebody else may be reading. */
int output_probe(const char *path, struct error *error);

#endif
