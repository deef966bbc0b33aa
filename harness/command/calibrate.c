#include <argp.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/output.h"
#include "harness/command/calibrate.h"
#include "harness/command/command.h"
#include "harness/keep/apart.h"
#include "harness/keep/stop.h"
#include "harness/host/host.h"
#include "harness/run/registry.h"
#include "harness/base/units.h"

/* Of a process that is between two looks at the flag. */
#define LAST_WORDS                                                             \
	"nearfar: interrupted; --resume goes on from the state file\n"

enum {
	KEY_TARGET = 0x100,
	KEY_HOLD_OUT,
	KEY_HOLD_OUT_POINTS,
	KEY_FREE,
	KEY_BUDGET,
	KEY_SEED,
	KEY_RESUME,
	KEY_POINTS,
	KEY_NEXT,
	KEY_STATS,
};

static const struct argp_option argp_options[] = {
	{"target", KEY_TARGET, "FILE...", 0,
		"series to fit to; more files may follow", 0},
	{"hold-out", KEY_HOLD_OUT, "BENCH[:KEY=VALUE]...", 0,
		"series that are not fitted, only compared; a value may be a "
		"pattern",
		0},
	{"hold-out-points", KEY_HOLD_OUT_POINTS, "N", 0,
		"hold out every Nth point of the other series, but for their "
		"ends",
		0},
	{"free", KEY_FREE, "PATTERN", 0,
		"parameters that may move (default: all that can be fitted)",
		0},
	{"machine", 'm', "MACHINE", 0, "where to begin: a name, or a FILE.yaml",
		0},
	{"budget", KEY_BUDGET, "N|SECONDSs", 0,
		"evaluations of all fits together, or seconds of "
		"both stages and the intervals "
		"('600s'; the result then depends on the machine's speed)",
		0},
	{"seed", KEY_SEED, "N", 0, "seed of the searches (default 1)", 0},
	{"jobs", 'j', "N", 0, "workers (default: cores)", 0},
	{"resume", KEY_RESUME, "STATE.json", 0,
		"keep what was run in this file, and do not run again what "
		"stands there",
		0},
	{"output", 'o', "MACHINE.yaml", 0, "write the machine there", 0},
	{"points", KEY_POINTS, "FILE", 0,
		"write the error of every point as CSV", 0},
	{"next", KEY_NEXT, NULL, 0,
		"print what to measure next: the command that informs each "
		"parameter which the targets leave open, dearest first",
		0},
	{"stats", KEY_STATS, NULL, 0,
		"print the time of each series to standard error", 0},
	{0},
};

/* ---- options ---- */

static void add_word(const char **words, size_t *count, const char *word,
	struct argp_state *state)
{
	if (*count == CALIBRATE_WORDS_MAX)
		argp_error(state, "at most %d of a kind are taken",
			CALIBRATE_WORDS_MAX);
	words[(*count)++] = word;
}

/* At least 1. */
static unsigned parse_count(struct calibrate_options *o, const char *option,
	const char *text, uint64_t most)
{
	uint64_t value = 0;
	int code = units_parse_count_within(
		option, text, 1, most, &value, o->error);

	if (code && !o->code)
		o->code = code;
	return (unsigned)value;
}

static void parse_budget(struct calibrate_options *o, const char *text)
{
	const size_t length = strlen(text);
	char number[32];

	if (!length || text[length - 1] != 's') {
		o->config.evaluations =
			parse_count(o, "--budget", text, 1000000000);
		return;
	}
	snprintf(number, sizeof(number), "%.*s",
		(int)(length < sizeof(number) ? length - 1 : 31), text);
	if (units_parse_real(number, &o->config.seconds, o->error) ||
		!(o->config.seconds > 0))
		o->code = error_set(o->error, ERR_USAGE,
			"--budget: '%s' is neither a number of evaluations nor "
			"of seconds such as '600s'",
			text);
	else if (o->in_shards)
		o->code = error_set(o->error, ERR_USAGE,
			"--budget: shards that do one search need a number of "
			"evaluations, not seconds");
}

static void require(const struct calibrate_options *o, struct argp_state *state)
{
	const struct calibrate_config *config = &o->config;

	if (!config->target_count)
		argp_error(state, "a target is needed (--target FILE)");
	if (o->in_shards)
		return;
	if (!config->output || fnmatch("*.yaml", config->output, 0))
		argp_error(state, "the machine needs a file (-o MACHINE.yaml)");
}

/* What does not go into the words of a plan, and who says it instead. */
static void refuse_in_shards(int key, struct argp_state *state)
{
	static const struct {
		int key;
		const char *word, *instead;
	} rows[] = {
		{'o', "-o", "'nearfar merge DIR -o MACHINE.yaml' writes it"},
		{'j', "-j", "'nearfar run --shard DIR/N -j JOBS' says it"},
		{KEY_RESUME, "--resume",
			"each shard keeps a journal of its own"},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].key == key)
			argp_error(state,
				"%s does not go into a calibration in shards: "
				"%s",
				rows[i].word, rows[i].instead);
}

