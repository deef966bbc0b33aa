#include <stdio.h>

#include "harness/exchange/export.h"
#include "harness/run/registry.h"

int export_machine_read(
	const char *machine, struct export_machine *into, struct error *error)
{
	struct export_machine read = {.name = ""};
	size_t i;
	int code = 0;

	snprintf(read.name, sizeof(read.name), "%s",
		machine ? machine : "the default machine");
	for (i = 0; !code && backends[i]; i++)
		code = backends[i]->parameters(
			machine, &read.parameters, error);
	if (code)
		export_machine_free(&read);
	else
		*into = read;
	return code;
}

void export_machine_free(struct export_machine *machine)
{
	model_parameters_free(&machine->parameters);
}

int export_get(const struct export_machine *machine, const char *name,
	double *value, struct error *error)
{
	const struct model_parameter *p =
		model_parameters_find(&machine->parameters, name);

	if (!p)
		return error_set(error, ERR_FAILED,
			"the parameter '%s' is not among those of '%s'", name,
			machine->name);
	*value = p->value;
	return 0;
}
