#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/figure/draw.h"
#include "harness/frame/frame.h"
#include "harness/report/show_plot.h"

struct options {
	struct frame frame;
	bool tidy;
};

static const struct options_row rows[] = {
	FRAME_METRIC("show only this metric or counter (default: all metrics; "
		     "the plot takes the first)"),
	FRAME_FORMAT,
	FRAME_OUTPUT(FRAME_FIGURES),
	FRAME_WINDOW,
	{"tidy", 0, NULL, "the same as -f tidy", TAKES_NOTHING,
		OPTIONS_AT(struct options, tidy)},
	FRAME_NO_PLOT("the table alone"),
	FRAME_STRICT,
	{0},
};

static const char *const examples[] = {
	"nearfar show chase.json",
	"nearfar show chase.json --metric latency_ns -o chase.svg",
	"nearfar show gpu.json model.json -f tidy",
	NULL,
};

const struct options_table show_options = {
	.name = "show",
	.summary = "tables and plots of series files",
	.operands = "FILE...",
	.about = "Show files of series as a table and a plot.",
	.rows = rows,
	FRAME_FILES(1, SIZE_MAX, "a file is needed"),
	.examples = examples,
};

/* Moves what `from` holds behind what `to` holds. */
static int append(struct series_list *to, struct series_list *from)
{
	const size_t count = to->count + from->count;
	struct series *items;

	items = reallocarray(to->items, count + 1, sizeof(*items));
	if (!items)
		return ERR_FAILED;
	if (from->count)
		memcpy(items + to->count, from->items,
			from->count * sizeof(*items));
	to->items = items;
	to->count = count;
	free(from->items);
	*from = (struct series_list){0};
	return 0;
}

static int read_files(
	const struct frame *frame, struct series_list *all, struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < frame->files.count; i++) {
		struct series_list list = {0};

		code = frame_read(frame, i, &list, error);
		if (code)
			return code;
		if (append(all, &list)) {
			series_list_free(&list);
			code = error_set(error, ERR_FAILED, "out of memory");
		}
	}
	return code;
}

static int keep_metric(
	struct series_list *list, int metric, struct error *error)
{
	bool found = false;
	size_t i;

	for (i = 0; i < list->count; i++) {
		list->items[i].metrics &= METRIC_BIT(metric);
		found |= list->items[i].metrics != 0;
	}
	if (found)
		return 0;
	return error_set(error, ERR_USAGE, "no series has the metric '%s'",
		metric_columns[metric]);
}

static int put_figure(const struct series_list *list,
	const struct destination *destination, struct error *error)
{
	struct figure figure = {0};
	int result = draw_series(list, &figure, error);

	if (!result)
		result = figure_write(&figure, destination->figure,
			destination->stream, error);
	figure_free(&figure);
	return result;
}

/* The context of put(). */
struct shown {
	const struct frame *frame;
	struct series_list list;
};

static int put(void *context, const struct destination *to, struct error *error)
{
	const struct shown *shown = context;
	int code;

	if (to->figure)
		return put_figure(&shown->list, to, error);
	code = series_write(&shown->list, to->format, to->stream, error);
	if (!code && to->format == FORMAT_TABLE && !shown->frame->no_plot)
		code = show_plot(&shown->list, to->stream, error);
	return code;
}

int command_show(int argc, char **argv, FILE *out, struct error *error)
{
	struct options options = {.frame = FRAME_INITIAL};
	const struct frame *frame = &options.frame;
	struct shown shown = {.frame = frame};
	int code =
		options_parse(&show_options, argc, argv, NULL, &options, error);

	if (options.tidy)
		options.frame.format = FORMAT_TIDY;
	if (!code)
		code = frame_begin(frame, NULL, error);
	if (!code)
		code = frame_metric(frame, error);
	if (!code)
		code = read_files(frame, &shown.list, error);
	if (!code && frame->metric >= 0)
		code = keep_metric(&shown.list, frame->metric, error);
	if (!code)
		code = frame_put(frame,
			(struct destination_forms){FRAME_FORMATS, true}, put,
			&shown, out, error);
	if (!code)
		code = frame_judge(frame, &shown.list, error);
	series_list_free(&shown.list);
	return code;
}
