#ifndef NEARFAR_EXPORT_H
#define NEARFAR_EXPORT_H

/* The parameters of a machine, as files of other tools. */
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/contract/parameters.h"

struct export_machine {
	char name[96]; /* as the user said it */
	struct model_parameters parameters;
};

/* `machine`: a name or a file; NULL is the default. ERR_USAGE if there is none;
   export_machine_free() otherwise. */
int export_machine_read(
	const char *machine, struct export_machine *into, struct error *error);
void export_machine_free(struct export_machine *machine);

/* The value of a parameter; ERR_FAILED if the model has none of that name. */
int export_get(const struct export_machine *machine, const char *name,
	double *value, struct error *error);

/* Accel-Sim's gpgpusim.config. */
int export_gpgpusim(
	const struct export_machine *machine, FILE *out, struct error *error);

/* hwloc's XML, for lstopo. */
int export_hwloc(
	const struct export_machine *machine, FILE *out, struct error *error);

#endif
