/* The nearfar program: finds the command, prints its sentence, exits. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/visible/visible.h"
#include "harness/command/command.h"
#include "harness/command/explain/explain_options.h"
#include "harness/command/fit/fit_words.h"
#include "harness/command/help/bench.h"
#include "harness/command/help/pages.h"
#include "harness/command/run/run_options.h"
#include "harness/command/topics/topics.h"
#include "harness/json/json_text.h"

static const struct command commands[] = {
	{&list_options, command_list},
	{&run_options, command_run},
	{&plan_options, command_plan},
	{&merge_options, command_merge},
	{&show_options, command_show},
	{&compare_options, command_compare},
	{&table_options, command_table},
	{&modes_options, command_modes},
	{&map_options, command_map},
	{&explain_options, command_explain},
	{&report_options, command_report},
	{&import_options, command_import},
	{&export_options, command_export},
	{&fit_options, command_fit},
	{&calibrate_options, command_calibrate},
	{&fingerprint_options, command_fingerprint},
	{&fleet_options, command_fleet},
	{&doctor_options, command_doctor},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static int usage(FILE *out, int status)
{
	size_t i;

	fprintf(out, "Usage: nearfar COMMAND [OPTION...]\n\n"
		     "Measures GPU memory hierarchies: the same programs on a "
		     "cycle model and on a GPU.\n\n");
	for (i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-11s %s\n", commands[i].words->name,
			commands[i].words->summary);
	fprintf(out, "\nTopics:\n\n");
	topics_put_list(out);
	fprintf(out, "\n`nearfar COMMAND --help` and `nearfar help NAME`, of a "
		     "command, a bench or a topic, explain each; --version "
		     "prints the version.\n");
	return status;
}

/* What could not be written is forgotten: it has been said. */
static int flush_output(struct error *error)
{
	int code;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	code = error_set(error, ERR_FAILED,
		"standard output is not complete%s%s", errno ? ": " : "",
		errno ? strerror(errno) : "");
	__fpurge(stdout);
	clearerr(stdout);
	return code;
}

/* Help and versions end the process where they are printed. */
static void end_output(void)
{
	struct error error;

	if (!flush_output(&error))
		return;
	fprintf(stderr, "nearfar: %s\n", error.text);
	_exit(1);
}

static int execute(const struct command *command, int argc, char **argv)
{
	struct error error = {""}, other;
	char name[64];
	int code, flushed;

	snprintf(name, sizeof(name), "nearfar %s", command->words->name);
	argv[0] = name;
	code = command->run(argc, argv, stdout, &error);
	/* Of two failures the first is said. */
	flushed = flush_output(code ? &other : &error);
	code = code ? code : flushed;
	if (code) {
		fputs("nearfar: ", stderr);
		visible_put(stderr, error.text);
		fputc('\n', stderr);
	}
	/* A worker that did not stop may still be in a library. */
	if (code == ERR_INTERRUPTED)
		_exit(error_status(code));
	return error_status(code);
}

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(commands[i].words->name, name))
			return &commands[i];
	return NULL;
}

/* What help could not print. */
static int told(int code, const struct error *error)
{
	if (code)
		fprintf(stderr, "nearfar: %s\n", error->text);
	return error_status(code);
}

/* "help --man NAME": a manual page; "help --man": the program's. "help
   --pages": which there are. "help --complete WORD...": what the last word may
   be. */
static int help_page(int argc, char **argv)
{
	const struct options_table *tables[COMMAND_COUNT];
	const struct help_commands all = {tables, COMMAND_COUNT};
	struct error error = {""};
	size_t i;

	for (i = 0; i < COMMAND_COUNT; i++)
		tables[i] = commands[i].words;
	if (!strcmp(argv[0], "--complete"))
		return told(
			complete_put(&all, argc - 1, argv + 1, stdout, &error),
			&error);
	if (!strcmp(argv[0], "--pages")) {
		pages_list(&all, stdout);
		return 0;
	}
	if (!strcmp(argv[0], "--man"))
		return told(pages_put(&all, argv[1], NEARFAR_VERSION, stdout,
				    &error),
			&error);
	if (!strcmp(argv[0], "--help"))
		return usage(stdout, 0);
	fprintf(stderr,
		"nearfar: help has no option '%s', only --man, --pages and "
		"--complete\n",
		argv[0]);
	return 2;
}

/* "help run": what --help says there. "help pointer-chase": a bench. "help
   kernels": a topic. */
static int help(int argc, char **argv)
{
	char *name = argv[0], option[] = "--help";
	const struct command *command = find(name);
	const struct topic *topic = topic_find(name);
	char *of_command[] = {name, option, NULL};
	struct error error = {""};

	if (!strncmp(name, "--", 2))
		return help_page(argc, argv);
	if (command)
		return execute(command, 2, of_command);
	if (bench_help_has(name))
		return told(bench_help_put(name, stdout, &error), &error);
	if (topic)
		return told(topic_put(topic, stdout, &error), &error);
	fprintf(stderr,
		"nearfar: there is no command, no bench and no topic '%s'\n",
		name);
	return usage(stderr, 2);
}

/* A file that is opened must not become a standard stream that was closed. */
static void hold_standard_streams(void)
{
	int stream;

	for (stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
		if (fcntl(stream, F_GETFD) < 0 &&
			open("/dev/null",
				stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) <
				0)
			_exit(1);
}

int main(int argc, char **argv)
{
	const struct command *command;

	hold_standard_streams();
	/* A file that gets too large is a file that can't be written. */
	signal(SIGXFSZ, SIG_IGN);
	atexit(end_output);
	json_text_begin();
	setlocale(LC_CTYPE, "");
	if (argc < 2)
		return usage(stderr, 2);
	if (!strcmp(argv[1], "help") && argc > 2)
		return help(argc - 2, argv + 2);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
		!strcmp(argv[1], "help"))
		return usage(stdout, 0);
	if (!strcmp(argv[1], "--version")) {
		puts("nearfar " NEARFAR_VERSION);
		return 0;
	}
	command = find(argv[1]);
	if (command)
		return execute(command, argc - 1, argv + 1);
	fprintf(stderr, "nearfar: there is no command '%s'\n", argv[1]);
	return usage(stderr, 2);
}
