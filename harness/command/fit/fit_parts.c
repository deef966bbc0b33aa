/* A fit in the parts of a suite: its words, a part, and the machine. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/command/fit/fit_options.h"
#include "harness/command/fit/fit_parts.h"
#include "harness/keep/stop.h"

#define LAST_WORDS "nearfar: interrupted; the same command goes on\n"

static int no_memory(struct error *error)
{
	return error_set(error, ERR_FAILED, "out of memory");
}

/* The first word, "fit", stands for the command's name. */
static int read_words(const struct split_row *row, struct fit_options **o,
	struct error *error)
{
	int code;

	*o = NULL;
	code = fit_options_read(
		(int)row->word_count, row->words, true, o, error);
	return code ? error_prefix(error, code, "row '%s': ", row->name) : 0;
}

int fit_parts_look(
	const struct split_row *row, size_t *points, struct error *error)
{
	struct fit_options *o;
	int code = read_words(row, &o, error);

	if (!code)
		code = search_look(&o->search, points, error);
	free(o);
	return code;
}

/* ---- the folder of a row ---- */

static int make_folder(const char *path, struct error *error)
{
	if (!mkdir(path, 0777) || errno == EEXIST)
		return 0;
	return error_set(error, ERR_FAILED, "cannot make the folder '%s': %s",
		path, strerror(errno));
}

/* N of the name ROW-of-N; 0 of another name. */
static size_t count_of(const struct split_row *row, const char *name)
{
	const size_t length = strlen(row->name);

	if (strncmp(name, row->name, length) ||
		strncmp(name + length, "-of-", 4))
		return 0;
	name += length + 4;
	return name[strspn(name, "0123456789")] ? 0 : strtoul(name, NULL, 10);
}

/* How many parts work on the row, of which there is one folder. */
static int find_count(const struct split_row *row, const char *folder,
	size_t *count, struct error *error)
{
	struct dirent **entries = NULL;
	int listed = scandir(folder, &entries, NULL, alphasort), seen = 0, i;
	size_t found = 0;

	if (listed < 0 && errno == ENOMEM)
		return error_set(error, ERR_FAILED, "out of memory");
	for (i = 0; i < listed; i++) {
		const size_t parts = count_of(row, entries[i]->d_name);

		found = parts ? parts : found;
		seen += parts != 0;
		free(entries[i]);
	}
	free(entries);
	*count = found;
	if (seen == 1 && found <= PARTS_MAX)
		return 0;
	return error_set(error, ERR_FAILED,
		seen > 1 ? "the fit '%s' was begun in several numbers of parts "
			   "in '%s'"
			 : "no part of the fit '%s' was begun in '%s'",
		row->name, folder);
}

/* ---- a part ---- */

/* The others need this one's outcomes, and it theirs: the state is a journal in
   the folder of all. */
static int run(const struct part *part, struct search_config *config,
	struct error *error)
{
	char *journal = split_path(config->folder, "%zu.journal", part->number);
	int code;

	if (!journal)
		return no_memory(error);
	config->part = part->number;
	config->part_count = part->count;
	config->state = journal;
	config->resume = true;
	config->points = NULL;
	config->stop = stop_catch(LAST_WORDS);
	code = search_run(config, stdout, error);
	if (code == ERR_INTERRUPTED)
		error_set(error, code,
			"interrupted; the same command goes on from here");
	free(journal);
	return code;
}

int fit_parts_run(const struct split_row *row, const char *folder,
	const struct part *part, unsigned jobs, struct error *error)
{
	char *own = split_path(folder, "%s-of-%zu", row->name, part->count);
	struct fit_options *o = NULL;
	int code = own ? read_words(row, &o, error) : no_memory(error);

	if (!code)
		code = make_folder(own, error);
	if (!code) {
		o->search.jobs = jobs;
		o->search.folder = own;
		code = run(part, &o->search, error);
	}
	free(o);
	free(own);
	return code;
}

int fit_parts_merge(const struct split_row *row, const char *folder,
	const char *output, FILE *out, struct error *error)
{
	struct fit_options *o = NULL;
	char *own = NULL;
	size_t count = 0;
	int code = find_count(row, folder, &count, error);

	if (!code)
		code = read_words(row, &o, error);
	if (!code) {
		own = split_path(folder, "%s-of-%zu", row->name, count);
		code = own ? 0 : no_memory(error);
	}
	if (!code) {
		o->search.output = output;
		o->search.folder = own;
		o->search.part_count = count;
		code = fit_check_files(&o->search, error);
	}
	if (!code)
		code = search_run(&o->search, out, error);
	free(own);
	free(o);
	return code;
}
