#ifndef NEARFAR_VARIABLES_H
#define NEARFAR_VARIABLES_H

/*
 * Variables of a program's text: $NAME, or ${NAME} where letters follow, stands
 * for the words that somebody gave it. A name has letters, digits and '_', and
 * begins with no digit. In comments nothing is replaced.
 */
#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct variable {
	const char *name, *value; /* borrowed */
};

/*
 * The text with its variables replaced; the caller frees it. `used` has an
 * element a variable and may be NULL: set to true where the text has it, else
 * left. ERR_USAGE with SOURCE:LINE:COLUMN for a name that has no value, for a
 * '$' without a name and for a value with a line feed.
 */
int variables_replace(const char *text, const char *source,
	const struct variable *variables, size_t count, bool *used,
	char **replaced, struct error *error);

/* Whether the text, comments aside, has the variable. */
bool variables_has(const char *text, const char *name);

/* ERR_USAGE if that can be no name. */
int variables_check_name(const char *name, struct error *error);

#endif
