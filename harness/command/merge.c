/* The parts of a suite, joined. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/command/command.h"
#include "harness/command/fit/fit_parts.h"
#include "harness/command/suite/parts.h"
#include "harness/command/suite/run_suite.h"
#include "harness/figure/destination.h"
#include "harness/split/merge.h"

#define FORMATS ((1u << FORMAT_COUNT) - 1)

struct options {
	struct options_words folders;
	struct options_words more; /* for each row */
	const char *suite, *output, *into, *words;
	int format; /* -1: what the output's name says */
	bool partial, one_device, missing;
};

static const struct options_row rows[] = {
	{"suite", 0, TAKES_TEXT, "FILE",
		"the suite whose parts these are, or 'default'",
		OPTIONS_AT(struct options, suite), .values = VALUES_FILES},
	{"words", 0, TAKES_TEXT, "'WORD...'",
		"the words that were added to each row, behind --",
		OPTIONS_AT(struct options, words), .example = "'-r 1'"},
	{"output", 'o', TAKES_TEXT, "FILE",
		"write all series there; the name chooses the format if -f "
		"does not; of a suite that is one fit, the machine",
		OPTIONS_AT(struct options, output), .values = VALUES_FILES},
	{"format", 'f', TAKES_CHOICE, "FORMAT", "(default: table)",
		OPTIONS_AT(struct options, format),
		.choices = SERIES_FORMAT_CHOICES, .values = VALUES_CHOICES,
		.example = "csv"},
	{"into", 0, TAKES_TEXT, "FOLDER",
		"write FOLDER/NAME.json.gz for each row of the suite instead, "
		"and NAME.yaml for each fit; the folder is made",
		OPTIONS_AT(struct options, into), .values = VALUES_FOLDERS,
		.was = "rows"},
	{"partial", 0, TAKES_NOTHING, NULL,
		"write what is there, and say what is missing",
		OPTIONS_AT(struct options, partial)},
	{"missing", 0, TAKES_NOTHING, NULL,
		"print K/N of each part that misses points, and write nothing "
		"else",
		OPTIONS_AT(struct options, missing)},
	{"one-device", 0, TAKES_NOTHING, NULL,
		"fail if a series was measured on more than one GPU",
		OPTIONS_AT(struct options, one_device)},
	{0},
};

static const char *const examples[] = {
	"nearfar merge --suite suite.txt parts --into out",
	"nearfar merge --suite suite.txt parts -o all.json.gz",
	"nearfar merge --suite suite.txt parts --missing",
	NULL,
};

const struct options_table merge_options = {
	.name = "merge",
	.summary = "the parts of a suite, joined",
	.operands = "--suite FILE DIR...",
	.about = "Join the parts of a suite ('nearfar run --suite FILE --part "
		 "K/N -o DIR') to the series that one process would have "
		 "written, and fits to their machines. What is missing the "
		 "suite says. Several folders hold parts of one suite.",
	.rows = rows,
	.words = offsetof(struct options, folders),
	.least = 1,
	.most = SIZE_MAX,
	.needed = "the folder of the parts is needed",
	.first = {VALUES_FOLDERS, NULL},
	.rest = {VALUES_FOLDERS, NULL},
	.examples = examples,
};

/* The words of --words: a copy, which `more` borrows from. */
static int take_words(struct options *o, char **copy, struct error *error)
{
	char *rest, *word;

	*copy = strdup(o->words ? o->words : "");
	o->more.items = calloc(
		(o->words ? strlen(o->words) : 0) + 1, sizeof(*o->more.items));
	if (!*copy || !o->more.items)
		return error_set(error, ERR_FAILED, "out of memory");
	for (word = strtok_r(*copy, " ", &rest); word;
		word = strtok_r(NULL, " ", &rest))
		o->more.items[o->more.count++] = word;
	return 0;
}

/* ---- writing ---- */

/* What one process says when it measured nothing. */
struct measured {
	size_t points, skipped;
	char first[512]; /* the first reason */
};

static void count_skipped(
	const struct series_list *list, struct measured *measured)
{
	size_t i, k;

	for (i = 0; i < list->count; i++)
		for (k = 0; k < list->items[i].point_count; k++) {
			const char *why = list->items[i].points[k].skipped;

			measured->points++;
			if (why && !measured->skipped++)
				snprintf(measured->first,
					sizeof(measured->first), "%s", why);
		}
}

static int check_measured(const struct measured *m, struct error *error)
{
	if (m->skipped < m->points)
		return 0;
	return error_set(error, ERR_FAILED,
		"nothing was measured: all %zu points were skipped, the first: "
		"%s",
		m->points, m->first);
}

static int write_list(const struct options *o, const struct series_list *list,
	FILE *out, struct error *error)
{
	struct destination to;
	int code = destination_open(&to, o->output, o->format,
		(struct destination_forms){FORMATS, false}, out, error);

	if (code)
		return code;
	code = series_write(list, to.format, to.stream, error);
	return destination_close(&to, code, error);
}

