#ifndef NEARFAR_COMMAND_TOPICS_H
#define NEARFAR_COMMAND_TOPICS_H

/*
 * What `nearfar help TOPIC` tells besides commands and benches: pages, whose
 * texts are the files of this folder and travel inside the program.
 *
 * The first line of a text is its summary. A line of capitals alone is a
 * heading; lines that begin with four blanks stand as they are; a term, two
 * blanks or more and its meaning, which goes on in the same column, are an item
 * of a list, indented or not; other lines are paragraphs. Lines that begin with
 * "    $ " are commands, the indented lines behind them what they print:
 * tests/docs/commands.py runs them. A line "@NAME" is replaced by what the
 * parser's or writer's own table says (parts.c).
 */
#include <stdio.h>

#include "harness/base/error.h"

struct topic {
	const char *name, *text, *end;
};

extern const struct topic topics[]; /* ends with a NULL name */

/* NULL: there is none of that name. */
const struct topic *topic_find(const char *name);

/* The section of the manual: 5 for what users write, 7 for all else. */
int topic_section(const struct topic *topic);

/* The page. ERR_FAILED without memory. */
int topic_put(const struct topic *topic, FILE *out, struct error *error);

/* A line for each: "    NAME  SUMMARY". */
void topics_put_list(FILE *out);

/* parts.c: what stands for a line "@NAME"; `name` is not ended. ERR_FAILED
   without memory, or where there is no such part. */
int topic_put_part(
	const char *name, size_t length, FILE *out, struct error *error);

#endif
