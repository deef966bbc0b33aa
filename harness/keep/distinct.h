#ifndef NEARFAR_DISTINCT_H
#define NEARFAR_DISTINCT_H

/* The files of a command: none that it writes is another one of them. */
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct distinct_file {
	const char *path; /* NULL: there is no such file; "-" is none */
	const char *what; /* "-o", "the machine" */
	bool written;
};

/* ERR_USAGE if a file that is written is one of the others, under whatever
   name. What is no plain file may be used twice. */
int distinct_check(
	const struct distinct_file *files, size_t count, struct error *error);

#endif
