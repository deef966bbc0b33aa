#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/output.h"
#include "harness/base/units.h"
#include "harness/command/fit/fit_options.h"
#include "harness/command/fit/fit_words.h"
#include "harness/host/host.h"
#include "harness/keep/distinct.h"
#include "harness/run/registry.h"

/* ---- which options go with what is fitted to ---- */

#define OF(source) (1u << (source))
#define OF_ANY     (~0u)
#define MEASURED   (OF(FIT_OF_DEVICE) | OF(FIT_OF_FOLDER))

static const struct {
	const char *name;
	unsigned sources;
	const char *instead; /* in a row of a suite; NULL: it may be there */
} allowed[] = {
	{"backend", OF(FIT_OF_DEVICE), NULL},
	{"device", OF(FIT_OF_DEVICE), NULL},
	{"machine", OF(FIT_OF_DEVICE) | OF(FIT_OF_FILES), NULL},
	{"measure", OF(FIT_OF_DEVICE), NULL},
	{"repeats", OF(FIT_OF_DEVICE), NULL},
	{"only", MEASURED, NULL},
	{"hold-out", OF(FIT_OF_FILES), NULL},
	{"hold-out-points", OF(FIT_OF_FILES), NULL},
	{"free", OF(FIT_OF_FILES), NULL},
	{"next", OF(FIT_OF_FILES), NULL},
	{"stats", OF(FIT_OF_FILES), NULL},
	{"state", OF(FIT_OF_FILES), "each part keeps a journal of its own"},
	{"output", OF_ANY, "'nearfar merge' writes the machine"},
	{"jobs", OF_ANY, "'nearfar run --suite' says it"},
};
#define ALLOWED_COUNT (sizeof(allowed) / sizeof(allowed[0]))

static const char *const source_names[] = {
	"a device", "the folder of a measurement", "files of series"};

static int before(
	void *into, const struct options_row *row, struct error *error)
{
	struct fit_options *o = into;
	size_t i;

	for (i = 0; row && row->name && i < ALLOWED_COUNT; i++) {
		if (strcmp(allowed[i].name, row->name) != 0)
			continue;
		o->given |= 1u << i;
		if (o->of_a_row && allowed[i].instead)
			return error_set(error, ERR_USAGE,
				"--%s does not go into a row of a suite: %s",
				allowed[i].name, allowed[i].instead);
	}
	return 0;
}

static int check_given(const struct fit_options *o, struct error *error)
{
	size_t i;

	for (i = 0; i < ALLOWED_COUNT; i++)
		if (o->given >> i & 1 && !(allowed[i].sources & OF(o->source)))
			return error_set(error, ERR_USAGE,
				"--%s does not go with a fit to %s",
				allowed[i].name, source_names[o->source]);
	return 0;
}

/* ---- what is fitted to ---- */

