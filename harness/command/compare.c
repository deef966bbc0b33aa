#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/report/gate.h"

enum { KEY_METRIC = 0x100, KEY_GATE, KEY_GATES };

struct options {
	const char *base, *new;
	int metric; /* -1: the first that both have */
	struct gate gate;
	const char *gates; /* a file of them, or NULL */
	bool gated;        /* by either */
	enum series_format format;
};

static const struct argp_option argp_options[] = {
	{"metric", KEY_METRIC, "NAME", 0,
		"compare this metric (default: the first of both)", 0},
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
	{"format", 'f', "FORMAT", 0, "table, csv, json or md", 0},
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
	const int format = series_format_find(argument);

	if (format < 0 || format == FORMAT_JSONL)
		argp_error(state,
			"the format '%s' is none of table, csv, "
			"json, md",
			argument);
	options->format = (enum series_format)format;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_METRIC:
		options->metric = metric_find(argument);
		if (options->metric < 0)
			argp_error(state, "the metric '%s' is not known",
				argument);
		return 0;
	case KEY_GATE:
		parse_gate(argument, options, state);
		return 0;
	case KEY_GATES:
		options->gates = argument;
		return 0;
	case 'f':
		parse_format(argument, options, state);
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
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What the gates say is the result, whatever is written. */
static int put_judged(const struct options *options,
	const struct comparison_list *list, FILE *out, struct error *error)
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
	if (comparison_list_put(
		    list, &verdict, options->format, out, &unwritten)) {
		*error = unwritten;
		result = ERR_FAILED;
	}
	verdict_free(&verdict);
	gates_free(&gates);
	return result;
}

static int compare(const struct options *options,
	const struct series_list *base, const struct series_list *new,
	FILE *out, struct error *error)
{
	struct comparison_list list;
	int result =
		comparison_list_make(base, new, options->metric, &list, error);

	if (result)
		return result;
	if (options->gated || options->gates)
		result = put_judged(options, &list, out, error);
	else
		result = comparison_list_put(
			&list, NULL, options->format, out, error);
	if (!result && !list.count)
		result = series_pairs_none(&list.pairs, error);
	comparison_list_free(&list);
	return result;
}

int command_compare(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, "BASE NEW",
		"Put two files of series side by side and say how far the "
		"new one is from the base.",
		NULL, NULL, NULL};
	struct options options = {.metric = -1, .format = FORMAT_TABLE};
	struct series_list base = {0}, new = {0};
	int result;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(error, ERR_USAGE,
			"the options of compare cannot be read");
	result = series_read(options.base, &base, error);
	if (!result)
		result = series_read(options.new, &new, error);
	if (!result)
		result = compare(&options, &base, &new, out, error);
	series_list_free(&base);
	series_list_free(&new);
	return result;
}
