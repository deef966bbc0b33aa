#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/output.h"
#include "harness/base/units.h"
#include "harness/command/fit/fit_options.h"
#include "harness/command/fit/fit_table.h"
#include "harness/host/host.h"
#include "harness/keep/apart.h"
#include "harness/run/registry.h"

/* ---- values ---- */

static int parse_count(struct fit_options *o, const char *option,
	const char *text, uint64_t least, uint64_t most, unsigned *count)
{
	uint64_t value = 0;
	int code = units_parse_count_within(
		option, text, least, most, &value, o->error);

	if (!code)
		*count = (unsigned)value;
	return code;
}

/* Seconds of "20m", "90s" or "1h", or a number of evaluations. */
static int parse_budget(struct fit_options *o, const char *text)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	char *end;
	const double value = strtod(text, &end);
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end > text && end[0] == units[i].unit && !end[1] &&
			value > 0 && value < 1e6) {
			o->seconds = value * units[i].seconds;
			return 0;
		}
	if (!units_parse_count(text, &o->evaluations, NULL) && o->evaluations &&
		o->evaluations <= 1000000000)
		return 0;
	return error_set(o->error, ERR_USAGE,
		"--budget: '%s' is no time such as 20m, 90s or 1h, and no "
		"number of evaluations",
		text);
}

static int set_backend(struct fit_options *o, const char *name)
{
	o->fit.ops = backend_find(name);
	return o->fit.ops ? 0
			  : error_set(o->error, ERR_USAGE,
				    "there is no backend '%s' (`nearfar list "
				    "backends`)",
				    name);
}

static int add_word(struct fit_options *o, const char **words, size_t *count,
	const char *word)
{
	if (*count == FIT_WORDS_MAX)
		return error_set(o->error, ERR_USAGE,
			"at most %d of a kind are taken", FIT_WORDS_MAX);
	words[(*count)++] = word;
	return 0;
}

static int take_count(struct fit_options *o, int key, const char *text)
{
	unsigned value = 0;
	int code;

	switch (key) {
	case KEY_DEVICE:
		code = parse_count(o, "--device", text, 0, 1024, &value);
		o->fit.backend.device_index = (int)value;
		return code;
	case KEY_HOLD_OUT_POINTS:
		return parse_count(o, "--hold-out-points", text, 1, 1000000,
			&o->search.hold_out_every);
	case 'r':
		return parse_count(o, "-r", text, 1, 1000, &o->fit.repeats);
	case 'j':
		return parse_count(o, "-j", text, 1, 4096, &o->jobs);
	default:
		code = parse_count(o, "--seed", text, 1, UINT32_MAX, &value);
		o->seed = value;
		return code;
	}
}

static int take(struct fit_options *o, int key, char *text)
{
	struct calibrate_config *search = &o->search;

	switch (key) {
	case 'b':
		return set_backend(o, text);
	case KEY_FROM:
		return add_word(o, o->from, &o->from_count, text);
	case KEY_HOLD_OUT:
		return add_word(o, o->hold_outs, &search->hold_out_count, text);
	case KEY_FREE:
		return add_word(o, o->free, &search->free_count, text);
	case KEY_BUDGET:
		return parse_budget(o, text);
	case 'm':
		o->fit.backend.machine = text;
		return 0;
	case KEY_MEASURE:
		o->measure = text;
		return 0;
	case KEY_NEAREST:
		o->nearest = text;
		return 0;
	case KEY_ONLY:
		o->fit.rows = text;
		return 0;
	case KEY_STATE:
		search->state = text;
		return 0;
	case KEY_ERRORS:
		o->errors = text;
		return 0;
	case 'o':
		o->output = text;
		return 0;
	case KEY_NEXT:
		search->next = true;
		return 0;
	case KEY_STATS:
		search->stats = true;
		return 0;
	default:
		return take_count(o, key, text);
	}
}

/* ---- all words ---- */

static bool is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static int find_source(struct fit_options *o)
{
	size_t i;

	o->source = o->from_count ? FIT_OF_FILES : FIT_OF_DEVICE;
	for (i = 0; i < o->from_count; i++)
		if (is_folder(o->from[i]))
			o->source = FIT_OF_FOLDER;
	if (o->source == FIT_OF_FOLDER && o->from_count > 1)
		return error_set(o->error, ERR_USAGE,
			"--from takes one folder, or files");
	if (o->of_a_row && o->source != FIT_OF_FILES)
		return error_set(o->error, ERR_USAGE,
			"a fit in a row of a suite is to files (--from FILE)");
	if (o->of_a_row && o->seconds > 0)
		return error_set(o->error, ERR_USAGE,
			"--budget: parts that do one search need a number of "
			"evaluations, not a time");
	if (o->evaluations && o->source != FIT_OF_FILES)
		return error_set(o->error, ERR_USAGE,
			"--budget: a fit to %s takes a time, such as 20m",
			fit_source_names[o->source]);
	return fit_keys_check(o);
}

