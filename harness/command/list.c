#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/command/controls.h"
#include "harness/command/instructions.h"
#include "harness/command/names.h"
#include "harness/command/parameters.h"
#include "harness/marks/marks.h"
#include "harness/run/opened.h"
#include "harness/run/registry.h"
#include "harness/series/io.h"

struct listing {
	struct options_words words;
	const char *what, *machine;
	const char *backend; /* of controls */
	int format;          /* of series_format_names */
};

static const char *format_of(const struct listing *l)
{
	return series_format_names[l->format];
}

/* Prints and frees the names; `code`: of their making. */
static int print(const struct listing *l, struct names *names, int code,
	FILE *out, struct error *error)
{
	if (code)
		error_set(error, ERR_FAILED, "out of memory");
	else
		code = names_print(names, format_of(l), out, error);
	facts_free(&names->facts);
	return code;
}

static const struct bench_option *options_of(const char *bench)
{
	return bench_find(bench)->options;
}

static int list_benches(const struct listing *l, FILE *out, struct error *error)
{
	struct names names = {.what = l->what, .options = options_of};
	size_t i;
	int code = 0;

	for (i = 0; !code && benches[i]; i++)
		code = facts_add(&names.facts, benches[i]->name, "%s",
			benches[i]->summary);
	return print(l, &names, code, out, error);
}

static int list_backends(
	const struct listing *l, FILE *out, struct error *error)
{
	struct names names = {.what = l->what};
	size_t i;
	int code = 0;

	for (i = 0; !code && backends[i]; i++)
		code = facts_add(&names.facts, backends[i]->name, "%s",
			backends[i]->summary);
	return print(l, &names, code, out, error);
}

static int list_machines(
	const struct listing *l, FILE *out, struct error *error)
{
	struct names names = {.what = l->what};
	size_t i;
	int code = 0;

	for (i = 0; !code && backends[i]; i++)
		code = backends[i]->machines(&names.facts, error);
	if (!code)
		return print(l, &names, 0, out, error);
	facts_free(&names.facts);
	return code;
}

/* Names, each with its sentence. */
static int list_sentences(const struct listing *l, const char *const *of,
	const char *const *sentences, int count, FILE *out, struct error *error)
{
	struct names names = {.what = l->what};
	int i, code = 0;

	for (i = 0; !code && i < count; i++)
		code = facts_add(&names.facts, of[i], "%s", sentences[i]);
	return print(l, &names, code, out, error);
}

static int list_marks(const struct listing *l, FILE *out, struct error *error)
{
	return list_sentences(
		l, mark_names, mark_sentences, MARK_COUNT, out, error);
}

static int list_metrics(const struct listing *l, FILE *out, struct error *error)
{
	return list_sentences(
		l, metric_columns, metric_meanings, METRIC_COUNT, out, error);
}

/* A name of Nsight Compute's has a unit of hardware before its "__". */
static int list_counters(
	const struct listing *l, FILE *out, struct error *error)
{
	struct names names = {.what = l->what};
	const struct counter_kind *k;
	int i, code = 0;

	for (i = 0; !code && i < COUNTER_COUNT; i++) {
		k = &counter_kinds[i];
		code = facts_add(&names.facts, k->name, "%s: %s%s", k->unit,
			k->meaning,
			strncmp(k->name, "nearfar__", 9)
				? ""
				: "; Nsight Compute has no such counter");
	}
	return print(l, &names, code, out, error);
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
		code = parameters_print(&list, format_of(l), out, error);
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
		code = instructions_print(&list, format_of(l), out, error);
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
	code = controls_print(&opened.device, format_of(l), out, error);
	opened_close(&opened);
	return code;
}

static const struct {
	const char *name;
	int (*run)(const struct listing *, FILE *, struct error *);
} lists[] = {
	{"benches", list_benches},
	{"backends", list_backends},
	{"machines", list_machines},
	{"parameters", list_parameters},
	{"controls", list_controls},
	{"instructions", list_instructions},
	{"marks", list_marks},
	{"metrics", list_metrics},
	{"counters", list_counters},
};

#define LIST_COUNT (sizeof(lists) / sizeof(lists[0]))

static const struct options_row rows[] = {
	{"machine", 'm', TAKES_TEXT, "MACHINE",
		"whose parameters or controls (default h200-sxm)",
		OPTIONS_AT(struct listing, machine), .values = VALUES_MACHINES},
	{"backend", 'b', TAKES_TEXT, "NAME",
		"whose controls: sim (default) or cuda",
		OPTIONS_AT(struct listing, backend), .values = VALUES_BACKENDS},
	{"format", 'f', TAKES_CHOICE, "FORMAT", "(default: table)",
		OPTIONS_AT(struct listing, format),
		.choices = SERIES_FORMAT_CHOICES, .values = VALUES_CHOICES,
		.example = "json"},
	{0},
};

static const char *const examples[] = {
	"nearfar list",
	"nearfar list machines",
	"nearfar list parameters -m h100-sxm -f csv",
	NULL,
};

const struct options_table list_options = {
	.name = "list",
	.summary = "benches, backends, machines, parameters, controls, "
		   "instructions, marks, metrics, counters",
	.operands = "[benches|backends|machines|parameters|controls|"
		    "instructions|marks|metrics|counters]",
	.about = "List what there is.",
	.rows = rows,
	.words = offsetof(struct listing, words),
	.most = 1,
	.needed = "one list is printed",
	.first = {VALUES_CHOICES,
		"benches|backends|machines|parameters|controls|instructions|"
		"marks|metrics|counters"},
	.examples = examples,
};

int command_list(int argc, char **argv, FILE *out, struct error *error)
{
	struct listing l = {0};
	size_t i;
	int code = options_parse(&list_options, argc, argv, NULL, &l, error);

	if (code)
		return code;
	l.what = l.words.count ? l.words.items[0] : "benches";
	if (l.backend && strcmp(l.what, "controls") != 0)
		return error_set(error, ERR_USAGE,
			"-b belongs to 'controls', not to '%s'", l.what);
	if (l.machine && strcmp(l.what, "controls") != 0 &&
		strcmp(l.what, "parameters") != 0)
		return error_set(error, ERR_USAGE,
			"-m belongs to 'parameters' and 'controls', not to "
			"'%s'",
			l.what);
	for (i = 0; i < LIST_COUNT; i++)
		if (!strcmp(lists[i].name, l.what))
			break;
	if (i == LIST_COUNT)
		return error_set(error, ERR_USAGE,
			"there is no list '%s', only benches, backends, "
			"machines, parameters, controls, instructions, marks, "
			"metrics and counters",
			l.what);
	return lists[i].run(&l, out, error);
}
