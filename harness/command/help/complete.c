#include <stdlib.h>
#include <string.h>

#include "harness/command/help/pages.h"
#include "harness/command/run/run_table.h"
#include "harness/command/topics/topics.h"
#include "harness/run/registry.h"

/* ---- values ---- */

static void put_benches(FILE *out)
{
	size_t i;

	for (i = 0; benches[i]; i++)
		fprintf(out, "%s\n", benches[i]->name);
}

static int put_machines(FILE *out, struct error *error)
{
	struct facts facts = {0};
	size_t i;
	int code = 0;

	for (i = 0; !code && backends[i]; i++)
		code = backends[i]->machines(&facts, error);
	for (i = 0; !code && i < facts.count; i++)
		fprintf(out, "%s\n", facts.items[i].key);
	facts_free(&facts);
	return code;
}

static int put_parameters(const char *ending, FILE *out, struct error *error)
{
	struct model_parameters list = {0};
	size_t i;
	int code = 0;

	for (i = 0; !code && backends[i]; i++)
		code = backends[i]->parameters(NULL, &list, error);
	for (i = 0; !code && i < list.count; i++)
		fprintf(out, "%s%s\n", list.items[i].name, ending);
	model_parameters_free(&list);
	return code;
}

static void put_metrics(FILE *out)
{
	int i;

	for (i = 0; i < METRIC_COUNT; i++)
		fprintf(out, "%s\n", metric_columns[i]);
	for (i = 0; i < COUNTER_COUNT; i++)
		fprintf(out, "%s\n", counter_kinds[i].name);
}

static void put_choices(const char *choices, FILE *out)
{
	size_t width;

	for (; *choices; choices += width + (choices[width] == '|')) {
		width = strcspn(choices, "|");
		fprintf(out, "%.*s\n", (int)width, choices);
	}
}

static int put_values(enum options_values values, const char *choices,
	FILE *out, struct error *error)
{
	size_t i;

	switch (values) {
	case VALUES_CHOICES:
		put_choices(choices, out);
		return 0;
	case VALUES_BACKENDS:
		for (i = 0; backends[i]; i++)
			fprintf(out, "%s\n", backends[i]->name);
		return 0;
	case VALUES_WORKS:
		put_benches(out);
		break;
	case VALUES_BENCHES:
		put_benches(out);
		return 0;
	case VALUES_METRICS:
		put_metrics(out);
		return 0;
	case VALUES_PARAMETERS:
		return put_parameters("", out, error);
	case VALUES_SETTINGS:
		return put_parameters("=", out, error);
	case VALUES_MACHINES:
		if (put_machines(out, error))
			return ERR_FAILED;
		break;
	case VALUES_FILES:
	case VALUES_FOLDERS:
		break;
	default:
		return 0;
	}
	fputs("@files\n", out);
	return 0;
}

/* ---- words ---- */

/* The option that `word` is; NULL: none. */
static const struct options_row *row_of(
	const struct options_row *rows, const char *word)
{
	for (; rows && rows->help; rows++) {
		if (rows->name && !strncmp(word, "--", 2) &&
			!strcmp(word + 2, rows->name))
			return rows;
		if (rows->letter && word[0] == '-' && word[1] == rows->letter &&
			!word[2])
			return rows;
	}
	return NULL;
}

static const struct options_row *find_row(
	const struct options_table *t, const char *word)
{
	const struct options_row *row = row_of(t->rows, word);

	return row ? row : row_of(t->more, word);
}

static void put_options(const struct options_row *rows, FILE *out)
{
	for (; rows && rows->help; rows++)
		if (rows->name && !rows->hidden)
			fprintf(out, "--%s\n", rows->name);
}

/* The option whose value the last word is; NULL: none. The shell may have cut
   "--name=value" in three. */
static const struct options_row *awaits(
	const struct options_table *t, int argc, char **argv)
{
	const struct options_row *row = NULL;
	int before = argc - 2;

	if (before > 0 && !strcmp(argv[before], "="))
		before--;
	else if (!strcmp(argv[argc - 1], "="))
		before = argc - 2;
	if (before > 0)
		row = find_row(t, argv[before]);
	return row && row->argument ? row : NULL;
}

/* Operands before the last word. */
static int count_operands(const struct options_table *t, int argc, char **argv)
{
	const struct options_row *row;
	int i, count = 0;

	for (i = 1; i < argc - 1; i++) {
		if (argv[i][0] != '-') {
			count++;
			continue;
		}
		row = find_row(t, argv[i]);
		if (!row || !row->argument)
			continue;
		i += strcmp(argv[i + 1], "=") ? 1 : 2;
	}
	return count;
}

/* argv[0] is the command. */
static int put_of_command(const struct options_table *t, int argc, char **argv,
	FILE *out, struct error *error)
{
	const struct options_row *row = awaits(t, argc, argv);
	const struct options_operand *operand;

	if (row)
		return put_values(row->values, row->choices, out, error);
	if (argv[argc - 1][0] == '-') {
		put_options(t->rows, out);
		put_options(t->more, out);
		return 0;
	}
	operand = count_operands(t, argc, argv) ? &t->rest : &t->first;
	return put_values(operand->values, operand->choices, out, error);
}

/* Its options are the benches', too. */
static int put_of_run(const struct options_table *run, int argc, char **argv,
	FILE *out, struct error *error)
{
	struct run_bench_rows made;
	struct options_table table = *run;
	int code = run_bench_rows_make(&made, argc, argv, error);

	if (code)
		return code;
	table.more = made.rows;
	code = put_of_command(&table, argc, argv, out, error);
	run_bench_rows_free(&made);
	return code;
}

static void put_commands(const struct help_commands *commands, FILE *out)
{
	size_t i;

	for (i = 0; i < commands->count; i++)
		fprintf(out, "%s\n", commands->tables[i]->name);
}

static void put_helped(const struct help_commands *commands, FILE *out)
{
	const struct topic *topic;

	put_commands(commands, out);
	put_benches(out);
	for (topic = topics; topic->name; topic++)
		fprintf(out, "%s\n", topic->name);
}

int complete_put(const struct help_commands *commands, int argc, char **argv,
	FILE *out, struct error *error)
{
	size_t i;

	if (argc < 2) {
		put_commands(commands, out);
		fputs("help\n", out);
		return 0;
	}
	if (!strcmp(argv[0], "help")) {
		put_helped(commands, out);
		return 0;
	}
	for (i = 0; i < commands->count; i++) {
		const struct options_table *t = commands->tables[i];

		if (strcmp(t->name, argv[0]) != 0)
			continue;
		return !strcmp(t->name, "run")
			       ? put_of_run(t, argc, argv, out, error)
			       : put_of_command(t, argc, argv, out, error);
	}
	return 0;
}
