#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/base/units.h"
#include "harness/command/run/run_jobs.h"
#include "harness/command/run/run_options.h"
#include "harness/command/run/run_table.h"
#include "harness/command/run/run_trace.h"
#include "harness/timeline/chrome.h"

/* ---- words ---- */

static int take_number(const char *option, const char *text, uint64_t least,
	uint64_t most, uint64_t *value, struct error *error)
{
	if (!units_parse_count(text, value, NULL) && *value >= least &&
		*value <= most)
		return 0;
	return error_set(error, ERR_USAGE,
		"--%s: '%s' is no number from %" PRIu64 " to %" PRIu64, option,
		text, least, most);
}

static int take_window(
	struct run_trace *trace, const char *text, struct error *error)
{
	const char *colon = strchr(text, ':');
	char first[32];
	uint64_t from = 0, until = 0;

	if (colon && colon[1] && colon - text < (ptrdiff_t)sizeof(first)) {
		snprintf(first, sizeof(first), "%.*s", (int)(colon - text),
			text);
		if (!units_parse_count(first, &from, NULL) &&
			!units_parse_count(colon + 1, &until, NULL) &&
			from < until && until <= RUN_CYCLES_MAX) {
			trace->from = (double)from;
			trace->until = (double)until;
			return 0;
		}
	}
	return error_set(error, ERR_USAGE,
		"--trace-window: '%s' is not FIRST:END, two numbers of cycles, "
		"the smaller one first",
		text);
}

static int take_sms(
	struct run_trace *trace, const char *text, struct error *error)
{
	char word[32];
	size_t length;
	uint64_t sm = 0;
	int code;

	trace->some_sms = true;
	do {
		length = strcspn(text, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		code = take_number(
			"trace-sm", word, 0, TIMELINE_SMS_MAX - 1, &sm, error);
		if (!code)
			trace->sms[sm / 64] |= UINT64_C(1) << (sm % 64);
		text += length;
	} while (!code && *text++);
	return code;
}

int run_trace_take(
	struct run_trace *trace, int key, const char *text, struct error *error)
{
	uint64_t value = 0;
	int code;

	switch (key) {
	case KEY_TRACE:
		trace->path = text;
		return 0;
	case KEY_TRACE_WINDOW:
		trace->other = "--trace-window";
		return take_window(trace, text, error);
	case KEY_TRACE_SM:
		trace->other = "--trace-sm";
		return take_sms(trace, text, error);
	case KEY_TRACE_WARP:
		trace->other = "--trace-warp";
		code = take_number(
			"trace-warp", text, 0, UINT32_MAX - 1, &value, error);
		trace->has_warp = true;
		trace->warp = (uint32_t)value;
		return code;
	case KEY_TRACE_LINE:
		trace->other = "--trace-line";
		code = take_number(
			"trace-line", text, 1, UINT32_MAX - 1, &value, error);
		trace->line = (uint32_t)value;
		return code;
	default:
		trace->other = "--trace-limit";
		code = take_number("trace-limit", text, 1000,
			TIMELINE_LIMIT_MAX, &value, error);
		trace->limit = (uint32_t)value;
		return code;
	}
}

int run_trace_check(
	const struct run_options *o, bool is_jobs, struct error *error)
{
	const struct run_trace *trace = &o->trace;

	if (!trace->path && trace->other)
		return error_set(error, ERR_USAGE, "%s belongs to --trace FILE",
			trace->other);
	if (!trace->path)
		return 0;
	if (trace->line && !is_jobs)
		return error_set(error, ERR_USAGE,
			"--trace-line belongs to --kernel: programs have no "
			"lines of PTX");
	if (is_jobs && !o->ops->parallel)
		return error_set(error, ERR_USAGE,
			"--trace of a kernel belongs to the model: backend "
			"'%s' does not see inside a kernel",
			o->ops->name);
	if (o->resume)
		return error_set(error, ERR_USAGE,
			"--trace and --resume do not go together: what the "
			"journal holds is not run again");
	return chrome_check_path(trace->path, error);
}

int run_trace_check_points(const struct run_options *o,
	const struct plan *plans, size_t plan_count, struct error *error)
{
	size_t points = 0, i;

	for (i = 0; o->trace.path && i < plan_count; i++)
		points += plans[i].job ? 1 : plans[i].sweep.count;
	if (points <= 1)
		return 0;
	return error_set(error, ERR_USAGE,
		"--trace is of a single point or job, and this run has %zu: "
		"-x VALUE names one",
		points);
}

/* ---- the file ---- */

void run_trace_begin(const struct run_trace *trace, struct timeline *timeline)
{
	timeline_init(timeline);
	timeline->from = trace->from;
	if (trace->until > 0)
		timeline->until = trace->until;
	timeline->some_sms = trace->some_sms;
	memcpy(timeline->sms, trace->sms, sizeof(timeline->sms));
	if (trace->has_warp)
		timeline->warp = trace->warp;
	timeline->line = trace->line;
	if (trace->limit)
		timeline->limit = trace->limit;
}

int run_trace_finish(const struct run_options *o, const struct plan *plan,
	const struct series_list *list, const struct timeline *timeline,
	struct error *error)
{
	char machine[RUN_MACHINE_BYTES] = "";
	struct chrome_about about = {
		.ran = plan->job ? plan->job->name : plan->name,
		.backend = o->ops->name,
		.job = plan->job,
	};

	if (timeline->clock_hz == 0)
		return 0; /* nothing has begun */
	if (list->count) {
		run_jobs_machine(&list->items[0], machine);
		about.machine = machine;
	}
	if (timeline->left_out)
		fprintf(stderr,
			"nearfar: the trace is full: %" PRIu64
			" further events are left out (--trace-limit, "
			"--trace-window)\n",
			timeline->left_out);
	return chrome_write_file(timeline, &about, o->trace.path, error);
}
