#ifndef NEARFAR_COMMAND_INSTRUCTIONS_H
#define NEARFAR_COMMAND_INSTRUCTIONS_H

/* The operations of PTX in users' kernels, for `list instructions`. */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/contract/instructions.h"

/* `format`: of series_format_names; ERR_USAGE for one that needs numbers that
   there are not. */
int instructions_print(const struct model_instructions *list,
	const char *format, FILE *out, struct error *error);

#endif
