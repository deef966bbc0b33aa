#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/figure/draw.h"
#include "harness/frame/frame.h"
#include "harness/report/gate.h"
#include "harness/tally/tally.h"

struct options {
	struct frame frame;
	struct gate gate;
	const char *gates; /* a file of them, or NULL */
	bool gated;        /* by --gate */
	bool tallies;      /* of kernels' counters, no series */
};

static int take_gate(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct options *options = into;
	const int code = gate_parse(text, &options->gate, error);

	(void)row;
	options->gated = true;
	return code ? error_prefix(error, code, "--gate: ") : 0;
}

static const struct options_row rows[] = {
	FRAME_METRIC("compare this metric or counter (default: the first of "
		     "both)"),
	{"gate", 0, TAKES_OWN, "GATE",
		"fail with status 3 if the new one is further off. P% is for "
		"the median and for the worst point outside a knee; or "
		"NAME=VALUE,...: median=P% worst=P% level=P% knee=OCTAVES "
		"direction=both|higher|lower|worse test=yes|no missing=yes|no",
		.take = take_gate, .example = "2%"},
	{"gates", 0, TAKES_TEXT, "FILE",
		"gates by series: lines of BENCH[:KEY=VALUE]... GATE, of which "
		"the first that matches decides",
		OPTIONS_AT(struct options, gates), .values = VALUES_FILES},
	FRAME_STRICT,
	FRAME_FORMAT,
	FRAME_OUTPUT(FRAME_FIGURES),
	FRAME_WIDTH,
	{0},
};

static const char *const examples[] = {
	"nearfar compare gpu.json model.json",
	"nearfar compare base.json new.json --gate 2%",
	"nearfar compare gpu.json model.json --metric latency_ns -o both.svg",
	NULL,
};

const struct options_table compare_options = {
	.name = "compare",
	.summary = "two series files, point by point",
	.operands = "BASE NEW",
	.about = "Put two files of series side by side and say how far the new "
		 "one is from the base. Profiles of kernels and Nsight "
		 "Compute's CSV are compared by their counters.",
	.rows = rows,
	FRAME_FILES(2, 2, "two files are needed"),
	.examples = examples,
};

/* Counters of others have names of their own. */
static int check(struct options *o, struct error *error)
{
	if (o->gated && o->gates)
		return error_set(error, ERR_USAGE,
			"--gate and --gates exclude each other");
	o->tallies = tally_detect(o->frame.files.items[0]) ||
		     tally_detect(o->frame.files.items[1]);
	if (!o->tallies)
		return frame_metric(&o->frame, error);
	if (o->gated || o->gates || o->frame.strict)
		return error_set(error, ERR_USAGE,
			"--gate, --gates and --strict are of series, not of "
			"profiles and Nsight's counters");
	return 0;
}

static int put(const struct comparison_list *list,
	const struct verdict *verdict, const struct destination *to,
	struct error *error)
{
	struct charts figure = {0};
	int result;

	if (!to->figure)
		return comparison_list_put(
			list, verdict, to->format, to->stream, error);
	result = draw_comparisons(list, &figure, error);
	if (!result)
		result = figure_write(&figure, to->figure, to->stream, error);
	charts_free(&figure);
	return result;
}

/* What the gates say is the result, whatever is written. */
static int put_judged(const struct options *options,
	const struct comparison_list *list, const struct destination *to,
	struct error *error)
{
	struct gates gates;
	struct verdict verdict;
	struct error unwritten;
	int put_code,
		result = options->gates
				 ? gates_read(options->gates, &gates, error)
				 : gates_single(&options->gate, &gates, error);

	if (result)
		return result;
	result = gates_judge(&gates, list, &verdict, error);
	put_code = put(list, &verdict, to, &unwritten);
	if (put_code) {
		*error = unwritten;
		result = put_code;
	}
	verdict_free(&verdict);
	gates_free(&gates);
	return result;
}

static int compare(const struct options *options,
	const struct series_list *base, const struct series_list *new,
	const struct destination *to, struct error *error)
{
	struct comparison_list list;
	int result = comparison_list_make(
		base, new, options->frame.metric, &list, error);

	if (result)
		return result;
	if (options->gated || options->gates)
		result = put_judged(options, &list, to, error);
	else if (list.count || !to->figure)
		result = put(&list, NULL, to, error);
	if (!result && !list.count)
		result = series_pairs_none(&list.pairs, error);
	comparison_list_free(&list);
	return result;
}

/* What is compared, as the writers take it. */
struct pair {
	const struct options *options;
	struct series_list base, new;
	struct tally base_tally, new_tally;
};

static int put_series(
	void *context, const struct destination *to, struct error *error)
{
	struct pair *pair = context;

	return compare(pair->options, &pair->base, &pair->new, to, error);
}

static int compare_series(struct pair *pair, FILE *out, struct error *error)
{
	const struct frame *frame = &pair->options->frame;
	int code = frame_read(frame, 0, &pair->base, error);

	if (!code)
		code = frame_read(frame, 1, &pair->new, error);
	if (!code)
		code = frame_put(frame,
			(struct destination_forms){FRAME_FORMATS, true},
			put_series, pair, out, error);
	if (!code)
		code = frame_judge(frame, &pair->base, error);
	if (!code)
		code = frame_judge(frame, &pair->new, error);
	series_list_free(&pair->base);
	series_list_free(&pair->new);
	return code;
}

static int put_tallies(
	void *context, const struct destination *to, struct error *error)
{
	struct pair *pair = context;

	return tally_compare(&pair->base_tally, &pair->new_tally,
		pair->options->frame.metric_name, to->format, to->stream,
		error);
}

static int compare_tallies(struct pair *pair, FILE *out, struct error *error)
{
	const struct frame *frame = &pair->options->frame;
	int code = tally_read(frame->files.items[0], &pair->base_tally, error);

	if (!code)
		code = tally_read(
			frame->files.items[1], &pair->new_tally, error);
	if (!code)
		code = frame_put(frame,
			(struct destination_forms){TALLY_FORMATS, false},
			put_tallies, pair, out, error);
	tally_free(&pair->base_tally);
	tally_free(&pair->new_tally);
	return code;
}

int command_compare(int argc, char **argv, FILE *out, struct error *error)
{
	struct options options = {.frame = FRAME_INITIAL};
	struct pair pair = {.options = &options};
	int code = options_parse(
		&compare_options, argc, argv, NULL, &options, error);

	if (!code)
		code = check(&options, error);
	if (!code)
		code = frame_begin(&options.frame,
			(const char *const[]){options.gates, NULL}, error);
	if (code)
		return code;
	return options.tallies ? compare_tallies(&pair, out, error)
			       : compare_series(&pair, out, error);
}
