#ifndef NEARFAR_COMMAND_TOPICS_H
#define NEARFAR_COMMAND_TOPICS_H

/*
 * What `nearfar help TOPIC` tells besides commands and benches: the files of
 * topics/, which travel inside the program. The first line of each is its
 * summary. Lines that begin with "    $ " are commands, the indented lines
 * behind them what they print: tests/cli/topic.py runs them.
 */
#include <stdio.h>

struct topic {
	const char *name, *text, *end;
};

extern const struct topic topics[]; /* ends with a NULL name */

/* NULL: there is none of that name. */
const struct topic *topic_find(const char *name);

/* A line for each: "    NAME  SUMMARY". */
void topics_put_list(FILE *out);

#endif
