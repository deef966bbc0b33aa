#include <string.h>

#include "harness/command/run/run_what_if.h"
#include "harness/program/text/variables.h"

int run_what_if_set(
	struct run_options *o, const char *text, struct error *error)
{
	int code;

	if (o->set_choices.count == RUN_SETS_MAX)
		return error_set(error, ERR_USAGE, "too many --set");
	code = choice_add(&o->set_choices, text, "--set", error);
	if (!code && o->set_choices.items[o->set_choices.count - 1].count == 1)
		o->sets[o->set_count++] = text;
	return code;
}

int run_what_if_variable(
	struct run_options *o, const char *text, struct error *error)
{
	struct choice_list *list = &o->variables;
	size_t i;
	int code = choice_add(list, text, "--var", error);

	for (i = 0; !code && i + 1 < list->count; i++)
		if (!strcmp(list->items[i].name, list->items[i + 1].name))
			code = error_set(error, ERR_USAGE,
				"--var: '%s' is named twice",
				list->items[i].name);
	return code ? code
		    : variables_check_name(
			      list->items[list->count - 1].name, error);
}

int run_what_if_points(
	struct run_options *o, const char *text, struct error *error)
{

	if (!choice_is_axis(text)) {
		o->sweep = text;
		return 0;
	}
	if (o->axis.choice.count)
		return error_set(error, ERR_USAGE,
			"-x: a run has one axis, not '%s' and '%s'",
			o->axis.choice.name, text + 4);
	return choice_axis_parse(text, &o->axis, error);
}
