#ifndef NEARFAR_COMMAND_PARAMETERS_H
#define NEARFAR_COMMAND_PARAMETERS_H

/* The parameters of a machine, for `list parameters`. */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/contract/parameters.h"

/* `format`: "table", "csv" or "json"; anything else is ERR_USAGE. */
int parameters_print(const struct model_parameters *list, const char *format,
	FILE *out, struct error *error);

#endif
