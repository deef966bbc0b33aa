#include <argp.h>
#include <errno.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/exchange/import.h"
#include "harness/keep/apart.h"
#include "harness/run/opened.h"
#include "harness/run/rebuild.h"
#include "harness/run/registry.h"
#include "harness/series/io.h"

enum { KEY_GPU = 0x100 };

struct options {
	const char *output, *format, *gpu;
	char **files;
	int file_count;
};

static const struct argp_option argp_options[] = {
	{"output", 'o', "FILE", 0,
		"write here (JSON; gzipped if it ends in .gz); default: "
		"standard output",
		0},
	{"format", 'f', "FORMAT", 0,
		"likwid-bench, mt4g, mt4g-raw, gpu-benches-latency, "
		"gpu-benches-l2 or gpu-benches-strides (default: told by "
		"content)",
		0},
	{"gpu", KEY_GPU, "NAME", 0,
		"what was measured (default: as the file or its name says)", 0},
	{0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'o':
		options->output = argument;
		return 0;
	case 'f':
		options->format = argument;
		return 0;
	case KEY_GPU:
		options->gpu = argument;
		return 0;
	case ARGP_KEY_ARGS:
		options->files = state->argv + state->next;
		options->file_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a file is needed");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Programs with which calibrate can run what was measured, for the default
   machine: what gpu-benches and mt4g do depends on no other. */
static int add_programs(struct series_list *list, struct error *error)
{
	const struct backend_config config = {.machine = NULL};
	struct opened opened;
	int code = opened_open(&opened, backends[0], &config, error);

	if (code)
		return code;
	code = rebuild_programs(list, &opened.device, error);
	opened_close(&opened);
	return code;
}

static int put(const struct options *options, const struct series_list *list,
	FILE *out, struct error *error)
{
	return options->output ? series_write_file(list, FORMAT_JSON,
					 options->output, error)
			       : series_write(list, FORMAT_JSON, out, error);
}

/* Each file against the output; they may be equal to each other. */
static int check_apart(const struct options *options, struct error *error)
{
	struct apart_file files[2] = {{options->output, "-o", true}};
	int i, code = 0;

	for (i = 0; !code && i < options->file_count; i++) {
		files[1] = (struct apart_file){
			options->files[i], "the measurement", false};
		code = apart_check(files, 2, error);
	}
	return code;
}

int command_import(int argc, char **argv, FILE *out, struct error *error)
{
	static const struct argp argp = {argp_options, parse, "FILE...",
		"Turn measurements by other tools into series: mt4g's JSON and "
		"raw samples, the outputs of gpu-benches and likwid-bench.",
		NULL, NULL, NULL};
	struct options options = {0};
	struct series_list list = {0};
	int i, code = 0;

	if (argp_parse(&argp, argc, argv, 0, NULL, &options))
		return error_set(error, ERR_FAILED,
			"out of memory for the options of import");
	code = check_apart(&options, error);
	for (i = 0; !code && i < options.file_count; i++)
		code = import_read(options.files[i], options.format,
			options.gpu, &list, error);
	if (!code)
		code = add_programs(&list, error);
	if (!code)
		code = put(&options, &list, out, error);
	series_list_free(&list);
	return code;
}
