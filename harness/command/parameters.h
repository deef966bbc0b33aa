#ifndef NEARFAR_COMMAND_PARAMETERS_H
#define NEARFAR_COMMAND_PARAMETERS_H

/* The parameters of a machine, for `list parameters`. */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/contract/parameters.h"

/* `format`: of series_format_names; ERR_USAGE for one that needs numbers that
   there are not. */
int parameters_print(const struct model_parameters *list, const char *format,
	FILE *out, struct error *error);

#endif
