#include <stdlib.h>

#include "harness/base/output.h"
#include "harness/command/run_files.h"
#include "harness/keep/apart.h"

/* ---- before ---- */

static int check_apart(
	const struct run_options *o, const char *journal, struct error *error)
{
	const size_t programs = o->programs.count;
	struct apart_file *files = calloc(programs + 4, sizeof(*files));
	size_t i;
	int code;

	if (!files)
		return error_set(error, ERR_FAILED, "out of memory");
	files[0] = (struct apart_file){o->output, "-o", true};
	files[1] = (struct apart_file){o->raw, "--raw", true};
	files[2] = (struct apart_file){journal, "the journal", true};
	files[3] = (struct apart_file){o->machine, "the machine", false};
	for (i = 0; i < programs; i++)
		files[4 + i] = (struct apart_file){
			o->programs.paths[i], "the program", false};
	code = apart_check(files, programs + 4, error);
	free(files);
	return code;
}

int run_files_check(const struct run_options *o, struct error *error)
{
	const bool kept = o->output && kept_possible(o->output);
	char *journal = kept ? kept_path(o->output) : NULL;
	int code;

	if (kept && !journal)
		return error_set(error, ERR_FAILED, "out of memory");
	if (o->resume && !kept)
		code = error_set(error, ERR_USAGE,
			"--resume needs the file that is written (-o FILE): "
			"the journal stands beside it");
	else
		code = check_apart(o, journal, error);
	free(journal);
	if (!code && o->output)
		code = output_probe(o->output, error);
	if (!code && o->raw)
		code = output_probe(o->raw, error);
	return code;
}

/* ---- the journal ---- */

static void tell(const struct kept *kept)
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
	if (!o->output || !kept_possible(o->output))
		return 0;
	code = kept_open(kept, o->output, o->resume, config,
		&config->opened->facts, plans, plan_count, error);
	*there = !code;
	if (!code)
		tell(kept);
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
