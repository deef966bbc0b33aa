/* The launch again on a machine of other parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explain/explain_again.h"

/* A value that was given by --set counts, the last one of them. */
static double value_of(const struct again *a, const struct model_parameter *p)
{
	const struct backend_config *config = a->runs->config;
	const size_t bytes = strlen(p->name);
	double value = p->value;
	size_t i;

	for (i = 0; i < config->set_count; i++)
		if (!strncmp(config->sets[i], p->name, bytes) &&
			config->sets[i][bytes] == '=')
			value = strtod(config->sets[i] + bytes + 1, NULL);
	return value;
}

double again_value(const struct again *a, const char *name)
{
	const struct model_parameter *p =
		model_parameters_find(&a->parameters, name);

	return p ? value_of(a, p) : NAN;
}

bool again_set(const struct again *a, struct again_sets *sets, const char *name,
	double value)
{
	const struct model_parameter *p =
		model_parameters_find(&a->parameters, name);
	char text[MODEL_VALUE_BYTES];

	if (!p || sets->count == SETS_MOST || !(value > 0) ||
		value < p->minimum || value > p->maximum)
		return false;
	/* Of what is no whole number four digits are enough, and read well. */
	if (value != floor(value)) {
		snprintf(text, sizeof(text), "%.4g", value);
		value = strtod(text, NULL);
	}
	model_value_format(p->unit, value, text);
	snprintf(sets->made[sets->count++], SET_BYTES, "%s=%s", name, text);
	return true;
}

int again_run_sets(struct again *a, const struct again_sets *more,
	struct explain_what_if *w, struct error *error)
{
	const struct backend_config *own = a->runs->config;
	const char **sets = calloc(own->set_count + SETS_MOST, sizeof(*sets));
	struct backend_config config = *own;
	size_t i, length;
	int code;

	if (!sets)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < own->set_count; i++)
		sets[i] = own->sets[i];
	for (i = 0; i < more->count; i++) {
		sets[own->set_count + i] = more->made[i];
		length = strlen(w->change);
		snprintf(w->change + length, sizeof(w->change) - length,
			"%s%s%s", !i && length ? " and " : "",
			i ? "," : "--set ", more->made[i]);
	}
	config.sets = sets;
	config.set_count = own->set_count + more->count;
	code = again_run(a, &config, a->runs->job, w, error);
	free(sets);
	return code;
}

double again_share(const struct explanation *e, const char *server)
{
	double share = 0;
	size_t i;

	for (i = 0; i < e->bind_count; i++)
		if (!strcmp(e->binds[i].server, server))
			share += e->binds[i].share;
	return share;
}
