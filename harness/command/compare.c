#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/figure/destination.h"
#include "harness/plot/window.h"
#include "harness/figure/draw.h"
#include "harness/report/gate.h"
#include "harness/judge/mark_gate.h"
#include "harness/tally/tally.h"

enum { KEY_METRIC = 0x100, KEY_GATE, KEY_GATES, KEY_STRICT };

#define FORMATS                                                                \
	(1u << FORMAT_TABLE | 1u << FORMAT_CSV | 1u << FORMAT_JSON |           \
		1u << FORMAT_MD | 1u << FORMAT_TEX)

struct options {
	const char *base, *new;
	int metric;          /* -1: the first that both have */
	const char *counter; /* of --metric; NULL: all */
	bool tallies;        /* of kernels' counters, no series */
	struct gate gate;
	const char *gates; /* a file of them, or NULL */
	bool gated;        /* by either */
	bool strict;
	int format;         /* -1: what the output's name says */
	const char *output; /* NULL: standard output */
};

static const struct argp_option argp_options[] = {
	{"metric", KEY_METRIC, "NAME", 0,
		"compare this metric or counter (default: the first of both)",
		0},
	{"gate", KEY_GATE, "GATE", 0,
		"fail with status 3 if the new one is further off. P% is for "
		"the median and for the worst point outside a knee; or "
		"NAME=VALUE,...: median=P% worst=P% level=P% knee=OCTAVES "
		"direction=both|higher|lower|worse test=yes|no missing=yes|no",
		0},
	{"gates", KEY_GATES, "FILE", 0,
		"gates by series: lines of BENCH[:KEY=VALUE]... GATE, of which "
		"the first that matches decides",
		0},
	{"strict", KEY_STRICT, NULL, 0,
		"fail with status 3 if a point is marked", 0},
	{"format", 'f', "FORMAT", 0, "table, csv, json, md or tex", 0},
	{"output", 'o', "FILE", 0,
		"write there; the name chooses the format if -f does not, and "
		"svg, pdf or png make a figure",
		0},
	WINDOW_OPTIONS,
	{0},
};

static void parse_gate(
	const char *argument, struct options *options, struct argp_state *state)
{
	struct error error;

	if (gate_parse(argument, &options->gate, &error))
		argp_error(state, "--gate: %s", error.text);
	options->gated = true;
}

static void parse_format(
	const char *argument, struct options *options, struct argp_state *state)
{
	options->format = destination_format(argument, FORMATS);
	if (options->format < 0)
		argp_error(state,
			"the format '%s' is none of table, csv, "
			"json, md, tex",
			argument);
}

/* Counters of others have names of their own. */
static void check_kind(struct options *options, struct argp_state *state)
{
	options->tallies =
		tally_detect(options->base) || tally_detect(options->new);
	if (!options->tallies && options->counter && options->metric < 0)
		argp_error(state, "the metric '%s' is not known",
			options->counter);
	if (options->tallies &&
		(options->gated || options->gates || options->strict))
		argp_error(state, "--gate, --gates and --strict are of series, "
				  "not of profiles and Nsight's counters");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_METRIC:
		options->metric = metric_find(argument);
		options->counter = argument;
		return 0;
	case KEY_GATE:
		parse_gate(argument, options, state);
		return 0;
	case KEY_GATES:
		options->gates = argument;
		return 0;
	case KEY_STRICT:
		options->strict = true;
		return 0;
	case 'f':
		parse_format(argument, options, state);
		return 0;
	case 'o':
		options->output = argument;
		return 0;
	case KEY_WIDTH:
	case KEY_HEIGHT:
		window_parse(key, argument, state);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1)
			argp_error(state, "two files are compared, no more");
		*(state->arg_num ? &options->new : &options->base) = argument;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state, "two files are needed");
		if (options->gated && options->gates)
			argp_error(state, "--gate and --gates exclude each "
					  "other");
		check_kind(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int put(const struct comparison_list *list,
	const struct verdict *verdict, const struct destination *to,
	struct error *error)
{
	struct figure figure = {0};
	int result;

	if (!to->figure)
		return comparison_list_put(
			list, verdict, to->format, to->stream, error);
	result = draw_comparisons(list, &figure, error);
	if (!result)
		result = figure_write(&figure, to->figure, to->stream, error);
	figure_free(&figure);
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
	int result = options->gates
			     ? gates_read(options->gates, &gates, error)
			     : gates_single(&options->gate, &gates, error);

	if (result)
		return result;
	result = gates_judge(&gates, list, &verdict, error);
	if (put(list, &verdict, to, &unwritten)) {
		*error = unwritten;
		result = ERR_FAILED;
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
	int result =
		comparison_list_make(base, new, options->metric, &list, error);

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

static int compare_series(
	const struct options *options, FILE *out, struct error *error)
{
	struct series_list base = {0}, new = {0};
	struct destination to;
	int result = series_read(options->base, &base, error);

	if (!result)
		result = series_read(options->new, &new, error);
	if (!result && (series_take_counter(&base, options->metric) ||
			       series_take_counter(&new, options->metric)))
		result = error_set(error, ERR_FAILED, "out of memory");
	if (!result)
		result = destination_open(&to, options->output, options->format,
			(struct destination_forms){FORMATS, true}, out, error);
	if (!result)
		result = destination_close(
			&to, compare(options, &base, &new, &to, error), error);
	if (!result && options->strict)
		result = marks_gate(&base, error);
	if (!result && options->strict)
		result = marks_gate(&new, error);
	series_list_free(&base);
	series_list_free(&new);
	return result;
}

static int compare_tallies(
	const struct options *options, FILE *out, struct error *error)
{
	struct tally base = {0}, new = {0};
	struct destination to;
	int result = tally_read(options->base, &base, error);

	if (!result)
		result = tally_read(options->new, &new, error);
	if (!result)
		result = destination_open(&to, options->output, options->format,
			(struct destination_forms){TALLY_FORMATS, false}, out,
			error);
	if (!result)
		result = destination_close(&to,
			tally_compare(&base, &new, options->counter, to.format,
				to.stream, error),
			error);
	tally_free(&base);
	tally_free(&new);
	return result;
}

int command_compare(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, "BASE NEW",
		"Put two files of series side by side and say how far the "
		"new one is from the base. Profiles of kernels and Nsight "
		"Compute's CSV are compared by their counters.",
		NULL, NULL, NULL};
	struct options options = {.metric = -1, .format = -1};
	const char *inputs[3];
	int result;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(error, ERR_FAILED,
			"out of memory for the options of compare");
	inputs[0] = options.base;
	inputs[1] = options.new;
	inputs[2] = options.gates;
	result = destination_apart(options.output, inputs, 3, error);
	if (result)
		return result;
	return options.tallies ? compare_tallies(&options, out, error)
			       : compare_series(&options, out, error);
}