static int check_output(const struct fit_options *o)
{
	if (o->measure && o->from_count)
		return error_set(o->error, ERR_USAGE,
			"--measure and --from are the two halves: one of them, "
			"or neither");
	if (o->measure && o->output)
		return error_set(o->error, ERR_USAGE,
			"--measure writes no machine: without -o");
	if (!o->measure && !o->of_a_row &&
		(!o->output || fnmatch("*.yaml", o->output, 0)))
		return error_set(o->error, ERR_USAGE,
			"the machine needs a file (-o MACHINE.yaml)");
	return 0;
}

/* What both kinds of fit have, into each. */
static void fill_in(struct fit_options *o)
{
	struct calibrate_config *search = &o->search;

	if (o->source == FIT_OF_FILES && o->fit.backend.machine) {
		if (!o->nearest)
			o->nearest = o->fit.backend.machine;
		fit_hint("-m", "--nearest");
	}
	o->fit.output = search->output = o->output;
	o->fit.points = search->points = o->errors;
	o->fit.seconds = search->seconds = o->seconds;
	o->fit.jobs = search->jobs = o->jobs;
	o->fit.seed = (uint32_t)o->seed;
	search->seed = o->seed;
	o->fit.nearest = search->machine = o->nearest;
	search->evaluations = o->evaluations;
	search->targets = o->from;
	search->target_count = o->from_count;
	search->resume = search->state != NULL;
	if (!o->fit.repeats)
		o->fit.repeats = o->fit.ops->parallel ? 1 : 3;
	o->fit.warmups = o->fit.ops->parallel ? 0 : 1;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct fit_options *o = state->input;

	if (o->code && key != ARGP_KEY_END)
		return 0; /* the first mistake is the one that is told */
	switch (key) {
	case ARGP_KEY_ARG:
		if (!o->from_count) {
			o->code = error_set(o->error, ERR_USAGE,
				"'%s' is no option; files of series follow "
				"--from",
				argument);
			return 0;
		}
		key = KEY_FROM;
		break;
	case ARGP_KEY_END:
		if (!o->code)
			o->code = check_output(o);
		if (!o->code)
			o->code = find_source(o);
		if (!o->code)
			fill_in(o);
		return 0;
	default:
		if (key <= 0 || key >= 0x1000000)
			return ARGP_ERR_UNKNOWN;
		key = fit_key_now(key);
	}
	o->code = fit_key_given(o, key);
	if (!o->code)
		o->code = take(o, key, argument);
	return 0;
}

int fit_check_files(const struct calibrate_config *config, struct error *error)
{
	struct apart_file *files =
		calloc(config->target_count + 4, sizeof(*files));
	size_t i;
	int code;

	if (!files)
		return error_set(error, ERR_FAILED, "out of memory");
	files[0] = (struct apart_file){config->output, "-o", true};
	files[1] = (struct apart_file){config->points, "--errors", true};
	files[2] = (struct apart_file){config->state, "the state", true};
	files[3] = (struct apart_file){config->machine, "the machine", false};
	for (i = 0; i < config->target_count; i++)
		files[4 + i] = (struct apart_file){
			config->targets[i], "the target", false};
	code = apart_check(files, config->target_count + 4, error);
	free(files);
	if (!code)
		code = output_probe(config->output, error);
	if (!code && config->points)
		code = output_probe(config->points, error);
	return code;
}

int fit_options_read(int argc, char **argv, bool of_a_row,
	struct fit_options **options, struct error *error)
{
	static const struct argp argp = {fit_argp_options, parse, NULL,
		"Fit the model's machine to a GPU, which is measured, or to "
		"series that are there: what can be read off is read off, the "
		"rest is chosen or searched. Prints what each parameter is, "
		"how well it is known, what no series says, and the errors on "
		"what was fitted and on what was held out; without gain on "
		"what was held out the machine stays what it was. A fit that "
		"was interrupted goes on where it was when the same command "
		"is given again (to files: with --state).",
		NULL, NULL, NULL};
	const unsigned flags =
		of_a_row ? ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP : 0;
	struct fit_options *o = calloc(1, sizeof(*o));
	int code, refused;

	if (!o)
		return error_set(error, ERR_FAILED, "out of memory");
	o->error = error;
	o->of_a_row = of_a_row;
	o->seed = 1;
	o->jobs = host_cores();
	o->fit = (struct fit_config){
		.ops = backend_find("cuda"), .model = backend_find("sim")};
	o->search = (struct calibrate_config){.ops = backend_find("sim"),
		.hold_outs = o->hold_outs,
		.free = o->free};
	refused = argp_parse(&argp, argc, argv, flags, NULL, o);
	if (refused && !o->code)
		o->code = refused == ENOMEM
				  ? error_set(error, ERR_FAILED,
					    "out of memory for the options of "
					    "fit")
				  : error_set(error, ERR_USAGE,
					    "these are no words of 'nearfar "
					    "fit': an option is not known, or "
					    "its value is missing");
	code = o->code;
	if (code)
		free(o);
	else
		*options = o;
	return code;
}
