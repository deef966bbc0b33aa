#include <stdlib.h>
#include <string.h>

#include "harness/base/output.h"
#include "harness/base/units.h"
#include "harness/command/command.h"
#include "harness/fingerprint/fingerprint.h"
#include "harness/host/host.h"
#include "harness/keep/stop.h"
#include "harness/options/options.h"
#include "harness/run/provenance.h"
#include "harness/run/registry.h"

#define LAST_WORDS "nearfar: interrupted; no fingerprint was written\n"
#define SETS_MAX   256

struct options {
	struct fingerprint_config config;
	const char *sets[SETS_MAX];
	unsigned device;
	const char *output;
};

static int take_backend(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct options *o = into;

	(void)row;
	o->config.ops = backend_find(text);
	return o->config.ops ? 0
			     : error_set(error, ERR_USAGE,
				       "there is no backend '%s' (`nearfar "
				       "list backends`)",
				       text);
}

static int take_set(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct options *o = into;

	(void)row;
	if (o->config.backend.set_count == SETS_MAX)
		return error_set(error, ERR_USAGE,
			"--set is given more than %d times", SETS_MAX);
	o->sets[o->config.backend.set_count++] = text;
	return 0;
}

static const struct options_row rows[] = {
	{"backend", 'b', TAKES_OWN, "NAME",
		"what is measured: sim or cuda (the default of this release)",
		.take = take_backend, .values = VALUES_BACKENDS,
		.example = "sim"},
	{"device", 0, TAKES_COUNT, "N", "index of the GPU",
		OPTIONS_AT(struct options, device), .most = 1024},
	{"machine", 'm', TAKES_TEXT, "MACHINE",
		"machine of the model: a name, or a FILE.yaml",
		OPTIONS_AT(struct options, config.backend.machine),
		.values = VALUES_MACHINES},
	{"set", 0, TAKES_OWN, "PARAMETER=VALUE",
		"change a parameter of the model's machine", .take = take_set,
		.values = VALUES_SETTINGS, .example = "sm_count=16"},
	{"name", 0, TAKES_TEXT, "NAME",
		"name of the device in a fleet (default: the UUID of the GPU, "
		"the name of the model's machine)",
		OPTIONS_AT(struct options, config.name),
		.example = "node7-gpu3"},
	{"repeats", 'r', TAKES_COUNT, "N",
		"runs of each point (default: cuda 5, sim 1)",
		OPTIONS_AT(struct options, config.repeats), .least = 1,
		.most = 1000},
	{"seed", 0, TAKES_COUNT, "N", "seed of rings and draws (default 1)",
		OPTIONS_AT(struct options, config.seed), .least = 1,
		.most = UINT32_MAX},
	{"jobs", 'j', TAKES_COUNT, "N", "workers of the model (default: cores)",
		OPTIONS_AT(struct options, config.jobs), .least = 1,
		.most = 4096},
	{"output", 'o', TAKES_TEXT, "FILE.json",
		"write there (default: standard output)",
		OPTIONS_AT(struct options, output), .values = VALUES_FILES},
	{0},
};

static const char *const examples[] = {
	"nearfar fingerprint -b cuda -o gpu0.json",
	"nearfar fingerprint -b sim -m h100-sxm -o model.json",
	NULL,
};

const struct options_table fingerprint_options = {
	.name = "fingerprint",
	.summary = "who a GPU is, and the figures that tell it from others",
	.about = "Take the fingerprint of a GPU, as JSON: who it is, and the "
		 "figures that tell it from others of its kind, each with its "
		 "interval: sides and SM map, home hash, slices, latencies "
		 "and rates of L1, L2, links, DRAM and atomics, DRAM part by "
		 "part. `nearfar fleet` keeps and compares fingerprints.",
	.rows = rows,
	.examples = examples,
};

/* The model has no use for what a GPU needs, and the other way round. */
static int check(const struct options *o, struct error *error)
{
	const struct backend_config *b = &o->config.backend;

	if (!o->config.ops->parallel && (b->machine || b->set_count))
		return error_set(error, ERR_USAGE,
			"-m and --set are the model's (-b sim)");
	return provenance_check(error);
}

static int take(struct options *o, FILE *out, struct error *error)
{
	struct fingerprint_config *c = &o->config;
	struct fingerprint fingerprint;
	int code;

	if (!c->repeats)
		c->repeats = c->ops->parallel ? 1 : 5;
	c->warmups = c->ops->parallel ? 0 : 1;
	c->backend.sets = o->sets;
	c->stop = c->backend.stop = stop_catch(LAST_WORDS);
	code = fingerprint_measure(c, &fingerprint, error);
	if (!code)
		code = fingerprint_write(&fingerprint, o->output, out, error);
	fingerprint_free(&fingerprint);
	return code;
}

int command_fingerprint(int argc, char **argv, FILE *out, struct error *error)
{
	struct options o = {0};
	int code;

	o.config = (struct fingerprint_config){.seed = 1, .jobs = host_cores()};
	code = options_parse(&fingerprint_options, argc, argv, NULL, &o, error);
	o.config.backend.device_index = (int)o.device;
	if (!code && !o.config.ops)
		o.config.ops = backend_unnamed(
			o.config.backend.machine || o.config.backend.set_count);
	if (!code)
		code = check(&o, error);
	if (!code && o.output)
		code = output_probe(o.output, error);
	return code ? code : take(&o, out, error);
}
