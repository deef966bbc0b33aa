/* Plans of programs, a series for each file and combination of variables; and
   of jobs. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/content.h"
#include "harness/command/run/run_plans.h"
#include "harness/program/text/variables.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

/* The variables that a file mentions, of those that --var and -x give. */
struct file_variables {
	struct choice_list choices; /* borrowed items, in an owned array */
	bool axis;
};

static int find_variables(const struct run_options *o, const char *text,
	bool *used, struct file_variables *found, struct error *error)
{
	size_t i;

	*found = (struct file_variables){0};
	found->choices.items =
		calloc(o->variables.count + 1, sizeof(struct choice));
	if (!found->choices.items)
		return no_memory(error);
	for (i = 0; i < o->variables.count; i++) {
		if (!variables_has(text, o->variables.items[i].name))
			continue;
		used[i] = true;
		found->choices.items[found->choices.count++] =
			o->variables.items[i];
	}
	found->axis = o->axis.choice.count && !o->axis.is_set &&
		      variables_has(text, o->axis.choice.name);
	return 0;
}

/* The text with the values of a combination, and of a point of the axis. */
static int fill_text(const struct run_options *o, const char *text,
	const char *source, const struct file_variables *v, size_t index,
	size_t point, char **filled, struct error *error)
{
	struct variable *values = calloc(v->choices.count + 1, sizeof(*values));
	size_t i;
	int code;

	if (!values)
		return no_memory(error);
	for (i = 0; i < v->choices.count; i++)
		values[i] = (struct variable){v->choices.items[i].name,
			choice_word(&v->choices, index, i)};
	if (v->axis)
		values[i++] = (struct variable){
			o->axis.choice.name, o->axis.choice.words[point]};
	code = variables_replace(text, source, values, i, NULL, filled, error);
	free(values);
	return code;
}

static int take_var_axis(const struct run_ground *g, const char *text,
	const char *source, const struct file_variables *v, size_t index,
	struct plan *plan)
{
	const struct choice_axis *axis = &g->o->axis;
	const size_t count = axis->choice.count;
	char **texts = calloc(count + 1, sizeof(*texts));
	size_t i;
	int code = texts ? 0 : no_memory(g->error);

	for (i = 0; !code && i < count; i++)
		code = fill_text(
			g->o, text, source, v, index, i, &texts[i], g->error);
	if (!code)
		code = plan_texts(plan, axis->choice.name, axis->x,
			(const char *const *)texts, count, source, g->error);
	for (i = 0; texts && i < count; i++)
		free(texts[i]);
	free(texts);
	return code;
}

/* A program is one point, at 0 of its own axis, unless an axis is given. */
static int take_program_axis(const struct run_ground *g, const char *text,
	const char *source, const struct file_variables *v, size_t index,
	struct plan *plan)
{
	if (v->axis)
		return take_var_axis(g, text, source, v, index, plan);
	if (!run_plans_over_set(g->o))
		return 0;
	if (run_plans_take_set(g, 0, plan))
		return ERR_FAILED;
	facts_free(&plan->options);
	return 0;
}

static int plan_combination(const struct run_ground *g, const char *text,
	const char *source, const struct file_variables *v, size_t index,
	struct run_plans *plans)
{
	struct plan *plan = run_plans_add(plans, g->error);
	char *filled;
	size_t i;
	int code;

	if (!plan)
		return ERR_FAILED;
	code = fill_text(g->o, text, source, v, index, 0, &filled, g->error);
	if (code)
		return code;
	code = plan_text(plan, filled, source, g->error);
	free(filled);
	if (code)
		return code;
	run_plans_put_on(g, plan);
	code = take_program_axis(g, text, source, v, index, plan);
	for (i = 0; !code && i < v->choices.count; i++)
		if (facts_add(&plan->options, v->choices.items[i].name, "%s",
			    choice_word(&v->choices, index, i)))
			code = no_memory(g->error);
	return code;
}

static int plan_file(const struct run_ground *g, const char *path, bool *used,
	bool *axis_used, struct run_plans *plans)
{
	struct file_variables v = {0};
	struct content content;
	size_t combinations = 0, i;
	int code = content_read_written(path, &content, g->error);

	if (code)
		return error_prefix(g->error, code, "program: ");
	code = find_variables(g->o, content.text, used, &v, g->error);
	if (!code)
		code = choice_combinations(&v.choices, &combinations, g->error);
	for (i = 0; !code && i < combinations; i++)
		code = plan_combination(
			g, content.text, content.source, &v, i, plans);
	*axis_used |= v.axis;
	free(v.choices.items);
	content_free(&content);
	return code;
}

static const char *name_of(const struct plan *plan)
{
	return plan->job ? plan->job->name : plan->program.name;
}

/* Series are told apart by the names of programs and jobs. */
static int check_name(const struct program_files *files, size_t file,
	const struct plan *plans, const size_t *first, struct error *error)
{
	const char *name = name_of(&plans[first[file]]);
	size_t i;

	for (i = 0; i < file; i++)
		if (!strcmp(name_of(&plans[first[i]]), name))
			return error_set(error, ERR_USAGE,
				"%s: %s '%s' has the name of the one in %s: "
				"each needs its own",
				files->paths[file],
				plans[first[i]].job ? "job" : "program", name,
				files->paths[i]);
	return 0;
}

static int check_used(const struct run_options *o, const bool *used,
	bool axis_used, struct error *error)
{
	size_t i;

	for (i = 0; i < o->variables.count; i++)
		if (!used[i])
			return error_set(error, ERR_USAGE,
				"no program has the variable '%s'",
				o->variables.items[i].name);
	if (o->axis.choice.count && !o->axis.is_set && !axis_used)
		return error_set(error, ERR_USAGE,
			"no program has the variable '%s'",
			o->axis.choice.name);
	return 0;
}

int run_plans_programs(const struct run_ground *g, struct run_plans *plans)
{
	const struct program_files *files = &g->o->programs;
	bool *used = calloc(g->o->variables.count + 1, sizeof(*used));
	size_t *first = calloc(files->count + 1, sizeof(*first));
	bool axis_used = false;
	size_t i;
	int code = used && first ? 0 : no_memory(g->error);

	for (i = 0; !code && i < files->count; i++) {
		first[i] = plans->count;
		code = plan_file(g, files->paths[i], used, &axis_used, plans);
		if (!code)
			code = check_name(
				files, i, plans->items, first, g->error);
	}
	if (!code)
		code = check_used(g->o, used, axis_used, g->error);
	free(used);
	free(first);
	return code;
}

int run_plans_jobs(const struct run_ground *g, struct run_plans *plans)
{
	const struct program_files *files = &g->o->kernels;
	size_t *first = calloc(files->count + 1, sizeof(*first));
	size_t i;
	int code = first ? 0 : no_memory(g->error);

	for (i = 0; !code && i < files->count; i++) {
		struct plan *plan;

		first[i] = plans->count;
		plan = run_plans_add(plans, g->error);
		code = plan ? plan_job(plan, files->paths[i], g->o->warm,
				      g->error)
			    : ERR_FAILED;
		if (code)
			break;
		run_plans_put_on(g, plan);
		code = check_name(files, i, plans->items, first, g->error);
	}
	free(first);
	return code;
}
