#include <stdlib.h>

#include "harness/base/units.h"
#include "harness/command/fit/fit_words.h"
#include "harness/run/registry.h"

#define AT(member) OPTIONS_AT(struct fit_options, member)

/* ---- words with a meaning of their own ---- */

int fit_words_add(const char **words, size_t *count, const char *word,
	struct error *error)
{
	if (*count == FIT_WORDS_MAX)
		return error_set(error, ERR_USAGE,
			"at most %d of a kind are taken", FIT_WORDS_MAX);
	words[(*count)++] = word;
	return 0;
}

#define TAKE_WORD(name, words, counter)                                        \
	static int take_##name(void *into, const struct options_row *row,      \
		char *text, struct error *error)                               \
	{                                                                      \
		struct fit_options *o = into;                                  \
                                                                               \
		(void)row;                                                     \
		return fit_words_add(o->words, &o->counter, text, error);      \
	}
TAKE_WORD(from, from, from_count)
TAKE_WORD(hold_out, hold_outs, search.hold_out_count)
TAKE_WORD(free, free, search.free_count)

static int take_backend(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct fit_options *o = into;

	(void)row;
	o->fit.ops = backend_find(text);
	return o->fit.ops ? 0
			  : error_set(error, ERR_USAGE,
				    "there is no backend '%s' (`nearfar list "
				    "backends`)",
				    text);
}

/* Seconds of "20m", "90s" or "1h", or a number of evaluations. */
static int take_budget(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	struct fit_options *o = into;
	char *end;
	const double value = strtod(text, &end);
	size_t i;

	(void)row;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end > text && end[0] == units[i].unit && !end[1] &&
			value > 0 && value < 1e6) {
			o->seconds = value * units[i].seconds;
			return 0;
		}
	if (!units_parse_count(text, &o->evaluations, NULL) && o->evaluations &&
		o->evaluations <= 1000000000)
		return 0;
	return error_set(error, ERR_USAGE,
		"--budget: '%s' is no time such as 20m, 90s or 1h, and no "
		"number of evaluations",
		text);
}

/* ---- the table ---- */

