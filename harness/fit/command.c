#include <argp.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/units.h"
#include "harness/command/command.h"
#include "harness/fit/fit.h"
#include "harness/host/host.h"
#include "harness/keep/stop.h"
#include "harness/run/registry.h"

#define LAST_WORDS                                                             \
	"nearfar: interrupted; the same command goes on where it was\n"
#define MEASURING_SHARE 0.4 /* of --time, at most */
#define LEAST_S         10  /* of the fit, however long measuring took */

enum {
	KEY_TIME = 0x100,
	KEY_MEASURE,
	KEY_FROM,
	KEY_NEAREST,
	KEY_DEVICE,
	KEY_POINTS,
	KEY_ROWS
};

struct options {
	struct fit_config config;
	const char *measure, *from;
	char *folder; /* owned; NULL: the user named it */
	bool repeats_given;
	struct error *error;
	int code;
};

static const struct argp_option argp_options[] = {
	{"backend", 'b', "NAME", 0, "what is measured: cuda (default) or sim",
		0},
	{"device", KEY_DEVICE, "N", 0, "index of the GPU", 0},
	{"machine", 'm', "MACHINE", 0,
		"with -b sim: the machine that is measured", 0},
	{"measure", KEY_MEASURE, "FOLDER", 0,
		"measure only, into this folder; what stands there is not "
		"measured again",
		0},
	{"from", KEY_FROM, "FOLDER", 0,
		"fit only, to what was measured into this folder; needs no GPU",
		0},
	{"nearest", KEY_NEAREST, "MACHINE", 0,
		"what no series says is this machine's (default: the known "
		"machine nearest to the device)",
		0},
	{"rows", KEY_ROWS, "PATTERN,...", 0,
		"only these rows of what is measured (default: all)", 0},
	{"time", KEY_TIME, "TIME", 0,
		"time for all of it, such as 20m or 90s (default: no limit; "
		"the result then depends on the machine's speed)",
		0},
	{"repeats", 'r', "N", 0, "runs of each point (default: cuda 3, sim 1)",
		0},
	{"seed", 's', "N", 0, "seed of rings and draws (default 1)", 0},
	{"jobs", 'j', "N", 0, "workers of the model (default: cores)", 0},
	{"points", KEY_POINTS, "FILE", 0,
		"write the error of every point as CSV", 0},
	{"output", 'o', "MACHINE.yaml", 0,
		"write the machine there; what was measured stands in "
		"MACHINE.fit beside it, unless a folder is named",
		0},
	{0},
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- options ---- */

static unsigned parse_count(struct options *o, const char *option,
	const char *text, uint64_t least, uint64_t most)
{
	uint64_t value = 0;
	int code = units_parse_count_within(
		option, text, least, most, &value, o->error);

	if (code && !o->code)
		o->code = code;
	return (unsigned)value;
}

/* Seconds of "20m", "90s" or "1h". */
static double parse_time(struct options *o, const char *text)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	char *end;
	double value = strtod(text, &end);
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end > text && end[0] == units[i].unit && !end[1] &&
			value > 0 && value < 1e6)
			return value * units[i].seconds;
	if (!o->code)
		o->code = error_set(o->error, ERR_USAGE,
			"--time: '%s' is no time such as 20m, 90s or 1h", text);
	return 0;
}

static void set_backend(struct options *o, const char *name)
{
	o->config.ops = backend_find(name);
	if (!o->config.ops && !o->code)
		o->code = error_set(o->error, ERR_USAGE,
			"there is no backend '%s' (`nearfar list backends`)",
			name);
}

static void check(struct options *o, struct argp_state *state)
{
	if (o->measure && o->from)
		argp_error(state, "--measure and --from are the two halves: "
				  "one of them, or neither");
	if (!o->measure &&
		(!o->config.output || fnmatch("*.yaml", o->config.output, 0)))
		argp_error(state, "the machine needs a file (-o MACHINE.yaml)");
	if (o->measure && o->config.output)
		argp_error(state, "--measure writes no machine: without -o");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;
	struct fit_config *c = &o->config;

	switch (key) {
	case 'b':
		set_backend(o, argument);
		return 0;
	case KEY_DEVICE:
		c->backend.device_index =
			(int)parse_count(o, "--device", argument, 0, 1024);
		return 0;
	case 'm':
		c->backend.machine = argument;
		return 0;
	case KEY_MEASURE:
		o->measure = argument;
		return 0;
	case KEY_FROM:
		o->from = argument;
		return 0;
	case KEY_NEAREST:
		c->nearest = argument;
		return 0;
	case KEY_ROWS:
		c->rows = argument;
		return 0;
	case KEY_TIME:
		c->seconds = parse_time(o, argument);
		return 0;
	case 'r':
		c->repeats = parse_count(o, "-r", argument, 1, 1000);
		return 0;
	case 's':
		c->seed = parse_count(o, "-s", argument, 1, UINT32_MAX);
		return 0;
	case 'j':
		c->jobs = parse_count(o, "-j", argument, 1, 4096);
		return 0;
	case KEY_POINTS:
		c->points = argument;
		return 0;
	case 'o':
		c->output = argument;
		return 0;
	case ARGP_KEY_END:
		check(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the command ---- */

/* "mychip.fit" beside "mychip.yaml". */
static int choose_folder(struct options *o)
{
	const char *output = o->config.output;

	o->config.folder = o->measure ? o->measure : o->from;
	if (o->config.folder)
		return 0;
	if (asprintf(&o->folder, "%.*s.fit", (int)(strlen(output) - 5),
		    output) < 0) {
		o->folder = NULL;
		return error_set(o->error, ERR_FAILED, "out of memory");
	}
	o->config.folder = o->folder;
	return 0;
}

static int run_halves(struct options *o, FILE *out)
{
	struct fit_config *c = &o->config;
	const double all_s = c->seconds, begun_s = now_s();
	double left_s;
	int code = 0;

	if (!o->from) {
		if (!o->measure)
			c->seconds = all_s * MEASURING_SHARE;
		code = fit_measure(c, out, o->error);
	}
	if (code || o->measure)
		return code;
	left_s = all_s > 0 ? fmax(all_s - (now_s() - begun_s), LEAST_S) : 0;
	return fit_machine(c, left_s, out, o->error);
}

int command_fit(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, NULL,
		"Measure a GPU and fit the model's machine to it: geometry, "
		"latencies, rates and rules. Prints what was found, how well "
		"it is known, what no series says, and the errors on what was "
		"fitted and on what was held out. An interrupted fit goes on "
		"where it was when the same command is given again.",
		NULL, NULL, NULL};
	struct options o = {.error = error};
	int code;

	o.config = (struct fit_config){
		.ops = backend_find("cuda"),
		.model = backend_find("sim"),
		.seed = 1,
		.jobs = host_cores(),
	};
	if (argp_parse(&argp, argc, argv, 0, NULL, &o) && !o.code)
		o.code = error_set(error, ERR_FAILED,
			"out of memory for the options of fit");
	code = o.code ? o.code : choose_folder(&o);
	if (!code) {
		if (!o.config.repeats)
			o.config.repeats = o.config.ops->parallel ? 1 : 3;
		o.config.warmups = o.config.ops->parallel ? 0 : 1;
		o.config.stop = o.config.backend.stop = stop_catch(LAST_WORDS);
		code = run_halves(&o, out);
	}
	free(o.folder);
	return code;
}
