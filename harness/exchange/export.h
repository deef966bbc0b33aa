#ifndef NEARFAR_EXPORT_H
#define NEARFAR_EXPORT_H

/*
 * The parameters of a machine, as the configuration of another simulator.
 *
 * Only backends know machines. What the harness gets of one is the text that
 * a backend's list("parameters") prints: NAME VALUE UNIT and words. It is the
 * contract's own callback, so nothing new crosses the layers.
 */
#include <stdio.h>

#include "harness/base/error.h"

#define EXPORT_PARAMETERS_MAX 192

struct export_parameter {
	char name[48];
	double value;
};

struct export_machine {
	char name[96]; /* as the user said it */
	struct export_parameter parameters[EXPORT_PARAMETERS_MAX];
	size_t count;
};

/* `machine`: a name or a file; NULL is the default. ERR_USAGE as of
   `list parameters`. */
int export_machine_read(
	const char *machine, struct export_machine *into, struct error *error);

/* The value of a parameter; ERR_FAILED if the model has none of that name. */
int export_get(const struct export_machine *machine, const char *name,
	double *value, struct error *error);

/* Accel-Sim's gpgpusim.config. */
int export_gpgpusim(
	const struct export_machine *machine, FILE *out, struct error *error);

#endif