/* Words of which there may be several. */
static void parse_list(struct calibrate_options *o, int key, char *argument,
	struct argp_state *state)
{
	struct calibrate_config *config = &o->config;

	if (key == KEY_HOLD_OUT)
		add_word(
			o->hold_outs, &config->hold_out_count, argument, state);
	else if (key == KEY_FREE)
		add_word(o->free, &config->free_count, argument, state);
	else
		add_word(o->targets, &config->target_count, argument, state);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct calibrate_options *o = state->input;
	struct calibrate_config *config = &o->config;

	if (o->code)
		return 0; /* the first mistake is the one that is told */
	if (o->in_shards)
		refuse_in_shards(key, state);
	switch (key) {
	case ARGP_KEY_ARG:
		if (!config->target_count)
			argp_error(state,
				"'%s' is no option; targets follow --target",
				argument);
		/* fall through */
	case KEY_TARGET:
	case KEY_HOLD_OUT:
	case KEY_FREE:
		parse_list(o, key, argument, state);
		return 0;
	case KEY_HOLD_OUT_POINTS:
		config->hold_out_every =
			parse_count(o, "--hold-out-points", argument, 1000000);
		return 0;
	case 'm':
		config->machine = argument;
		return 0;
	case KEY_BUDGET:
		parse_budget(o, argument);
		return 0;
	case KEY_SEED:
		config->seed = parse_count(o, "--seed", argument, UINT32_MAX);
		return 0;
	case 'j':
		config->jobs = parse_count(o, "-j", argument, 4096);
		return 0;
	case KEY_RESUME:
		config->state = argument;
		config->resume = true;
		return 0;
	case 'o':
		config->output = argument;
		return 0;
	case KEY_POINTS:
		config->points = argument;
		return 0;
	case KEY_NEXT:
		config->next = true;
		return 0;
	case KEY_STATS:
		config->stats = true;
		return 0;
	case ARGP_KEY_END:
		require(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Without --resume the state stands beside the output while it is needed. */
static int choose_state(
	struct calibrate_config *config, char **state, struct error *error)
{
	*state = NULL;
	if (config->state)
		return 0;
	if (asprintf(state, "%s.state.json", config->output) < 0) {
		*state = NULL;
		return error_set(error, ERR_FAILED, "out of memory");
	}
	config->state = *state;
	return 0;
}

int calibrate_check_files(
	const struct calibrate_config *config, struct error *error)
{
	struct apart_file *files =
		calloc(config->target_count + 4, sizeof(*files));
	size_t i;
	int code;

	if (!files)
		return error_set(error, ERR_FAILED, "out of memory");
	files[0] = (struct apart_file){config->output, "-o", true};
	files[1] = (struct apart_file){config->points, "--points", true};
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

int calibrate_options_read(int argc, char **argv, bool in_shards,
	struct calibrate_options **options, struct error *error)
{
	static const struct argp argp = {argp_options, parse, NULL,
		"Fit the model's machine to measured series: what can be read "
		"off is read off, the rest is searched. Prints what each "
		"parameter is, how well it is known, and the errors on what "
		"was fitted and on what was held out. 'nearfar plan "
		"--calibrate' has many processes do it.",
		NULL, NULL, NULL};
	struct calibrate_options *o = calloc(1, sizeof(*o));
	int code;

	if (!o)
		return error_set(error, ERR_FAILED, "out of memory");
	o->error = error;
	o->in_shards = in_shards;
	o->config = (struct calibrate_config){
		.ops = backend_find("sim"),
		.targets = o->targets,
		.hold_outs = o->hold_outs,
		.free = o->free,
		.seed = 1,
		.jobs = host_cores(),
	};
	if (argp_parse(&argp, argc, argv, 0, NULL, o) && !o->code)
		o->code = error_set(error, ERR_FAILED,
			"out of memory for the options of calibrate");
	code = o->code;
	if (code)
		free(o);
	else
		*options = o;
	return code;
}

int command_calibrate(int argc, char **argv, FILE *out, struct error *error)
{
	struct calibrate_options *o = NULL;
	char *state = NULL;
	int code = calibrate_options_read(argc, argv, false, &o, error);

	if (code)
		return code;
	code = choose_state(&o->config, &state, error);
	if (!code)
		code = calibrate_check_files(&o->config, error);
	if (!code) {
		o->config.stop = stop_catch(LAST_WORDS);
		code = calibrate(&o->config, out, error);
	}
	if (code == ERR_INTERRUPTED)
		error_set(error, code,
			"interrupted; --resume goes on from '%s'",
			o->config.state);
	if (!code && state)
		remove(state);
	free(state);
	free(o);
	return code;
}
