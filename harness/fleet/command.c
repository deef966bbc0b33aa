#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/output.h"
#include "harness/base/units.h"
#include "harness/command/command.h"
#include "harness/fleet/verbs.h"

#define STORE "fleet.sqlite"
#define FDR   0.001

enum { KEY_STORE = 0x100, KEY_DAY, KEY_FDR };

/* What a verb takes: arguments, formats (the first unless -f names another). */
static const struct verb {
	const char *name;
	int (*run)(const struct fleet_words *, FILE *, struct error *);
	size_t least, most;
	const char *arguments;
	unsigned formats;
	enum fleet_format format;
} verbs[] = {
	{"add", fleet_verb_add, 1, SIZE_MAX, "one FILE.json or more",
		1u << FLEET_TABLE, FLEET_TABLE},
	{"list", fleet_verb_list, 0, 0, "no argument", 1u << FLEET_TABLE,
		FLEET_TABLE},
	{"show", fleet_verb_show, 1, 1, "one DEVICE", 1u << FLEET_TABLE,
		FLEET_TABLE},
	{"diff", fleet_verb_diff, 2, 2, "two of DEVICE or DEVICE@DAY",
		1u << FLEET_TABLE, FLEET_TABLE},
	{"same", fleet_verb_same, 2, 2, "two FILE.json", 1u << FLEET_TABLE,
		FLEET_TABLE},
	{"odd", fleet_verb_odd, 0, 0, "no argument",
		1u << FLEET_TABLE | 1u << FLEET_JSONL, FLEET_TABLE},
	{"export", fleet_verb_export, 0, SIZE_MAX, "no DEVICE or some",
		1u << FLEET_JSONL | 1u << FLEET_OPENMETRICS, FLEET_JSONL},
};

static const char *const formats[] = {
	[FLEET_TABLE] = "table",
	[FLEET_JSONL] = "jsonl",
	[FLEET_OPENMETRICS] = "openmetrics",
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

struct options {
	struct fleet_words words;
	const struct verb *verb;
	const char **arguments; /* room for all of argv */
	const char *output;
	int format; /* -1: the verb's first */
	struct error *error;
	int code;
};

static const struct argp_option argp_options[] = {
	{"store", KEY_STORE, "FILE", 0,
		"the store, a SQLite file (default: " STORE ")", 0},
	{"day", KEY_DAY, "YYYY-MM-DD", 0,
		"add: the day of the fingerprints (default: their date, else "
		"today)",
		0},
	{"fdr", KEY_FDR, "SHARE", 0,
		"odd, export: the share of those found that may be well "
		"(default 0.001)",
		0},
	{"format", 'f', "FORMAT", 0,
		"odd: table (default) or jsonl; export: jsonl (default), every "
		"day, or openmetrics, the last",
		0},
	{"output", 'o', "FILE", 0, "write there", 0},
	{0},
};

static void fail(struct options *o, int code)
{
	if (!o->code)
		o->code = code;
}

static void set_fdr(struct options *o, const char *text)
{
	int code = units_parse_real(text, &o->words.fdr, o->error);

	if (!code && !(o->words.fdr > 0 && o->words.fdr < 1))
		code = error_set(o->error, ERR_USAGE,
			"'%s' does not lie between 0 and 1", text);
	if (code)
		fail(o, error_prefix(o->error, code, "--fdr: "));
}

static void set_format(
	struct options *o, const char *text, struct argp_state *state)
{
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (!strcmp(text, formats[i])) {
			o->format = (int)i;
			return;
		}
	argp_error(state,
		"the format '%s' is none of table, jsonl, openmetrics", text);
}

static void set_verb(
	struct options *o, const char *text, struct argp_state *state)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(text, verbs[i].name)) {
			o->verb = &verbs[i];
			return;
		}
	argp_error(state,
		"'%s' is none of add, list, show, diff, same, odd, export",
		text);
}

static void check(struct options *o, struct argp_state *state)
{
	const struct verb *verb = o->verb;

	if (!verb)
		argp_error(state, "one of add, list, show, diff, same, odd, "
				  "export is needed");
	if (o->words.count < verb->least || o->words.count > verb->most)
		argp_error(state, "%s takes %s", verb->name, verb->arguments);
	if (o->words.day && verb->run != fleet_verb_add)
		argp_error(state, "--day is an option of add");
	if (o->format < 0)
		o->format = (int)verb->format;
	if (!(verb->formats >> o->format & 1))
		argp_error(state, "%s has no format '%s'", verb->name,
			formats[o->format]);
	o->words.format = (enum fleet_format)o->format;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_STORE:
		o->words.store = argument;
		return 0;
	case KEY_DAY:
		o->words.day = argument;
		return 0;
	case KEY_FDR:
		set_fdr(o, argument);
		return 0;
	case 'f':
		set_format(o, argument, state);
		return 0;
	case 'o':
		o->output = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (!o->verb)
			set_verb(o, argument, state);
		else
			o->arguments[o->words.count++] = argument;
		return 0;
	case ARGP_KEY_END:
		check(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What is odd is written all the same. */
static int run(const struct options *o, FILE *out)
{
	struct output output;
	struct error later;
	int code, written;

	if (!o->output)
		return o->verb->run(&o->words, out, o->error);
	code = output_open(&output, o->output, o->error);
	if (code)
		return code;
	code = o->verb->run(&o->words, output.stream, o->error);
	if (code && code != ERR_GATE) {
		output_abort(&output);
		return code;
	}
	written = output_commit(&output, code ? &later : o->error);
	if (code && written)
		*o->error = later;
	return written ? written : code;
}

int command_fleet(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse,
		"add FILE.json...\nlist\nshow DEVICE\ndiff DEVICE[@DAY] "
		"DEVICE[@DAY]\nsame FILE.json FILE.json\nodd\nexport "
		"[DEVICE...]",
		"Keep the fingerprints of many GPUs, and find the one that is "
		"not like the others. `odd` compares each figure of each "
		"device with its peers, the devices of its SKU, and with its "
		"own days before; it says what is odd, how far off and how "
		"unlikely that is, and exits with status 3 if anything is. "
		"`same` says by the map of the chip whether two fingerprints "
		"are of one GPU, whatever they are called; it exits with "
		"status 3 if they are not."
		"\vA DEVICE is a name, or the beginning of one.",
		NULL, NULL, NULL};
	struct options o = {.error = error, .format = -1};
	int code;

	o.words = (struct fleet_words){.store = STORE, .fdr = FDR};
	o.arguments = calloc((size_t)argc + 1, sizeof(*o.arguments));
	if (!o.arguments)
		return error_set(error, ERR_FAILED, "out of memory");
	o.words.arguments = o.arguments;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		fail(&o, error_set(error, ERR_FAILED,
				 "out of memory for the options of fleet"));
	code = o.code ? o.code : run(&o, out);
	free(o.arguments);
	return code;
}
