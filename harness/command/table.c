#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/figure/draw.h"
#include "harness/frame/frame.h"
#include "harness/report/odd.h"
#include "harness/report/table.h"

#define ROWS_MAX 32

struct options {
	struct frame frame;
	const char *rows[ROWS_MAX];
	struct table_layout layout;
	bool merge, odd;
};

/* Splits `text` in place. */
static int take_rows(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct options *options = into;
	char *word;

	(void)row;
	for (; (word = strsep(&text, ","));) {
		if (!*word)
			return error_set(
				error, ERR_USAGE, "--rows: a word is missing");
		if (options->layout.row_count == ROWS_MAX)
			return error_set(error, ERR_USAGE,
				"--rows: at most %d options are rows",
				ROWS_MAX);
		options->rows[options->layout.row_count++] = word;
	}
	return 0;
}

static int take_columns(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct options *options = into;

	(void)row;
	(void)error;
	options->layout.columns = strcmp(text, "x") ? text : NULL;
	return 0;
}

static const struct options_row rows[] = {
	{"rows", 0, TAKES_OWN, "OPTION,...",
		"options, --set parameters or facts such as machine that are "
		"rows (default: those in which the series differ)",
		.take = take_rows, .example = "op,machine"},
	{"columns", 0, TAKES_OWN, "OPTION|x",
		"an option that has the columns, or x: the axis (default)",
		.take = take_columns, .example = "op"},
	FRAME_METRIC("show this metric or counter (default: levels where there "
		     "are shares, else the first)"),
	{"merge", 0, TAKES_NOTHING, NULL,
		"make one row of those that read the same (table, md and tex)",
		OPTIONS_AT(struct options, merge)},
	{"odd", 0, TAKES_NOTHING, NULL,
		"of three devices or more, name the one that is farthest from "
		"the median, in units of MAD (table and md)",
		OPTIONS_AT(struct options, odd)},
	FRAME_STRICT,
	FRAME_FORMAT,
	FRAME_OUTPUT(FRAME_FIGURES),
	FRAME_WIDTH,
	{0},
};

static const char *const examples[] = {
	"nearfar table ops.json",
	"nearfar table ops.json --rows op --columns x -o ops.md",
	"nearfar table gpu.json model.json",
	NULL,
};

const struct options_table table_options = {
	.name = "table",
	.summary = "series as rows and columns, or two files' worth of them",
	.operands = "FILE [NEW]",
	.about = "Show the series of a file as rows and columns. With a second "
		 "file, cells that differ show both, and the last line says "
		 "how far the two are apart.",
	.rows = rows,
	FRAME_FILES(1, 2, "a file or two are needed"),
	.examples = examples,
};

static int put(const struct table_list *list, const struct destination *to,
	struct error *error)
{
	struct charts figure = {0};
	size_t i;
	int result = 0;

	if (!to->figure)
		return table_list_put(list, to->format, to->stream, error);
	for (i = 0; !result && i < list->count; i++)
		result = draw_table(&list->items[i], &figure, error);
	if (!result)
		result = figure_write(&figure, to->figure, to->stream, error);
	charts_free(&figure);
	return result;
}

/* The context of put_all(). */
struct shown {
	const struct options *options;
	struct series_list base, new;
};

/* What only people read, and of one file alone. */
static int check_forms(const struct options *o, const struct destination *to,
	struct error *error)
{
	if (o->merge && !to->figure && to->format != FORMAT_TABLE &&
		series_style(to->format) == TEXT_PLAIN)
		return error_set(error, ERR_USAGE,
			"--merge is for people: %s keeps every row",
			series_format_names[to->format]);
	if (o->odd && o->frame.files.count > 1)
		return error_set(
			error, ERR_USAGE, "--odd takes the series of one file");
	if (o->odd && (to->figure || (to->format != FORMAT_TABLE &&
					     to->format != FORMAT_MD)))
		return error_set(error, ERR_USAGE,
			"--odd is for people: table and md alone have it");
	return 0;
}

/* Below the tables. */
static int put_odd(const struct shown *shown, const struct destination *to,
	struct error *error)
{
	struct odd odd;
	const int result = odd_find(
		&shown->base, shown->options->layout.metric, &odd, error);

	if (result)
		return result;
	odd_put(&odd, to->stream);
	odd_free(&odd);
	return 0;
}

static int put_all(
	void *context, const struct destination *to, struct error *error)
{
	const struct shown *shown = context;
	const struct options *options = shown->options;
	const bool two = options->frame.files.count > 1;
	struct table_list list;
	size_t i;
	int result = check_forms(options, to, error);

	if (result)
		return result;
	result = table_list_make(&shown->base, two ? &shown->new : NULL,
		&options->layout, &list, error);
	if (result)
		return result;
	for (i = 0; options->merge && !result && i < list.count; i++)
		result = table_merge(&list.items[i], error);
	if (!result)
		result = put(&list, to, error);
	table_list_free(&list);
	if (!result && options->odd)
		result = put_odd(shown, to, error);
	return result;
}

static int tabulate(struct options *options, FILE *out, struct error *error)
{
	const struct frame *frame = &options->frame;
	struct shown shown = {.options = options};
	int code = frame_read(frame, 0, &shown.base, error);

	if (!code && frame->files.count > 1)
		code = frame_read(frame, 1, &shown.new, error);
	if (!code)
		code = frame_put(frame,
			(struct destination_forms){FRAME_FORMATS, true},
			put_all, &shown, out, error);
	if (!code)
		code = frame_judge(frame, &shown.base, error);
	if (!code)
		code = frame_judge(frame, &shown.new, error);
	series_list_free(&shown.base);
	series_list_free(&shown.new);
	return code;
}

int command_table(int argc, char **argv, FILE *out, struct error *error)
{
	struct options options = {.frame = FRAME_INITIAL};
	int code = options_parse(
		&table_options, argc, argv, NULL, &options, error);

	if (!code)
		code = frame_metric(&options.frame, error);
	if (!code)
		code = frame_begin(&options.frame, NULL, error);
	options.layout.rows = options.rows;
	options.layout.metric = options.frame.metric;
	return code ? code : tabulate(&options, out, error);
}
