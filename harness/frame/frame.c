#include <stdlib.h>
#include <string.h>

#include "harness/base/units.h"
#include "harness/frame/frame.h"
#include "harness/judge/mark_gate.h"

#define WINDOW_MOST 1000

int frame_take_metric(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct frame *frame = into;

	(void)row;
	(void)error;
	frame->metric_name = text;
	frame->metric = metric_find(text);
	return 0;
}

int frame_take_window(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	const char *name = strcmp(row->name, "width") ? "LINES" : "COLUMNS";
	uint64_t count;

	(void)into;
	if (units_parse_count(text, &count, NULL) || !count ||
		count > WINDOW_MOST)
		return error_set(error, ERR_USAGE,
			"--%s: '%s' is no number of characters from 1 to %d",
			row->name, text, WINDOW_MOST);
	setenv(name, text, 1);
	return 0;
}

int frame_begin(const struct frame *frame, const char *const *others,
	struct error *error)
{
	int code = destination_apart(frame->output,
		(const char *const *)frame->files.items, frame->files.count,
		error);

	for (; !code && others && *others; others++)
		code = destination_apart(frame->output, others, 1, error);
	return code;
}

int frame_metric(const struct frame *frame, struct error *error)
{
	if (!frame->metric_name || frame->metric >= 0)
		return 0;
	return error_set(error, ERR_USAGE,
		"the metric '%s' is not known (`nearfar list metrics`, "
		"`nearfar list counters`)",
		frame->metric_name);
}

int frame_read(const struct frame *frame, size_t index,
	struct series_list *list, struct error *error)
{
	int code = series_read(frame->files.items[index], list, error);

	if (!code && series_take_counter(list, frame->metric))
		code = error_set(error, ERR_FAILED, "out of memory");
	return code;
}

int frame_put(const struct frame *frame, struct destination_forms forms,
	frame_writer *put, void *context, FILE *out, struct error *error)
{
	struct destination to;
	int code = destination_open(
		&to, frame->output, frame->format, forms, out, error);

	if (code)
		return code;
	return destination_close(&to, put(context, &to, error), error);
}

int frame_judge(const struct frame *frame, const struct series_list *list,
	struct error *error)
{
	return frame->strict ? marks_gate(list, error) : 0;
}
