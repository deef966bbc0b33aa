#ifndef NEARFAR_STREAM_H
#define NEARFAR_STREAM_H

/* Streams that tell when they fail. */
#include <stdio.h>

#include "harness/base/output.h"

/* The stream of an output: plain or, by the name, gzipped. What fails in it
   leaves its errno in output->failure. -1 with errno. */
int stream_open_output(struct output *output);

/*
 * Writes to memory. fclose() sets both: a text with a zero byte behind it,
 * which the caller frees. Where memory ran out, fclose() fails and the text is
 * NULL (open_memstream() leaves half a text, and says nothing). NULL without
 * memory.
 */
FILE *stream_open_text(char **text, size_t *bytes);

/* What should have been written is not there, for lack of memory: ferror(out)
   is true from now on. Not for a stream that can be read, too. */
void stream_fail(FILE *out);

#endif
