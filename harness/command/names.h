#ifndef NEARFAR_COMMAND_NAMES_H
#define NEARFAR_COMMAND_NAMES_H

/* Things that have a name and a line of text: most lists of `list`. */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/facts.h"
#include "harness/contract/bench.h"

struct names {
	const char *what;   /* "benches" */
	struct facts facts; /* a name and its line each; owned: facts_free */
	/* What else a name has, NULL for most lists; for JSON alone. */
	const struct bench_option *(*options)(const char *name);
};

/* `format`: of series_format_names (JSON: schema nearfar-list/1); ERR_USAGE for
   one that needs numbers. */
int names_print(const struct names *names, const char *format, FILE *out,
	struct error *error);

#endif
