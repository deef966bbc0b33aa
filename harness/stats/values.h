#ifndef NEARFAR_VALUES_H
#define NEARFAR_VALUES_H

/* Numbers, as many as come. */
#include <stddef.h>

struct values {
	double *items; /* owned: values_free */
	size_t count, capacity;
};

/* Appends; ERR_FAILED without memory. */
int values_add(struct values *values, double value);
/* Leaves the list empty. */
void values_free(struct values *values);

#endif
