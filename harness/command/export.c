#include <argp.h>
#include <errno.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/exchange/export.h"
#include "harness/base/output.h"
#include "harness/keep/apart.h"

static const struct {
	const char *name;
	int (*put)(const struct export_machine *machine, FILE *out,
		struct error *error);
} formats[] = {
	{"gpgpusim", export_gpgpusim},
	{"hwloc", export_hwloc},
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

struct options {
	const char *format, *machine, *output;
};

static const struct argp_option argp_options[] = {
	{"output", 'o', "FILE", 0, "write here (default: standard output)", 0},
	{0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'o':
		options->output = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1)
			argp_error(state, "one machine is exported, no more");
		*(state->arg_num ? &options->machine : &options->format) =
			argument;
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state, "a format and a machine are needed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int put(const struct options *options, size_t format,
	const struct export_machine *machine, FILE *out, struct error *error)
{
	struct output output;
	int code;

	if (!options->output)
		return formats[format].put(machine, out, error);
	code = output_open(&output, options->output, error);
	if (code)
		return code;
	code = formats[format].put(machine, output.stream, error);
	if (!code)
		return output_commit(&output, error);
	output_abort(&output);
	return code;
}

/* The machine is read first: nothing is written if that fails. */
static int read_and_put(const struct options *options, size_t format, FILE *out,
	struct error *error)
{
	const struct apart_file files[] = {
		{options->output, "-o", true},
		{options->machine, "the machine", false},
	};
	struct export_machine machine;
	int code = apart_check(files, 2, error);

	if (!code)
		code = export_machine_read(options->machine, &machine, error);
	if (code)
		return code;
	code = put(options, format, &machine, out, error);
	export_machine_free(&machine);
	return code;
}

int command_export(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse,
		"gpgpusim|hwloc MACHINE|FILE.yaml",
		"Write a machine as a file of another tool. gpgpusim: "
		"Accel-Sim's gpgpusim.config; what it cannot express stands in "
		"comments. hwloc: the XML of the GPU, which 'lstopo -i FILE' "
		"draws: partitions, TPCs, SMs and their schedulers.",
		NULL, NULL, NULL};
	struct options options = {0};
	size_t i;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(error, ERR_FAILED,
			"out of memory for the options of export");
	for (i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i].name, options.format))
			return read_and_put(&options, i, out, error);
	return error_set(error, ERR_USAGE,
		"there is no format '%s', only gpgpusim and hwloc",
		options.format);
}