static int write_together(const struct options *o, struct merge *merge,
	FILE *out, struct error *error)
{
	struct series_list list = {0};
	struct measured measured = {0};
	size_t i;
	int code = 0;

	for (i = 0; !code && i < merge->split->row_count; i++)
		code = merge_list(merge, i, &list, error);
	count_skipped(&list, &measured);
	if (!code)
		code = write_list(o, &list, out, error);
	series_list_free(&list);
	return code ? code : check_measured(&measured, error);
}

static int write_row(const struct options *o, struct merge *merge, size_t row,
	struct measured *measured, struct error *error)
{
	char *path =
		split_path(o->into, "%s.json.gz", merge->split->rows[row].name);
	struct series_list list = {0};
	int code = path ? merge_list(merge, row, &list, error)
			: error_set(error, ERR_FAILED, "out of memory");

	count_skipped(&list, measured);
	if (!code && list.count)
		code = series_write_file(&list, FORMAT_JSON, path, error);
	series_list_free(&list);
	free(path);
	return code;
}

static int write_rows(
	const struct options *o, struct merge *merge, struct error *error)
{
	struct measured measured = {0};
	size_t i;
	int code = 0;

	for (i = 0; !code && i < merge->split->row_count; i++)
		code = write_row(o, merge, i, &measured, error);
	return code ? code : check_measured(&measured, error);
}

/* What has come of rows of benches. */
static int join(const struct options *o, struct merge *merge, FILE *out,
	struct error *error)
{
	int code = parts_check_all(merge, error);

	if (code && !o->partial)
		return error_suffix(error, code,
			"; 'nearfar merge --missing' lists them, --partial "
			"writes what is there");
	if (code)
		fprintf(stderr, "nearfar: %s\n", error->text);
	return o->into ? write_rows(o, merge, error)
		       : write_together(o, merge, out, error);
}

/* A machine a row: the only row's goes to -o, else each to --into. */
static int check_fits(
	const struct options *o, const struct split *split, struct error *error)
{
	size_t i;

	for (i = 0; !o->into && i < split->row_count; i++) {
		if (!split_row_is_fit(&split->rows[i]))
			continue;
		if (split->row_count > 1)
			return error_set(error, ERR_USAGE,
				"the suite has fits beside other rows: their "
				"machines go into a folder (--into FOLDER)");
		if (!o->output || fnmatch("*.yaml", o->output, 0))
			return error_set(error, ERR_USAGE,
				"the machine of the fit '%s' needs a file (-o "
				"MACHINE.yaml)",
				split->rows[i].name);
	}
	return 0;
}

static int join_fit(const struct options *o, const struct split_row *row,
	FILE *out, struct error *error)
{
	char *path = o->into ? split_path(o->into, "%s.yaml", row->name) : NULL;
	int code;

	if (o->into && !path)
		return error_set(error, ERR_FAILED, "out of memory");
	code = fit_parts_merge(
		row, o->folders.items[0], path ? path : o->output, out, error);
	free(path);
	return code;
}

static int join_all(const struct options *o, struct merge *merge, FILE *out,
	struct error *error)
{
	const struct split *split = merge->split;
	size_t i;
	int code = check_fits(o, split, error);

	if (!code && o->into && mkdir(o->into, 0777) && errno != EEXIST)
		code = error_set(error, ERR_FAILED,
			"cannot make the folder '%s': %s", o->into,
			strerror(errno));
	if (!code && split_points(split))
		code = join(o, merge, out, error);
	for (i = 0; !code && i < split->row_count; i++)
		if (split_row_is_fit(&split->rows[i]))
			code = join_fit(o, &split->rows[i], out, error);
	return code;
}

static int check_options(const struct options *o, struct error *error)
{
	if (!o->suite)
		return error_set(error, ERR_USAGE,
			"the suite of the parts is needed: --suite FILE");
	if (o->into && (o->output || o->format >= 0))
		return error_set(error, ERR_USAGE,
			"--into goes without -o and -f: each row is a file "
			"NAME.json.gz");
	return destination_apart(o->output, &o->suite, 1, error);
}

static int perform(
	struct options *o, struct split *split, FILE *out, struct error *error)
{
	struct merge merge = {0};
	size_t i;
	int code = merge_begin(&merge, split, o->one_device, error);

	for (i = 0; !code && i < o->folders.count; i++)
		code = parts_read(
			&merge, o->folders.items[i], o->output, error);
	if (!code && o->missing)
		parts_list_missing(&merge, out);
	else if (!code)
		code = join_all(o, &merge, out, error);
	merge_free(&merge);
	return code;
}

int command_merge(int argc, char **argv, FILE *out, struct error *error)
{
	struct options o = {.format = -1};
	struct split split = {0};
	char *words = NULL;
	int code = options_parse(&merge_options, argc, argv, NULL, &o, error);

	if (!code)
		code = check_options(&o, error);
	if (!code)
		code = take_words(&o, &words, error);
	if (!code)
		code = run_suite_read(
			o.suite, &o.more, NULL, NULL, &split, error);
	if (!code)
		code = perform(&o, &split, out, error);
	free(o.more.items);
	free(words);
	split_free(&split);
	return code;
}
