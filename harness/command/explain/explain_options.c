#include <ctype.h>
#include <stdio.h>

#include "harness/base/units.h"
#include "harness/command/explain/explain_options.h"

static int add_word(struct explain_options *o, char *word, struct error *error)
{
	if (o->word_count == EXPLAIN_WORDS_MOST)
		return error_set(error, ERR_USAGE,
			"at most %d words of 'nearfar run' are taken",
			EXPLAIN_WORDS_MOST);
	o->words[o->word_count++] = word;
	return 0;
}

/* An option of run, under its own name there. */
static int take_of_run(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	static char machine[] = "-m", set[] = "--set", x[] = "-x",
		    warm[] = "--warm";
	char *name = row->letter == 'm'   ? machine
		     : row->letter == 'x' ? x
		     : row->argument      ? set
					  : warm;
	int code = add_word(into, name, error);

	return code || !text ? code : add_word(into, text, error);
}

static int take_launch(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct explain_options *o = into;
	const bool is_name = isalpha((unsigned char)*text);
	const int code =
		is_name ? 0 : units_parse_count(text, &o->launch, error);

	(void)row;
	o->launch_word = text;
	o->launch_is_name = is_name;
	return code ? error_prefix(error, code, "--launch: ") : 0;
}

static const struct options_row rows[] = {
	{"machine", 'm', TAKES_OWN, "MACHINE",
		"machine of the model: a name, or a FILE.yaml",
		.take = take_of_run, .values = VALUES_MACHINES},
	{"set", 0, TAKES_OWN, "PARAMETER=VALUE",
		"change a parameter of the model's machine",
		.take = take_of_run, .values = VALUES_SETTINGS,
		.example = "sm_count=16"},
	{"points", 'x', TAKES_OWN, "X",
		"of a bench: the point (default: the middle one)",
		.take = take_of_run, .example = "8MiB"},
	{"warm", 0, TAKES_OWN, NULL,
		"of a job: execute each launch once more before",
		.take = take_of_run},
	{"launch", 0, TAKES_OWN, "N|NAME",
		"explain this launch, by its number, from 0, its name or its "
		"kernel (default: the one that takes the "
		"most cycles)",
		.take = take_launch, .example = "1"},
	{"no-what-if", 0, TAKES_NOTHING, NULL,
		"without the runs that say what would help",
		OPTIONS_AT(struct explain_options, no_what_if)},
	{"format", 'f', TAKES_CHOICE, "FORMAT", "(default: table)",
		OPTIONS_AT(struct explain_options, format),
		.choices = "table|json", .values = VALUES_CHOICES,
		.example = "json"},
	{"output", 'o', TAKES_TEXT, "FILE",
		"write there; the name chooses the format if -f does not: "
		".json, or .svg for pictures",
		OPTIONS_AT(struct explain_options, output),
		.values = VALUES_FILES},
	{0},
};

static const char *const examples[] = {
	"nearfar explain pointer-chase -x 8MiB",
	"nearfar explain vector.job --launch 0",
	"nearfar explain bandwidth -x 64 -o why.svg -- --access write",
	NULL,
};

const struct options_table explain_options = {
	.name = "explain",
	.summary = "why a kernel, program or bench takes as long as it does",
	.operands = "JOB|PROGRAM|BENCH [-- WORD...]",
	.about = "Why a launch takes as long as it does, on the model: what "
		 "was busy against which ceiling, how full the SMs were, what "
		 "was fetched and from where, what binds it and at which "
		 "line, and what would help. Words behind -- are those of "
		 "'nearfar run': options of a bench, --max-cycles, --var.",
	.rows = rows,
	.words = offsetof(struct explain_options, given),
	.least = 1,
	.most = SIZE_MAX,
	.needed = "a job, a program or a bench is needed",
	.first = {VALUES_WORKS, NULL},
	.rest = {VALUES_FILES, NULL},
	.examples = examples,
};

int explain_options_parse(int argc, char **argv,
	struct explain_options *options, struct error *error)
{
	size_t i;
	int code;

	*options = (struct explain_options){.format = -1};
	code = options_parse(
		&explain_options, argc, argv, NULL, options, error);
	if (code)
		return code;
	if (options->format == 1)
		options->format = FORMAT_JSON;
	options->what = options->given.items[0];
	for (i = 1; !code && i < options->given.count; i++)
		code = add_word(options, options->given.items[i], error);
	return code;
}
