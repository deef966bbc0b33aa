#include <stdlib.h>
#include <string.h>

#include "harness/exchange/export.h"
#include "harness/run/registry.h"

/* What the backends list, as text the caller frees. */
static int list_parameters(
	const char *machine, char **text, struct error *error)
{
	size_t bytes, i;
	FILE *out = open_memstream(text, &bytes);
	int code = 0;

	if (!out)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; !code && backends[i]; i++)
		code = backends[i]->list("parameters", machine, out, error);
	if (fclose(out) && !code)
		code = error_set(error, ERR_FAILED, "out of memory");
	if (code) {
		free(*text);
		*text = NULL;
	}
	return code;
}

int export_machine_read(
	const char *machine, struct export_machine *into, struct error *error)
{
	struct export_machine read = {.count = 0};
	char *text = NULL, *line, *rest;
	int code = list_parameters(machine, &text, error);

	if (code)
		return code;
	snprintf(read.name, sizeof(read.name), "%s",
		machine ? machine : "the default machine");
	for (line = strtok_r(text, "\n", &rest);
		line && read.count < EXPORT_PARAMETERS_MAX;
		line = strtok_r(NULL, "\n", &rest)) {
		struct export_parameter *p = &read.parameters[read.count];

		if (sscanf(line, "%47s %lf", p->name, &p->value) == 2)
			read.count++;
	}
	free(text);
	*into = read;
	return 0;
}

int export_get(const struct export_machine *machine, const char *name,
	double *value, struct error *error)
{
	size_t i;

	for (i = 0; i < machine->count; i++)
		if (!strcmp(machine->parameters[i].name, name)) {
			*value = machine->parameters[i].value;
			return 0;
		}
	return error_set(error, ERR_FAILED,
		"the parameter '%s' is not among those of '%s'", name,
		machine->name);
}
