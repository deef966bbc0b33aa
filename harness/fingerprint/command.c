#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/output.h"
#include "harness/base/units.h"
#include "harness/command/command.h"
#include "harness/fingerprint/fingerprint.h"
#include "harness/host/host.h"
#include "harness/keep/stop.h"
#include "harness/run/provenance.h"
#include "harness/run/registry.h"

#define LAST_WORDS "nearfar: interrupted; no fingerprint was written\n"
#define SETS_MAX   256

enum { KEY_DEVICE = 0x100, KEY_NAME, KEY_SET, KEY_SEED };

struct options {
	struct fingerprint_config config;
	const char *sets[SETS_MAX];
	const char *output;
	struct error *error;
	int code;
};

static const struct argp_option argp_options[] = {
	{"backend", 'b', "NAME", 0, "cuda (default) or sim", 0},
	{"device", KEY_DEVICE, "N", 0, "index of the GPU", 0},
	{"machine", 'm', "MACHINE", 0,
		"with -b sim: machine of the model, a name or a FILE.yaml", 0},
	{"set", KEY_SET, "PARAMETER=VALUE", 0,
		"with -b sim: change a parameter of the machine", 0},
	{"name", KEY_NAME, "NAME", 0,
		"name of the device in a fleet (default: the UUID of the GPU, "
		"the name of the model's machine)",
		0},
	{"repeats", 'r', "N", 0, "runs of each point (default: cuda 5, sim 1)",
		0},
	{"seed", KEY_SEED, "N", 0, "seed of rings and draws (default 1)", 0},
	{"jobs", 'j', "N", 0, "workers of the model (default: cores)", 0},
	{"output", 'o', "FILE.json", 0,
		"write there (default: standard output)", 0},
	{0},
};

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

static void set_backend(struct options *o, const char *name)
{
	o->config.ops = backend_find(name);
	if (!o->config.ops && !o->code)
		o->code = error_set(o->error, ERR_USAGE,
			"there is no backend '%s' (`nearfar list backends`)",
			name);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;
	struct fingerprint_config *c = &o->config;

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
	case KEY_SET:
		if (c->backend.set_count == SETS_MAX)
			argp_error(state, "--set is given more than %d times",
				SETS_MAX);
		o->sets[c->backend.set_count++] = argument;
		return 0;
	case KEY_NAME:
		c->name = argument;
		return 0;
	case 'r':
		c->repeats = parse_count(o, "-r", argument, 1, 1000);
		return 0;
	case KEY_SEED:
		c->seed = parse_count(o, "--seed", argument, 1, UINT32_MAX);
		return 0;
	case 'j':
		c->jobs = parse_count(o, "-j", argument, 1, 4096);
		return 0;
	case 'o':
		o->output = argument;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is one argument too many", argument);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The model has no use for what a GPU needs, and the other way round. */
static int check(const struct options *o)
{
	const struct backend_config *b = &o->config.backend;

	if (!o->config.ops->parallel && (b->machine || b->set_count))
		return error_set(o->error, ERR_USAGE,
			"-m and --set are the model's (-b sim)");
	return provenance_check(o->error);
}

static int take(struct options *o, FILE *out)
{
	struct fingerprint_config *c = &o->config;
	struct fingerprint fingerprint;
	int code;

	if (!c->repeats)
		c->repeats = c->ops->parallel ? 1 : 5;
	c->warmups = c->ops->parallel ? 0 : 1;
	c->backend.sets = o->sets;
	c->stop = c->backend.stop = stop_catch(LAST_WORDS);
	code = fingerprint_measure(c, &fingerprint, o->error);
	if (!code)
		code = fingerprint_write(
			&fingerprint, o->output, out, o->error);
	fingerprint_free(&fingerprint);
	return code;
}

int command_fingerprint(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, NULL,
		"Take the fingerprint of a GPU, as JSON: who it is, and the "
		"figures that tell it from others of its kind, each with its "
		"interval: sides and SM map, home hash, slices, latencies and "
		"rates of L1, L2, links, DRAM and atomics, DRAM part by part. "
		"`nearfar fleet` keeps and compares fingerprints.",
		NULL, NULL, NULL};
	struct options o = {.error = error};
	int code;

	o.config = (struct fingerprint_config){
		.ops = backend_find("cuda"), .seed = 1, .jobs = host_cores()};
	if (argp_parse(&argp, argc, argv, 0, NULL, &o) && !o.code)
		o.code = error_set(error, ERR_FAILED,
			"out of memory for the options of fingerprint");
	code = o.code ? o.code : check(&o);
	if (!code && o.output)
		code = output_probe(o.output, error);
	return code ? code : take(&o, out);
}