static const struct options_row rows[] = {
	{"backend", 'b', TAKES_OWN, "NAME",
		"what is measured: sim or cuda (the default of this release)",
		.take = take_backend, .values = VALUES_BACKENDS},
	{"device", 0, TAKES_COUNT, "N", "index of the GPU", AT(device),
		.most = 1024},
	{"machine", 'm', TAKES_TEXT, "MACHINE",
		"with -b sim: the machine that is measured",
		AT(fit.backend.machine), .values = VALUES_MACHINES},
	{"measure", 0, TAKES_TEXT, "FOLDER",
		"measure only, into this folder; what stands there is not "
		"measured again",
		AT(measure), .values = VALUES_FOLDERS},
	{"from", 0, TAKES_OWN, "FOLDER|FILE...",
		"fit only: to what was measured into this folder, or to these "
		"series (more files may follow); needs no GPU",
		.take = take_from, .values = VALUES_FILES, .was = "target"},
	{"nearest", 0, TAKES_TEXT, "MACHINE",
		"where to begin, and what no series says: a name, or a "
		"FILE.yaml (default: the known machine nearest to the device)",
		AT(nearest), .values = VALUES_MACHINES},
	{"only", 0, TAKES_TEXT, "PATTERN,...",
		"only these rows of what is measured (default: all)",
		AT(fit.rows), .was = "rows"},
	{"hold-out", 0, TAKES_OWN, "BENCH[:KEY=VALUE]...",
		"with files: series that are not fitted, only compared; a "
		"value may be a pattern",
		.take = take_hold_out, .values = VALUES_BENCHES},
	{"hold-out-points", 0, TAKES_COUNT, "N",
		"with files: hold out every Nth point of the other series, "
		"but for their ends",
		AT(search.hold_out_every), .least = 1, .most = 1000000},
	{"free", 0, TAKES_OWN, "PATTERN",
		"with files: parameters that may move (default: all that can "
		"be fitted)",
		.take = take_free, .values = VALUES_PARAMETERS},
	{"budget", 0, TAKES_OWN, "TIME|N",
		"time for all of it, such as 20m or 90s (the result then "
		"depends on the machine's speed); with files also a number of "
		"evaluations (default: no limit)",
		.take = take_budget, .was = "time", .example = "20m"},
	{"repeats", 'r', TAKES_COUNT, "N",
		"runs of each point (default: cuda 3, sim 1)", AT(fit.repeats),
		.least = 1, .most = 1000},
	{"seed", 0, TAKES_COUNT, "N",
		"seed of rings and draws, and of searches (default 1)",
		AT(seed), .least = 1, .most = UINT32_MAX},
	{NULL, 's', TAKES_COUNT, "N", "seed", AT(seed), .least = 1,
		.most = UINT32_MAX, .hidden = true},
	{"jobs", 'j', TAKES_COUNT, "N", "workers of the model (default: cores)",
		AT(jobs), .least = 1, .most = 4096},
	{"state", 0, TAKES_TEXT, "STATE.json",
		"with files: keep what was run in this file, and do not run "
		"again what stands there",
		AT(search.state), .values = VALUES_FILES, .was = "resume"},
	{"errors", 0, TAKES_TEXT, "FILE",
		"write the error of every point as CSV", AT(errors),
		.values = VALUES_FILES, .was = "points"},
	{"next", 0, TAKES_NOTHING, NULL,
		"with files: print what to measure next: the command that "
		"informs each parameter which they leave open, dearest first",
		AT(search.next)},
	{"stats", 0, TAKES_NOTHING, NULL,
		"with files: print the time of each series to standard error",
		AT(search.stats)},
	{"output", 'o', TAKES_TEXT, "MACHINE.yaml",
		"write the machine there; what was measured stands in "
		"MACHINE.fit beside it, unless a folder is named",
		AT(output), .values = VALUES_FILES},
	{0},
};

static const char *const examples[] = {
	"nearfar fit -b cuda --budget 20m -o mychip.yaml",
	"nearfar fit -b cuda --measure mychip.fit",
	"nearfar fit --from mychip.fit -o mychip.yaml",
	"nearfar fit --from chase.json map.json --nearest h100-sxm -o "
	"mychip.yaml",
	NULL,
};

static const char *const files[] = {
	"MACHINE.fit",
	"what was measured: a series a row, device.json, and what the fit has "
	"run; the same command goes on from there",
	NULL,
};

#define ABOUT                                                                  \
	"Fit the model's machine to a GPU, which is measured, or to series "   \
	"that are there: what can be read off is read off, the rest is "       \
	"chosen or searched. Prints what each parameter is, how well it is "   \
	"known, what no series says, and the errors on what was fitted and "   \
	"on what was held out; without gain on what was held out the machine " \
	"stays what it was. A fit that was interrupted goes on where it was "  \
	"when the same command is given again (to files: with --state)."

/* What both names have alike. */
#define WORDS                                                                  \
	.about = ABOUT, .rows = rows,                                          \
	.words = offsetof(struct fit_options, more), .most = SIZE_MAX,         \
	.needed = "files of series are needed", .first = {VALUES_FILES, NULL}, \
	.rest = {VALUES_FILES, NULL}, .examples = examples, .files = files

const struct options_table fit_options = {
	.name = "fit",
	.summary = "a machine fitted to a GPU, or to series that are there",
	.operands = "-o MACHINE.yaml\n--measure FOLDER\n--from FOLDER -o "
		    "MACHINE.yaml\n--from FILE... -o MACHINE.yaml",
	WORDS,
};

const struct options_table calibrate_options = {
	.name = "calibrate",
	.summary = "another name of fit",
	.operands = "--from FILE... -o MACHINE.yaml",
	WORDS,
};
