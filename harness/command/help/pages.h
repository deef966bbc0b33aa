#ifndef NEARFAR_HELP_PAGES_H
#define NEARFAR_HELP_PAGES_H

/*
 * The manual pages: nearfar(1), one a command in section 1, one a topic in
 * section 5 or 7; and what the shell completes.
 */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/options/options.h"

/* The commands, in the order of `nearfar --help`. */
struct help_commands {
	const struct options_table *const *tables;
	size_t count;
};

/* The page of a command or a topic, or (NULL) of the program. ERR_USAGE: there
   is none of that name. */
int pages_put(const struct help_commands *commands, const char *name,
	const char *version, FILE *out, struct error *error);

/* "SECTION NAME" of each page, a line each: what `make man` makes. */
void pages_list(const struct help_commands *commands, FILE *out);

/* What can stand for the last of the words behind `nearfar`, a line each;
   "@files" stands for files. ERR_FAILED without memory. */
int complete_put(const struct help_commands *commands, int argc, char **argv,
	FILE *out, struct error *error);

#endif
