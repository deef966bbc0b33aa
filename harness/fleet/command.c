#include <stdlib.h>
#include <string.h>

#include "harness/base/output.h"
#include "harness/base/units.h"
#include "harness/command/command.h"
#include "harness/fleet/verbs.h"
#include "harness/options/options.h"

#define STORE "fleet.sqlite"
#define FDR   0.001

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

struct options {
	struct options_words given; /* the verb and its arguments */
	struct fleet_words words;
	const struct verb *verb;
	const char *output;
	int format; /* -1: the verb's first */
};

static int take_fdr(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct options *o = into;
	int code = units_parse_real(text, &o->words.fdr, error);

	(void)row;
	if (!code && !(o->words.fdr > 0 && o->words.fdr < 1))
		code = error_set(error, ERR_USAGE,
			"'%s' does not lie between 0 and 1", text);
	return code ? error_prefix(error, code, "--fdr: ") : 0;
}

static const struct options_row rows[] = {
	{"store", 0, TAKES_TEXT, "FILE",
		"the store, a SQLite file (default: " STORE ")",
		OPTIONS_AT(struct options, words.store),
		.values = VALUES_FILES},
	{"day", 0, TAKES_TEXT, "YYYY-MM-DD",
		"add: the day of the fingerprints (default: their date, else "
		"today)",
		OPTIONS_AT(struct options, words.day), .example = "2025-03-01"},
	{"fdr", 0, TAKES_OWN, "SHARE",
		"odd, export: how many of the GPUs found may be false "
		"alarms, as a share (default 0.001)",
		.take = take_fdr, .example = "0.01"},
	{"format", 'f', TAKES_CHOICE, "FORMAT",
		"(odd: table, the default, or jsonl; export: jsonl, the "
		"default, every day, or openmetrics, the last)",
		OPTIONS_AT(struct options, format),
		.choices = "table|jsonl|openmetrics", .values = VALUES_CHOICES,
		.example = "jsonl"},
	{"output", 'o', TAKES_TEXT, "FILE", "write there",
		OPTIONS_AT(struct options, output), .values = VALUES_FILES},
	{0},
};

static const char *const examples[] = {
	"nearfar fleet add gpu0.json gpu1.json",
	"nearfar fleet odd",
	"nearfar fleet export -f openmetrics -o fleet.prom",
	NULL,
};

const struct options_table fleet_options = {
	.name = "fleet",
	.summary = "keep fingerprints, and find the GPU that is not like the "
		   "others",
	.operands = "add FILE.json...\nlist\nshow DEVICE\ndiff DEVICE[@DAY] "
		    "DEVICE[@DAY]\nsame FILE.json FILE.json\nodd\nexport "
		    "[DEVICE...]",
	.about = "Keep the fingerprints of many GPUs, and find the one that is "
		 "not like the others. `odd` compares each figure of each "
		 "device with its peers, the devices of its SKU, and with its "
		 "own days before; it says what is odd, how far off and how "
		 "unlikely that is, and exits with status 3 if anything is. "
		 "`same` says by the map of the chip whether two fingerprints "
		 "are of one GPU, whatever they are called; it exits with "
		 "status 3 if they are not.",
	.notes = "A DEVICE is a name, or the beginning of one.",
	.rows = rows,
	.words = offsetof(struct options, given),
	.least = 1,
	.most = SIZE_MAX,
	.needed = "one of add, list, show, diff, same, odd, export is needed",
	.first = {VALUES_CHOICES, "add|list|show|diff|same|odd|export"},
	.rest = {VALUES_FILES, NULL},
	.examples = examples,
};

static int find_verb(struct options *o, struct error *error)
{
	const char *name = o->given.items[0];
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(name, verbs[i].name)) {
			o->verb = &verbs[i];
			o->words.arguments =
				(const char *const *)o->given.items + 1;
			o->words.count = o->given.count - 1;
			return 0;
		}
	return error_set(error, ERR_USAGE,
		"'%s' is none of add, list, show, diff, same, odd, export",
		name);
}

static int check(struct options *o, struct error *error)
{
	const struct verb *verb = o->verb;

	if (o->words.count < verb->least || o->words.count > verb->most)
		return error_set(error, ERR_USAGE, "%s takes %s", verb->name,
			verb->arguments);
	if (o->words.day && verb->run != fleet_verb_add)
		return error_set(error, ERR_USAGE, "--day is an option of add");
	if (o->format < 0)
		o->format = (int)verb->format;
	if (!(verb->formats >> o->format & 1))
		return error_set(error, ERR_USAGE, "%s has no format '%s'",
			verb->name, formats[o->format]);
	o->words.format = (enum fleet_format)o->format;
	return 0;
}

/* What is odd is written all the same. */
static int run(const struct options *o, FILE *out, struct error *error)
{
	struct output output;
	struct error later;
	int code, written;

	if (!o->output)
		return o->verb->run(&o->words, out, error);
	code = output_open(&output, o->output, error);
	if (code)
		return code;
	code = o->verb->run(&o->words, output.stream, error);
	if (code && code != ERR_GATE) {
		output_abort(&output);
		return code;
	}
	written = output_commit(&output, code ? &later : error);
	if (code && written)
		*error = later;
	return written ? written : code;
}

int command_fleet(int argc, char **argv, FILE *out, struct error *error)
{
	struct options o = {.format = -1};
	int code;

	o.words = (struct fleet_words){.store = STORE, .fdr = FDR};
	code = options_parse(&fleet_options, argc, argv, NULL, &o, error);
	if (!code)
		code = find_verb(&o, error);
	if (!code)
		code = check(&o, error);
	return code ? code : run(&o, out, error);
}
