#ifndef NEARFAR_OUTPUT_STREAM_H
#define NEARFAR_OUTPUT_STREAM_H

/* The stream of an output: plain or, by the name, gzipped. What fails in it
   leaves its errno in output->failure. */
#include "harness/base/output.h"

/* -1 with errno. */
int output_stream_open(struct output *output);

#endif
