/* A calibration in shards: its words, a shard, and the machine in the end. */
#include <fnmatch.h>
#include <stdlib.h>

#include "harness/base/output.h"
#include "harness/command/fit/fit_shards.h"
#include "harness/keep/stop.h"

#define LAST_WORDS                                                             \
	"nearfar: interrupted; 'nearfar run --shard' goes on from the "        \
	"journal\n"

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

/* The words of a plan, understood: `argv` and `o` are the caller's to free. */
static int read_words(const struct split *split, char ***argv,
	struct fit_options **o, struct error *error)
{
	static char name[] = "nearfar fit";
	const size_t count = split->calibrate_count;
	size_t i;

	*o = NULL;
	*argv = calloc(count + 2, sizeof(**argv));
	if (!*argv)
		return no_memory(error);
	(*argv)[0] = name;
	for (i = 0; i < count; i++)
		(*argv)[1 + i] = split->calibrate[i];
	return fit_options_read((int)count + 1, *argv, true, o, error);
}

int calibrate_plan(
	const struct split *split, size_t *points, struct error *error)
{
	struct fit_options *o;
	char **argv;
	int code = read_words(split, &argv, &o, error);

	if (!code)
		code = calibrate_look(&o->search, points, error);
	free(o);
	free(argv);
	return code;
}

/* The others need this one's outcomes, and it theirs: the state is a journal in
   the folder of all. */
static int run(const struct split_place *place, struct calibrate_config *config,
	struct error *error)
{
	char *journal = split_path(place->folder, "%zu.journal", place->number);
	int code;

	if (!journal)
		return no_memory(error);
	config->folder = place->folder;
	config->shard = place->number;
	config->shard_count = place->split.shard_count;
	config->state = journal;
	config->resume = true;
	config->points = NULL;
	config->stop = stop_catch(LAST_WORDS);
	code = calibrate(config, stdout, error);
	if (code == ERR_INTERRUPTED)
		error_set(error, code,
			"interrupted; 'nearfar run --shard %s/%zu' goes on "
			"from here",
			place->folder, place->number);
	free(journal);
	return code;
}

int calibrate_shard(
	const struct split_place *place, unsigned jobs, struct error *error)
{
	struct fit_options *o;
	char **argv;
	int code = read_words(&place->split, &argv, &o, error);

	if (!code) {
		o->search.jobs = jobs;
		code = run(place, &o->search, error);
	}
	free(o);
	free(argv);
	return code;
}

int calibrate_merge(const char *folder, const struct split *split,
	const char *output, FILE *out, struct error *error)
{
	struct fit_options *o;
	char **argv;
	int code;

	if (!output || fnmatch("*.yaml", output, 0))
		return error_set(error, ERR_USAGE,
			"'%s' is a calibration's: its machine needs a file (-o "
			"MACHINE.yaml)",
			folder);
	code = read_words(split, &argv, &o, error);
	if (!code) {
		o->search.output = output;
		o->search.folder = folder;
		o->search.shard_count = split->shard_count;
		code = fit_check_files(&o->search, error);
	}
	if (!code)
		code = calibrate(&o->search, out, error);
	free(o);
	free(argv);
	return code;
}