static bool is_folder(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static int add_more(struct fit_options *o, struct error *error)
{
	size_t i;
	int code = 0;

	if (o->more.count && !o->from_count)
		return error_set(error, ERR_USAGE,
			"'%s' is no option; files of series follow --from",
			o->more.items[0]);
	for (i = 0; !code && i < o->more.count; i++)
		code = fit_words_add(
			o->from, &o->from_count, o->more.items[i], error);
	return code;
}

static int find_source(struct fit_options *o, struct error *error)
{
	size_t i;

	o->source = o->from_count ? FIT_OF_FILES : FIT_OF_DEVICE;
	for (i = 0; i < o->from_count; i++)
		if (is_folder(o->from[i]))
			o->source = FIT_OF_FOLDER;
	if (o->source == FIT_OF_FOLDER && o->from_count > 1)
		return error_set(
			error, ERR_USAGE, "--from takes one folder, or files");
	if (o->of_a_row && o->source != FIT_OF_FILES)
		return error_set(error, ERR_USAGE,
			"a fit in a row of a suite is to files (--from FILE)");
	if (o->of_a_row && o->seconds > 0)
		return error_set(error, ERR_USAGE,
			"--budget: parts that do one search need a number of "
			"evaluations, not a time");
	if (o->evaluations && o->source != FIT_OF_FILES)
		return error_set(error, ERR_USAGE,
			"--budget: a fit to %s takes a time, such as 20m",
			source_names[o->source]);
	return check_given(o, error);
}

static int check_output(const struct fit_options *o, struct error *error)
{
	if (o->measure && o->from_count)
		return error_set(error, ERR_USAGE,
			"--measure and --from are the two halves: one of them, "
			"or neither");
	if (o->measure && o->output)
		return error_set(error, ERR_USAGE,
			"--measure writes no machine: without -o");
	if (!o->measure && !o->of_a_row &&
		(!o->output || fnmatch("*.yaml", o->output, 0)))
		return error_set(error, ERR_USAGE,
			"the machine needs a file (-o MACHINE.yaml)");
	return 0;
}

/* What both kinds of fit have, into each. */
static void fill_in(struct fit_options *o)
{
	struct search_config *search = &o->search;

	if (o->source == FIT_OF_FILES && o->fit.backend.machine) {
		if (!o->nearest)
			o->nearest = o->fit.backend.machine;
		fputs("nearfar: with --from FILE, --machine is called "
		      "--nearest now\n",
			stderr);
	}
	o->fit.backend.device_index = (int)o->device;
	o->fit.output = search->output = o->output;
	o->fit.points = search->points = o->errors;
	o->fit.seconds = search->seconds = o->seconds;
	o->fit.jobs = search->jobs = o->jobs;
	o->fit.seed = (uint32_t)o->seed;
	search->seed = o->seed;
	o->fit.nearest = search->machine = o->nearest;
	search->evaluations = o->evaluations;
	search->hold_outs = o->hold_outs;
	search->free = o->free;
	search->targets = o->from;
	search->target_count = o->from_count;
	search->resume = search->state != NULL;
	if (!o->fit.repeats)
		o->fit.repeats = o->fit.ops->parallel ? 1 : 3;
	o->fit.warmups = o->fit.ops->parallel ? 0 : 1;
}

int fit_check_files(const struct search_config *config, struct error *error)
{
	struct distinct_file *files =
		calloc(config->target_count + 4, sizeof(*files));
	size_t i;
	int code;

	if (!files)
		return error_set(error, ERR_FAILED, "out of memory");
	files[0] = (struct distinct_file){config->output, "-o", true};
	files[1] = (struct distinct_file){config->points, "--errors", true};
	files[2] = (struct distinct_file){config->state, "the state", true};
	files[3] =
		(struct distinct_file){config->machine, "the machine", false};
	for (i = 0; i < config->target_count; i++)
		files[4 + i] = (struct distinct_file){
			config->targets[i], "the target", false};
	code = distinct_check(files, config->target_count + 4, error);
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
	struct fit_options *o = calloc(1, sizeof(*o));
	int code;

	if (!o)
		return error_set(error, ERR_FAILED, "out of memory");
	o->of_a_row = of_a_row;
	o->seed = 1;
	o->jobs = host_cores();
	o->fit = (struct fit_config){.model = backend_find("sim")};
	o->search = (struct search_config){.ops = backend_find("sim")};
	code = of_a_row ? options_parse_words(
				  &fit_options, argc, argv, before, o, error)
			: options_parse(
				  &fit_options, argc, argv, before, o, error);
	if (!code)
		code = add_more(o, error);
	if (!code)
		code = check_output(o, error);
	if (!code)
		code = find_source(o, error);
	if (code) {
		free(o);
		return code;
	}
	if (!o->fit.ops && o->source == FIT_OF_DEVICE)
		o->fit.ops = backend_unnamed(o->fit.backend.machine);
	else if (!o->fit.ops)
		o->fit.ops = backend_find("cuda");
	fill_in(o);
	*options = o;
	return 0;
}
