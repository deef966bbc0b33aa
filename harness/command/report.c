#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/output.h"
#include "harness/command/command.h"
#include "harness/frame/frame.h"
#include "harness/page/page.h"

#define NOTES_MAX 32

struct options {
	struct frame frame;
	const char *notes[NOTES_MAX];
	struct page_words words;
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

static int take_note(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct options *options = into;

	(void)row;
	if (options->words.note_count == NOTES_MAX)
		return error_set(
			error, ERR_USAGE, "at most %d notes", NOTES_MAX);
	options->notes[options->words.note_count++] = text;
	return 0;
}

static const struct options_row rows[] = {
	{"format", 'f', TAKES_CHOICE, "FORMAT",
		"(whatever -o ends in; default: -o ends in .html)",
		OPTIONS_AT(struct options, frame.format), .choices = "html",
		.values = VALUES_CHOICES},
	{"output", 'o', TAKES_TEXT, "FILE.html",
		"write the page there (default: standard output, if that is no "
		"terminal)",
		OPTIONS_AT(struct options, frame.output),
		.values = VALUES_FILES},
	{"title", 0, TAKES_TEXT, "TEXT", "the page's title",
		OPTIONS_AT(struct options, words.title),
		.example = "'Two GPUs'"},
	{"note", 0, TAKES_OWN, "TEXT",
		"a paragraph below the title; may be given several times",
		.take = take_note, .example = "'Measured twice'"},
	{0},
};

static const char *const examples[] = {
	"nearfar report gpu.json model.json -o page.html",
	"nearfar report chase.json --title 'One chase' -o chase.html",
	NULL,
};

const struct options_table report_options = {
	.name = "report",
	.summary = "series as one page of HTML with interactive charts",
	.operands = "FILE...",
	.about = "Write one page of HTML that shows all series of the files: "
		 "curves of silicon, model and published data over each other, "
		 "residuals, distributions, maps, tables, provenance. The page "
		 "holds its data and its scripts and asks for nothing else. "
		 "Files of samples (run --raw, or one number a line) become "
		 "histograms, files of run --profile bars and tables.",
	.rows = rows,
	FRAME_FILES(1, SIZE_MAX, "a file is needed"),
	.examples = examples,
};

static int write_page(
	const struct options *options, FILE *out, struct error *error)
{
	const struct options_words *files = &options->frame.files;

	return page_write((const char *const *)files->items, files->count,
		&options->words, out, error);
}

static int write_file(const struct options *options, struct error *error)
{
	struct output output;
	int code = output_open(&output, options->frame.output, error);

	if (code)
		return code;
	code = write_page(options, output.stream, error);
	if (!code)
		return output_commit(&output, error);
	output_abort(&output);
	return code;
}

int command_report(int argc, char **argv, FILE *out, struct error *error)
{
	struct options options = {.frame = FRAME_INITIAL};
	int code;

	options.words.notes = options.notes;
	code = options_parse(
		&report_options, argc, argv, NULL, &options, error);
	if (!code && options.frame.output && options.frame.format < 0 &&
		!is_html(options.frame.output))
		code = error_set(error, ERR_USAGE,
			"'%s' does not end in .html (-f html writes a page "
			"under any name)",
			options.frame.output);
	if (!code && !options.frame.output && isatty(STDOUT_FILENO))
		code = error_set(error, ERR_USAGE,
			"-o FILE.html is needed: standard output is a "
			"terminal");
	if (!code)
		code = frame_begin(&options.frame, NULL, error);
	if (code)
		return code;
	return options.frame.output ? write_file(&options, error)
				    : write_page(&options, out, error);
}
