#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/report/compare.h"
#include "harness/base/units.h"

enum { KEY_METRIC = 0x100, KEY_GATE };

struct options {
	const char *base, *new;
	int metric;          /* -1: the first that both have */
	double gate_percent; /* -1: none */
	enum series_format format;
};

static const struct argp_option argp_options[] = {
	{"metric", KEY_METRIC, "NAME", 0,
		"compare this metric (default: the first of both)", 0},
	{"gate", KEY_GATE, "P%", 0,
		"fail with status 3 if a median error exceeds P %", 0},
	{"format", 'f', "FORMAT", 0, "table, csv, json or md", 0},
	{0},
};

static void parse_gate(
	const char *argument, struct options *options, struct argp_state *state)
{
	char text[32];
	size_t length = strlen(argument);

	if (length && argument[length - 1] == '%')
		length--;
	if (length < sizeof(text)) {
		memcpy(text, argument, length);
		text[length] = '\0';
		if (!units_parse_real(text, &options->gate_percent, NULL) &&
			options->gate_percent >= 0)
			return;
	}
	argp_error(state, "the gate '%s' is not a percentage", argument);
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
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
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
	result = comparison_list_put(&list, options->format, out, error);
	if (!result && options->gate_percent >= 0)
		result = comparison_list_gate(
			&list, options->gate_percent, error);
	else if (!result && !list.count)
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
	struct options options = {
		.metric = -1, .gate_percent = -1, .format = FORMAT_TABLE};
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
