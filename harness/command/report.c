#include <argp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/output.h"
#include "harness/command/command.h"
#include "harness/figure/destination.h"
#include "harness/page/page.h"

enum { KEY_TITLE = 0x100, KEY_NOTE };

#define NOTES_MAX 32

struct options {
	char **files;
	int file_count;
	const char *output; /* NULL: standard output */
	const char *notes[NOTES_MAX];
	struct page_words words;
};

static const struct argp_option argp_options[] = {
	{"output", 'o', "FILE.html", 0,
		"write the page there (default: standard output, if that is no "
		"terminal)",
		0},
	{"title", KEY_TITLE, "TEXT", 0, "the page's title", 0},
	{"note", KEY_NOTE, "TEXT", 0,
		"a paragraph below the title; may be given several times", 0},
	{0},
};

static bool is_html(const char *path)
{
	static const char *const endings[] = {".html", ".htm", ".html.gz"};
	const size_t length = strlen(path);
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const size_t ending = strlen(endings[i]);

		if (length > ending &&
			!strcmp(path + length - ending, endings[i]))
			return true;
	}
	return !strcmp(path, "-") || !strncmp(path, "/dev/", 5);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'o':
		if (!is_html(argument))
			argp_error(
				state, "'%s' does not end in .html", argument);
		options->output = argument;
		return 0;
	case KEY_TITLE:
		options->words.title = argument;
		return 0;
	case KEY_NOTE:
		if (options->words.note_count == NOTES_MAX)
			argp_error(state, "at most %d notes", NOTES_MAX);
		options->notes[options->words.note_count++] = argument;
		return 0;
	case ARGP_KEY_ARGS:
		options->files = state->argv + state->next;
		options->file_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a file is needed");
		return EINVAL;
	case ARGP_KEY_END:
		if (!options->output && isatty(STDOUT_FILENO))
			argp_error(state, "-o FILE.html is needed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int write_page(
	const struct options *options, FILE *out, struct error *error)
{
	return page_write((const char *const *)options->files,
		(size_t)options->file_count, &options->words, out, error);
}

int command_report(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, "FILE...",
		"Write one page of HTML that shows all series of the files: "
		"curves of silicon, model and published data over each other, "
		"residuals, distributions, maps, tables, provenance. The page "
		"holds its data and its scripts and asks for nothing else. "
		"Files of samples (run --raw, or one number a line) become "
		"histograms, files of run --profile bars and tables.",
		NULL, NULL, NULL};
	struct options options = {0};
	struct output output;
	int result;

	options.words.notes = options.notes;
	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(error, ERR_FAILED,
			"out of memory for the options of report");
	result = destination_apart(options.output,
		(const char *const *)options.files, (size_t)options.file_count,
		error);
	if (result)
		return result;
	if (!options.output)
		return write_page(&options, out, error);
	result = output_open(&output, options.output, error);
	if (result)
		return result;
	result = write_page(&options, output.stream, error);
	if (!result)
		return output_commit(&output, error);
	output_abort(&output);
	return result;
}
