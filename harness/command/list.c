#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/command/controls.h"
#include "harness/command/instructions.h"
#include "harness/command/parameters.h"
#include "harness/run/opened.h"
#include "harness/run/registry.h"

struct listing {
	const char *what, *machine;
	const char *backend, *format; /* of controls */
};

static error_t on_key(int key, char *text, struct argp_state *state)
{
	struct listing *l = state->input;

	if (key == 'm')
		l->machine = text;
	else if (key == 'b')
		l->backend = text;
	else if (key == 'f')
		l->format = text;
	else if (key == ARGP_KEY_ARG && !l->what)
		l->what = text;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static int list_benches(const struct listing *l, FILE *out, struct error *error)
{
	size_t i;

	(void)l;
	(void)error;
	for (i = 0; benches[i]; i++)
		fprintf(out, "%-20s %s\n", benches[i]->name,
			benches[i]->summary);
	return 0;
}

static int list_backends(
	const struct listing *l, FILE *out, struct error *error)
{
	size_t i;

	(void)l;
	(void)error;
	for (i = 0; backends[i]; i++)
		fprintf(out, "%-20s %s\n", backends[i]->name,
			backends[i]->summary);
	return 0;
}

static int list_machines(
	const struct listing *l, FILE *out, struct error *error)
{
	struct facts machines = {0};
	size_t i;
	int code = 0;

	(void)l;
	for (i = 0; !code && backends[i]; i++)
		code = backends[i]->machines(&machines, error);
	for (i = 0; !code && i < machines.count; i++)
		fprintf(out, "%-12s %s\n", machines.items[i].key,
			machines.items[i].value);
	facts_free(&machines);
	return code;
}

static int list_parameters(
	const struct listing *l, FILE *out, struct error *error)
{
	struct model_parameters list = {0};
	size_t i;
	int code = 0;

	for (i = 0; !code && backends[i]; i++)
		code = backends[i]->parameters(l->machine, &list, error);
	if (!code)
		code = parameters_print(
			&list, l->format ? l->format : "table", out, error);
	model_parameters_free(&list);
	return code;
}

static int list_instructions(
	const struct listing *l, FILE *out, struct error *error)
{
	struct model_instructions list = {0};
	size_t i;
	int code = 0;

	for (i = 0; !code && backends[i]; i++)
		code = backends[i]->instructions(&list, error);
	if (!code)
		code = instructions_print(
			&list, l->format ? l->format : "table", out, error);
	model_instructions_free(&list);
	return code;
}

/* The controls, against the device of a backend. */
static int list_controls(
	const struct listing *l, FILE *out, struct error *error)
{
	const char *name = l->backend ? l->backend : backends[0]->name;
	const struct backend_config config = {.machine = l->machine};
	const struct backend_ops *ops = backend_find(name);
	struct opened opened;
	char names[128];
	int code;

	if (!ops) {
		backend_names(names, sizeof(names));
		return error_set(error, ERR_USAGE,
			"there is no backend '%s', only %s", name, names);
	}
	code = opened_open(&opened, ops, &config, error);
	if (code)
		return code;
	code = controls_print(
		&opened.device, l->format ? l->format : "table", out, error);
	opened_close(&opened);
	return code;
}

static const struct {
	const char *name;
	int (*run)(const struct listing *, FILE *, struct error *);
	bool has_formats;
} lists[] = {
	{"benches", list_benches, false},
	{"backends", list_backends, false},
	{"machines", list_machines, false},
	{"parameters", list_parameters, true},
	{"controls", list_controls, true},
	{"instructions", list_instructions, true},
};

#define LIST_COUNT (sizeof(lists) / sizeof(lists[0]))

int command_list(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp_option options[] = {
		{"machine", 'm', "MACHINE", 0,
			"whose parameters or controls (default h200-sxm)", 0},
		{"backend", 'b', "NAME", 0,
			"whose controls: sim (default) or cuda", 0},
		{"format", 'f', "FORMAT", 0,
			"of parameters, controls or instructions: table "
			"(default), csv or json; of the last two also md",
			0},
		{0},
	};
	static const struct argp argp = {
		.options = options,
		.parser = on_key,
		.args_doc = "[benches|backends|machines|parameters|controls|"
			    "instructions]",
		.doc = "List what there is.",
	};
	struct listing l = {0};
	size_t i;

	argp_parse(&argp, argc, argv, 0, NULL, &l);
	if (!l.what)
		l.what = "benches";
	if (l.backend && strcmp(l.what, "controls") != 0)
		return error_set(error, ERR_USAGE,
			"-b belongs to 'controls', not to '%s'", l.what);
	for (i = 0; i < LIST_COUNT; i++)
		if (!strcmp(lists[i].name, l.what))
			break;
	if (i == LIST_COUNT)
		return error_set(error, ERR_USAGE,
			"there is no list '%s', only benches, backends, "
			"machines, parameters, controls and instructions",
			l.what);
	if (l.format && !lists[i].has_formats)
		return error_set(error, ERR_USAGE,
			"-f belongs to 'parameters', 'controls' and "
			"'instructions', not to '%s'",
			l.what);
	return lists[i].run(&l, out, error);
}
