#ifndef NEARFAR_OPTIONS_ARGP_H
#define NEARFAR_OPTIONS_ARGP_H

/* A table of options as argp has them. */
#include <argp.h>

#include "harness/options/options.h"

struct options_argp {
	const struct options_table *table;
	struct argp_option *rows; /* ends with a zeroed row */
	char **helps;             /* one a row */
	char *text;               /* above and, behind \v, below the options */
	size_t count;
};

/* ERR_FAILED without memory. options_argp_free() after success. */
int options_argp_make(
	const struct options_table *table, struct options_argp *made);
void options_argp_free(struct options_argp *made);

/* The row of argp's key, or NULL; `old`: by the name that it had. */
const struct options_row *options_argp_row(
	const struct options_argp *made, int key, bool *old);

#endif
