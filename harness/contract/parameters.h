#ifndef NEARFAR_CONTRACT_PARAMETERS_H
#define NEARFAR_CONTRACT_PARAMETERS_H

/* The parameters of a backend's machine, as values. */
#include <stddef.h>

struct model_parameter {
	const char *name; /* ends in its unit, but for counts and masks */
	const char *unit; /* "cycles", "count", "mask", "bytes", ... */
	const char *what; /* a phrase that stands by itself; all three static */
	double minimum, maximum;
	double value;
	char *origin; /* owned by the list: where the value comes from */
};

struct model_parameters {
	struct model_parameter *items; /* owned: model_parameters_free() */
	size_t count;
};

/* Appends a copy of the parameter and of its origin; ERR_FAILED without
   memory. */
int model_parameters_add(
	struct model_parameters *list, const struct model_parameter *parameter);
/* NULL: there is none of that name. */
const struct model_parameter *model_parameters_find(
	const struct model_parameters *list, const char *name);
/* Leaves the list empty. */
void model_parameters_free(struct model_parameters *list);

/* A value as machine files spell it: masks hexadecimal, numbers with as few
   digits as read back to the same value. */
#define MODEL_VALUE_BYTES 64
void model_value_format(
	const char *unit, double value, char text[MODEL_VALUE_BYTES]);

#endif
