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
	struct options_words words; /* a format and a machine */
	const char *output;
};

static const struct options_row rows[] = {
	{"output", 'o', "FILE", "write there (default: standard output)",
		TAKES_TEXT, OPTIONS_AT(struct options, output),
		.values = VALUES_FILES},
	{0},
};

static const char *const examples[] = {
	"nearfar export gpgpusim h200-sxm -o gpgpusim.config",
	"nearfar export hwloc h100-sxm -o h100.xml",
	NULL,
};

const struct options_table export_options = {
	.name = "export",
	.summary = "a machine, as another simulator's configuration",
	.operands = "gpgpusim|hwloc MACHINE|FILE.yaml",
	.about = "Write a machine as a file of another tool. gpgpusim: "
		 "Accel-Sim's gpgpusim.config; what it cannot express stands "
		 "in comments. hwloc: the XML of the GPU, which 'lstopo -i "
		 "FILE' draws: partitions, TPCs, SMs and their schedulers.",
	.rows = rows,
	.words = offsetof(struct options, words),
	.least = 2,
	.most = 2,
	.needed = "a format and a machine are needed",
	.first = {VALUES_CHOICES, "gpgpusim|hwloc"},
	.rest = {VALUES_MACHINES, NULL},
	.examples = examples,
};

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
		{options->words.items[1], "the machine", false},
	};
	struct export_machine machine;
	int code = apart_check(files, 2, error);

	if (!code)
		code = export_machine_read(
			options->words.items[1], &machine, error);
	if (code)
		return code;
	code = put(options, format, &machine, out, error);
	export_machine_free(&machine);
	return code;
}

int command_export(int argc, char **argv, FILE *out, struct error *error)
{
	struct options options = {0};
	const char *format;
	size_t i;
	int code = options_parse(
		&export_options, argc, argv, NULL, &options, error);

	if (code)
		return code;
	format = options.words.items[0];
	for (i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i].name, format))
			return read_and_put(&options, i, out, error);
	return error_set(error, ERR_USAGE,
		"there is no format '%s', only gpgpusim and hwloc", format);
}
