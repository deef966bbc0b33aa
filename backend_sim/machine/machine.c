/* The table of parameters, and a machine's values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/machine/machine.h"
#include "harness/base/units.h"

const struct parameter_info parameters[PARAMETER_COUNT] = {
#define REQUIRED NAN
#define PARAMETER(kind, stem, name, unit, minimum, maximum, fallback, what)    \
	{#name, unit, minimum, maximum, fallback, what},
#include "backend_sim/machine/parameters.def"
#undef PARAMETER
};

enum parameter machine_parameter(const char *name)
{
	int i;

	for (i = 0; i < PARAMETER_COUNT; i++)
		if (!strcmp(parameters[i].name, name))
			break;
	return (enum parameter)i;
}

int machine_parse_value(
	enum parameter p, const char *text, double *value, struct error *error)
{
	const struct parameter_info *info = &parameters[p];
	uint64_t bytes;
	char *end;

	if (!strcmp(info->unit, "bytes")) {
		if (units_parse_bytes(text, &bytes, error))
			return ERR_USAGE;
		*value = (double)bytes;
	} else if (!strcmp(info->unit, "mask")) {
		*value = (double)strtoull(text, &end, 0);
		if (end == text || *end)
			return error_set(error, ERR_USAGE,
				"'%s' is not a mask such as 0x3000", text);
	} else if (units_parse_real(text, value, error)) {
		return ERR_USAGE;
	}
	if (!(*value >= info->minimum && *value <= info->maximum))
		return error_set(error, ERR_USAGE,
			"%s is %s; it must lie between %g and %g %s",
			info->name, text, info->minimum, info->maximum,
			info->unit);
	if (!strcmp(info->unit, "count") && *value != floor(*value))
		return error_set(error, ERR_USAGE,
			"%s is %s; it must be a whole number", info->name,
			text);
	return 0;
}

int machine_set(
	struct machine *machine, const char *assignment, struct error *error)
{
	const char *equals = strchr(assignment, '=');
	struct machine changed;
	char name[64] = "";
	enum parameter p;
	double value;

	if (!equals || (size_t)(equals - assignment) >= sizeof(name))
		return error_set(error, ERR_USAGE,
			"'%s' is not of the form parameter=value", assignment);
	memcpy(name, assignment, (size_t)(equals - assignment));
	p = machine_parameter(name);
	if (p == PARAMETER_COUNT)
		return error_set(error, ERR_USAGE,
			"there is no parameter '%s' (`nearfar list "
			"parameters` shows all)",
			name);
	if (machine_parse_value(p, equals + 1, &value, error))
		return ERR_USAGE;
	changed = *machine;
	changed.value[p] = value;
	snprintf(changed.origin[p], MACHINE_TEXT_BYTES,
		"set on the command line");
	if (machine_check(&changed, assignment, error))
		return ERR_USAGE;
	*machine = changed;
	return 0;
}

static uint64_t add_bytes(uint64_t digest, const void *what, size_t count)
{
	const unsigned char *bytes = what;
	size_t i;

	for (i = 0; i < count; i++)
		digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
	return digest;
}

/* Machines without what the last rows bring, far memory first, have the digests
   that they had before there were any: of these rows only those that say
   something count, each by its number. */
uint64_t machine_digest(const struct machine *machine)
{
	uint64_t digest = add_bytes(UINT64_C(0xcbf29ce484222325),
		machine->value, PARAMETER_link_loads * sizeof(double));
	uint32_t p;

	for (p = PARAMETER_link_loads; p < PARAMETER_COUNT; p++) {
		if (machine->value[p] == parameters[p].fallback)
			continue;
		digest = add_bytes(digest, &p, sizeof(p));
		digest = add_bytes(digest, &machine->value[p], sizeof(double));
	}
	return digest;
}
