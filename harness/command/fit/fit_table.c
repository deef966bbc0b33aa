#include <stdio.h>

#include "harness/command/fit/fit_table.h"

const struct argp_option fit_argp_options[] = {
	{"backend", 'b', "NAME", 0, "what is measured: cuda (default) or sim",
		0},
	{"device", KEY_DEVICE, "N", 0, "index of the GPU", 0},
	{"machine", 'm', "MACHINE", 0,
		"with -b sim: the machine that is measured", 0},
	{"measure", KEY_MEASURE, "FOLDER", 0,
		"measure only, into this folder; what stands there is not "
		"measured again",
		0},
	{"from", KEY_FROM, "FOLDER|FILE...", 0,
		"fit only: to what was measured into this folder, or to these "
		"series (more files may follow); needs no GPU",
		0},
	{"nearest", KEY_NEAREST, "MACHINE", 0,
		"where to begin, and what no series says: a name, or a "
		"FILE.yaml (default: the known machine nearest to the device)",
		0},
	{"only", KEY_ONLY, "PATTERN,...", 0,
		"only these rows of what is measured (default: all)", 0},
	{"hold-out", KEY_HOLD_OUT, "BENCH[:KEY=VALUE]...", 0,
		"with files: series that are not fitted, only compared; a "
		"value may be a pattern",
		0},
	{"hold-out-points", KEY_HOLD_OUT_POINTS, "N", 0,
		"with files: hold out every Nth point of the other series, "
		"but for their ends",
		0},
	{"free", KEY_FREE, "PATTERN", 0,
		"with files: parameters that may move (default: all that can "
		"be fitted)",
		0},
	{"budget", KEY_BUDGET, "TIME|N", 0,
		"time for all of it, such as 20m or 90s (the result then "
		"depends on the machine's speed); with files also a number of "
		"evaluations (default: no limit)",
		0},
	{"repeats", 'r', "N", 0, "runs of each point (default: cuda 3, sim 1)",
		0},
	{"seed", KEY_SEED, "N", 0,
		"seed of rings and draws, and of searches (default 1)", 0},
	{"jobs", 'j', "N", 0, "workers of the model (default: cores)", 0},
	{"state", KEY_STATE, "STATE.json", 0,
		"with files: keep what was run in this file, and do not run "
		"again what stands there",
		0},
	{"errors", KEY_ERRORS, "FILE", 0,
		"write the error of every point as CSV", 0},
	{"next", KEY_NEXT, NULL, 0,
		"with files: print what to measure next: the command that "
		"informs each parameter which they leave open, dearest first",
		0},
	{"stats", KEY_STATS, NULL, 0,
		"with files: print the time of each series to standard error",
		0},
	{"output", 'o', "MACHINE.yaml", 0,
		"write the machine there; what was measured stands in "
		"MACHINE.fit beside it, unless a folder is named",
		0},
	{"target", KEY_OLD, "FILE", OPTION_HIDDEN, "", 0},
	{"rows", KEY_OLD + 1, "PATTERN", OPTION_HIDDEN, "", 0},
	{"time", KEY_OLD + 2, "TIME", OPTION_HIDDEN, "", 0},
	{"points", KEY_OLD + 3, "FILE", OPTION_HIDDEN, "", 0},
	{"resume", KEY_OLD + 4, "FILE", OPTION_HIDDEN, "", 0},
	{NULL, 's', "N", OPTION_HIDDEN, "", 0},
	{0},
};

/* ---- names ---- */

static const struct {
	int old, key;
	const char *old_name, *name;
} renamed[] = {
	{KEY_OLD, KEY_FROM, "--target", "--from"},
	{KEY_OLD + 1, KEY_ONLY, "--rows", "--only"},
	{KEY_OLD + 2, KEY_BUDGET, "--time", "--budget"},
	{KEY_OLD + 3, KEY_ERRORS, "--points", "--errors"},
	{KEY_OLD + 4, KEY_STATE, "--resume", "--state"},
	{'s', KEY_SEED, "-s", "--seed"},
};
#define RENAMED_COUNT (sizeof(renamed) / sizeof(renamed[0]))

void fit_hint(const char *old, const char *now)
{
	fprintf(stderr, "nearfar: '%s' is called '%s' now\n", old, now);
}

int fit_key_now(int key)
{
	size_t i;

	for (i = 0; i < RENAMED_COUNT; i++)
		if (renamed[i].old == key) {
			fit_hint(renamed[i].old_name, renamed[i].name);
			return renamed[i].key;
		}
	return key;
}

/* ---- which options go with what is fitted to ---- */

#define OF(source) (1u << (source))
#define MEASURED   (OF(FIT_OF_DEVICE) | OF(FIT_OF_FOLDER))

static const struct {
	int key;
	const char *name;
	unsigned sources;
	const char *instead; /* in a row of a suite; NULL: it may be there */
} allowed[] = {
	{'b', "-b", OF(FIT_OF_DEVICE), NULL},
	{KEY_DEVICE, "--device", OF(FIT_OF_DEVICE), NULL},
	{'m', "-m", OF(FIT_OF_DEVICE) | OF(FIT_OF_FILES), NULL},
	{KEY_MEASURE, "--measure", OF(FIT_OF_DEVICE), NULL},
	{'r', "-r", OF(FIT_OF_DEVICE), NULL},
	{KEY_ONLY, "--only", MEASURED, NULL},
	{KEY_HOLD_OUT, "--hold-out", OF(FIT_OF_FILES), NULL},
	{KEY_HOLD_OUT_POINTS, "--hold-out-points", OF(FIT_OF_FILES), NULL},
	{KEY_FREE, "--free", OF(FIT_OF_FILES), NULL},
	{KEY_NEXT, "--next", OF(FIT_OF_FILES), NULL},
	{KEY_STATS, "--stats", OF(FIT_OF_FILES), NULL},
	{KEY_STATE, "--state", OF(FIT_OF_FILES),
		"each part keeps a journal of its own"},
	{'o', "-o", ~0u, "'nearfar merge' writes the machine"},
	{'j', "-j", ~0u, "'nearfar run --suite' says it"},
};
#define ALLOWED_COUNT (sizeof(allowed) / sizeof(allowed[0]))

const char *const fit_source_names[] = {
	"a device", "the folder of a measurement", "files of series"};

int fit_key_given(struct fit_options *o, int key)
{
	size_t i;

	for (i = 0; i < ALLOWED_COUNT; i++) {
		if (allowed[i].key != key)
			continue;
		o->given |= 1u << i;
		if (o->of_a_row && allowed[i].instead)
			return error_set(o->error, ERR_USAGE,
				"%s does not go into a row of a suite: %s",
				allowed[i].name, allowed[i].instead);
	}
	return 0;
}

int fit_keys_check(const struct fit_options *o)
{
	size_t i;

	for (i = 0; i < ALLOWED_COUNT; i++)
		if (o->given >> i & 1 && !(allowed[i].sources & OF(o->source)))
			return error_set(o->error, ERR_USAGE,
				"%s does not go with a fit to %s",
				allowed[i].name, fit_source_names[o->source]);
	return 0;
}
