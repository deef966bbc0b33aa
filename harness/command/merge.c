/* The shards of a split, joined. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/command/fit/fit_shards.h"
#include "harness/command/command.h"
#include "harness/figure/destination.h"
#include "harness/split/merge.h"

enum { KEY_ROWS = 0x100, KEY_PARTIAL, KEY_ONE_DEVICE, KEY_MISSING };

#define FORMATS ((1u << FORMAT_COUNT) - 1)

struct options {
	char **folders;
	int folder_count;
	const char *output, *rows;
	int format; /* -1: what the output's name says */
	bool partial, one_device, missing;
};

static const struct argp_option argp_options[] = {
	{"output", 'o', "FILE", 0,
		"write all series there; the name chooses the format if -f "
		"does not; of a calibration, the machine",
		0},
	{"format", 'f', "FORMAT", 0,
		"table (default), csv, tidy, json, jsonl, md, tex, gbench, "
		"vega-lite or openmetrics",
		0},
	{"rows", KEY_ROWS, "FOLDER", 0,
		"write FOLDER/NAME.json.gz for each row of the suite instead; "
		"the folder is made",
		0},
	{"partial", KEY_PARTIAL, NULL, 0,
		"write what is there, and say what is missing", 0},
	{"missing", KEY_MISSING, NULL, 0,
		"print DIR/N of each shard that is missing, and write nothing "
		"else",
		0},
	{"one-device", KEY_ONE_DEVICE, NULL, 0,
		"fail if a series was measured on more than one GPU", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct options *o = state->input;
	char list[SERIES_FORMAT_LIST_BYTES];

	switch (key) {
	case 'o':
		o->output = text;
		return 0;
	case 'f':
		series_format_list(list);
		o->format = destination_format(text, FORMATS);
		if (o->format < 0)
			argp_error(state, "the format '%s' is none of %s", text,
				list);
		return 0;
	case KEY_ROWS:
		o->rows = text;
		return 0;
	case KEY_PARTIAL:
		o->partial = true;
		return 0;
	case KEY_MISSING:
		o->missing = true;
		return 0;
	case KEY_ONE_DEVICE:
		o->one_device = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->folders = state->argv + state->next;
		o->folder_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "the folder of a split is needed");
		return EINVAL;
	case ARGP_KEY_END:
		if (o->rows && (o->output || o->format >= 0))
			argp_error(state, "--rows goes without -o and -f: each "
					  "row is a file NAME.json.gz");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- reading ---- */

/* Folders that several nodes wrote have the same plan. */
static int check_plan(
	const char *folder, const struct split *split, struct error *error)
{
	struct split other;
	int code = split_read(folder, &other, error);

	if (code)
		return code;
	if (other.digest != split->digest)
		code = error_set(error, ERR_FAILED,
			"'%s/plan.json' is another plan than that of the first "
			"folder",
			folder);
	split_free(&other);
	return code;
}

static int read_folder(
	struct merge *merge, const char *folder, struct error *error)
{
	size_t n;
	int code = check_plan(folder, merge->split, error);

	for (n = 1; !code && n <= merge->split->shard_count; n++) {
		char *path = split_path(folder, "%zu.json.gz", n);

		if (!path)
			return error_set(error, ERR_FAILED, "out of memory");
		if (!access(path, F_OK))
			code = merge_file(merge, path, error);
		free(path);
	}
	return code;
}

/* ---- what is missing ---- */

static void list_missing(
	const struct merge *merge, const char *folder, FILE *out)
{
	size_t n;

	for (n = 1; n <= merge->split->shard_count; n++)
		if (merge_missing(merge, n))
			fprintf(out, "%s/%zu\n", folder, n);
}

/* "2, 5 to 9, 12", as far as there is room. */
static void name_missing(const struct merge *merge, char *text, size_t bytes)
{
	const size_t count = merge->split->shard_count;
	size_t n = 1, end, length = 0;

	for (; n <= count && length + 48 < bytes; n = end + 1) {
		end = n;
		if (!merge_missing(merge, n))
			continue;
		while (end < count && merge_missing(merge, end + 1))
			end++;
		length += (size_t)snprintf(text + length, bytes - length,
			end > n ? "%s%zu to %zu" : "%s%zu", length ? ", " : "",
			n, end);
	}
	if (n <= count)
		snprintf(text + length, bytes - length, ", ...");
}

/* ERR_FAILED with a sentence if anything is missing. */
static int check_all(const struct merge *merge, struct error *error)
{
	const struct split *split = merge->split;
	size_t shards = 0, points = 0, n;
	char names[400] = "";

	for (n = 1; n <= split->shard_count; n++) {
		shards += merge_missing(merge, n) > 0;
		points += merge_missing(merge, n);
	}
	if (!shards)
		return 0;
	name_missing(merge, names, sizeof(names));
	return error_set(error, ERR_FAILED,
		"%zu of %zu shards %s missing, with %zu of %zu points: %s",
		shards, split->shard_count, shards == 1 ? "is" : "are", points,
		split_points(split), names);
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
		split_path(o->rows, "%s.json.gz", merge->split->rows[row].name);
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

	if (mkdir(o->rows, 0777) && errno != EEXIST)
		return error_set(error, ERR_FAILED,
			"cannot make the folder '%s': %s", o->rows,
			strerror(errno));
	for (i = 0; !code && i < merge->split->row_count; i++)
		code = write_row(o, merge, i, &measured, error);
	return code ? code : check_measured(&measured, error);
}

static int join(const struct options *o, struct merge *merge, FILE *out,
	struct error *error)
{
	int i, code = 0;

	for (i = 0; !code && i < o->folder_count; i++)
		code = read_folder(merge, o->folders[i], error);
	if (code)
		return code;
	if (o->missing) {
		list_missing(merge, o->folders[0], out);
		return 0;
	}
	code = check_all(merge, error);
	if (code && !o->partial)
		return error_suffix(error, code,
			"; 'nearfar merge %s --missing' lists them, --partial "
			"writes what is there",
			o->folders[0]);
	if (code)
		fprintf(stderr, "nearfar: %s\n", error->text);
	return o->rows ? write_rows(o, merge, error)
		       : write_together(o, merge, out, error);
}

static int merge_calibration(const struct options *o, const struct split *split,
	FILE *out, struct error *error)
{
	if (o->rows || o->format >= 0 || o->partial || o->missing ||
		o->one_device || o->folder_count > 1)
		return error_set(error, ERR_USAGE,
			"'%s' is a calibration's: 'nearfar merge DIR -o "
			"MACHINE.yaml' is all there is to it",
			o->folders[0]);
	return calibrate_merge(o->folders[0], split, o->output, out, error);
}

int command_merge(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, "DIR...",
		"Join the shards of a split to the series that one process "
		"would have written. Several folders with one plan hold "
		"shards of one split. Of a calibration: write the machine, and "
		"print what 'nearfar calibrate' does.",
		NULL, NULL, NULL};
	struct options o = {.format = -1};
	struct split split;
	struct merge merge = {0};
	int code;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return error_set(error, ERR_FAILED,
			"out of memory for the options of merge");
	code = split_read(o.folders[0], &split, error);
	if (code)
		return code;
	if (split.calibrate)
		code = merge_calibration(&o, &split, out, error);
	else
		code = merge_begin(&merge, &split, o.one_device, error);
	if (!code && !split.calibrate)
		code = join(&o, &merge, out, error);
	merge_free(&merge);
	split_free(&split);
	return code;
}
