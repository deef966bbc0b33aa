#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/output.h"
#include "harness/command/run/run_files.h"
#include "harness/command/run/run_profiles.h"
#include "harness/keep/distinct.h"
#include "harness/timeline/chrome.h"

/* ---- before ---- */

static int check_apart(
	const struct run_options *o, const char *journal, struct error *error)
{
	const size_t programs = o->programs.count, jobs = o->kernels.count;
	const size_t count = 9 + programs + jobs + o->dump_count;
	struct distinct_file *files = calloc(count, sizeof(*files)),
			     *at = files;
	size_t i;
	int code;

	if (!files)
		return error_set(error, ERR_FAILED, "out of memory");
	*at++ = (struct distinct_file){o->output, "-o", true};
	*at++ = (struct distinct_file){o->raw, "--raw", true};
	*at++ = (struct distinct_file){journal, "the journal", true};
	*at++ = (struct distinct_file){o->machine, "the machine", false};
	*at++ = (struct distinct_file){o->digests, "--digests", true};
	*at++ = (struct distinct_file){o->profile, "--profile", true};
	*at++ = (struct distinct_file){o->trace.path, "--trace", true};
	*at++ = (struct distinct_file){o->check, "--check", false};
	*at++ = (struct distinct_file){o->like, "--like", false};
	for (i = 0; i < programs; i++)
		*at++ = (struct distinct_file){
			o->programs.paths[i], "the program", false};
	for (i = 0; i < jobs; i++)
		*at++ = (struct distinct_file){
			o->kernels.paths[i], "the job", false};
	for (i = 0; i < o->dump_count; i++)
		*at++ = (struct distinct_file){
			o->dumps[i].path, "--dump", true};
	code = distinct_check(files, count, error);
	free(files);
	return code;
}

/* What was measured once is not lost by a word that is said twice. An empty
   file holds nothing. */
static int check_new(const struct run_options *o, const char *path,
	const char *option, const char *journal, struct error *error)
{
	struct stat is;

	if (!path || o->force || o->resume || stat(path, &is) ||
		!S_ISREG(is.st_mode) || !is.st_size)
		return 0;
	return error_set(error, ERR_USAGE,
		"%s: '%s' is there already: --force writes over it%s", option,
		path,
		journal && !access(journal, F_OK)
			? ", --resume goes on with the journal"
			: "");
}

/* A job is one task: it is run again as a whole. */
static bool has_journal(const struct run_options *o)
{
	return o->output && kept_possible(o->output) && !o->kernels.count;
}

int run_files_check(const struct run_options *o, struct error *error)
{
	const bool kept = has_journal(o);
	char *journal = kept ? kept_path(o->output) : NULL;
	int code;

	if (kept && !journal)
		return error_set(error, ERR_FAILED, "out of memory");
	if (o->resume && o->kernels.count)
		code = error_set(error, ERR_USAGE,
			"--resume and --kernel do not go together: jobs have "
			"no journal");
	else if (o->resume && !kept)
		code = error_set(error, ERR_USAGE,
			"--resume needs the file that is written (-o FILE): "
			"the journal stands beside it");
	else
		code = check_apart(o, journal, error);
	if (!code)
		code = check_new(o, o->output, "-o", journal, error);
	if (!code)
		code = check_new(o, o->raw, "--raw", journal, error);
	free(journal);
	if (!code && o->output)
		code = output_probe(o->output, error);
	if (!code && o->raw)
		code = output_probe(o->raw, error);
	if (!code && o->profile)
		code = output_probe(o->profile, error);
	if (!code && o->trace.path)
		code = output_probe(o->trace.path, error);
	return code;
}

/* ---- the journal ---- */

void run_files_tell(const struct kept *kept)
{
	size_t i, finished = 0;

	if (*kept->journal.words)
		fprintf(stderr, "nearfar: %s\n", kept->journal.words);
	for (i = 0; i < kept->count; i++)
		finished += !kept->items[i].failed;
	if (finished)
		fprintf(stderr,
			"nearfar: %zu finished points come from the journal "
			"'%s'\n",
			finished, kept->journal.path);
}

int run_files_open(const struct run_options *o, const struct run_config *config,
	const struct plan *plans, size_t plan_count, struct kept *kept,
	bool *there, struct error *error)
{
	int code;

	*there = false;
	if (!has_journal(o))
		return 0;
	code = kept_open(
		kept, o->output, o->resume, config, plans, plan_count, error);
	*there = !code;
	if (!code)
		run_files_tell(kept);
	return code;
}

/* ---- after ---- */

int run_files_write(const struct run_options *o, const struct series_list *list,
	FILE *out, struct error *error)
{
	int code = 0;

	if (o->raw)
		code = series_write_raw(list, o->raw, error);
	if (code)
		return code;
	if (o->output)
		return series_write_file(list, o->format, o->output, error);
	return series_write(list, o->format, out, error);
}

int run_files_write_trace(const struct run_options *o, const struct plan *plan,
	const struct series_list *list, const struct timeline *timeline,
	struct error *error)
{
	char machine[RUN_MACHINE_BYTES] = "";
	const char *device;
	struct chrome_about about = {
		.ran = plan->job ? plan->job->name : plan->name,
		.backend = o->ops->name,
		.machine = machine,
		.job = plan->job,
	};

	if (timeline->clock_hz == 0)
		return 0; /* nothing has begun */
	if (list->count) {
		device = facts_find(&list->items[0].provenance, "device.name");
		run_machine_words(&list->items[0].provenance, machine);
		about.machine = o->ops->parallel || !device ? machine : device;
	}
	if (timeline->left_out)
		fprintf(stderr,
			"nearfar: the trace is full: %" PRIu64
			" further events are left out (--trace-limit, "
			"--trace-window)\n",
			timeline->left_out);
	return chrome_write_file(timeline, &about, o->trace.path, error);
}
