#include <argp.h>
#include <errno.h>

#include "harness/base/units.h"
#include "harness/command/explain/explain_options.h"
#include "harness/figure/destination.h"

enum { KEY_SET = 0x100, KEY_WARM, KEY_LAUNCH, KEY_NO_WHAT_IF };

static const struct argp_option argp_options[] = {
	{"machine", 'm', "MACHINE", 0,
		"machine of the model: a name, or a FILE.yaml", 0},
	{"set", KEY_SET, "PARAMETER=VALUE", 0,
		"change a parameter of the model's machine", 0},
	{NULL, 'x', "X", 0, "of a bench: the point (default: the middle one)",
		0},
	{"warm", KEY_WARM, NULL, 0,
		"of a job: execute each launch once more before", 0},
	{"launch", KEY_LAUNCH, "N", 0,
		"explain this launch, from 0 (default: the one that takes the "
		"most cycles)",
		0},
	{"no-what-if", KEY_NO_WHAT_IF, NULL, 0,
		"without the runs that say what would help", 0},
	{"format", 'f', "FORMAT", 0, "table (default) or json", 0},
	{"output", 'o', "FILE", 0,
		"write there; the name chooses the format if -f does not: "
		".json, or .svg for pictures",
		0},
	{0},
};

static void add_word(
	struct explain_options *o, char *word, const struct argp_state *state)
{
	if (o->word_count == EXPLAIN_WORDS_MOST)
		argp_error(state, "too many words");
	o->words[o->word_count++] = word;
}

static void add_option(struct explain_options *o, char *name, char *word,
	const struct argp_state *state)
{
	add_word(o, name, state);
	add_word(o, word, state);
}

static void take_launch(struct explain_options *o, const char *text,
	const struct argp_state *state)
{
	struct error error;

	if (units_parse_count(text, &o->launch, &error))
		argp_error(state, "--launch: %s", error.text);
	o->has_launch = true;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	static char machine[] = "-m", set[] = "--set", x[] = "-x",
		    warm[] = "--warm";
	struct explain_options *o = state->input;

	switch (key) {
	case 'm':
		add_option(o, machine, text, state);
		return 0;
	case KEY_SET:
		add_option(o, set, text, state);
		return 0;
	case 'x':
		add_option(o, x, text, state);
		return 0;
	case KEY_WARM:
		add_word(o, warm, state);
		return 0;
	case KEY_LAUNCH:
		take_launch(o, text, state);
		return 0;
	case KEY_NO_WHAT_IF:
		o->no_what_if = true;
		return 0;
	case 'f':
		o->format = destination_format(text, EXPLAIN_FORMATS);
		if (o->format < 0)
			argp_error(state,
				"the format '%s' is none of table, json", text);
		return 0;
	case 'o':
		o->output = text;
		return 0;
	case ARGP_KEY_ARG:
		if (o->what)
			add_word(o, text, state);
		else
			o->what = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a job, a program or a bench is needed");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int explain_options_parse(int argc, char **argv,
	struct explain_options *options, struct error *error)
{
	static const struct argp argp = {argp_options, parse,
		"JOB|PROGRAM|BENCH [-- WORD...]",
		"Why a launch takes as long as it does, on the model: what was "
		"busy against which ceiling, how full the SMs were, what was "
		"fetched and from where, what binds it and at which line, and "
		"what would help. Words behind -- are those of 'nearfar run': "
		"options of a bench, --max-cycles, --var.",
		NULL, NULL, NULL};

	*options = (struct explain_options){.format = -1};
	if (argp_parse(&argp, argc, argv, 0, NULL, options))
		return error_set(error, ERR_FAILED,
			"out of memory for the options of explain");
	return 0;
}
