#ifndef NEARFAR_COMMAND_INSTRUCTIONS_H
#define NEARFAR_COMMAND_INSTRUCTIONS_H

/* The operations of PTX in users' kernels, for `list instructions`. */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/contract/instructions.h"

/* `format`: "table", "md", "csv" or "json"; anything else is ERR_USAGE. */
int instructions_print(const struct model_instructions *list,
	const char *format, FILE *out, struct error *error);

#endif
