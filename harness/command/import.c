#include <string.h>

#include "harness/command/command.h"
#include "harness/exchange/import.h"
#include "harness/keep/apart.h"
#include "harness/run/opened.h"
#include "harness/run/rebuild.h"
#include "harness/run/registry.h"
#include "harness/series/io.h"

struct options {
	struct options_words files;
	const char *output, *format, *gpu;
};

static const struct options_row rows[] = {
	{"output", 'o', "FILE",
		"write there (JSON; gzipped if it ends in .gz); default: "
		"standard output",
		TAKES_TEXT, OPTIONS_AT(struct options, output),
		.values = VALUES_FILES},
	{"format", 'f', "FORMAT",
		"likwid-bench, mt4g, mt4g-raw, gpu-benches-latency, "
		"gpu-benches-l2 or gpu-benches-strides (default: told by "
		"content)",
		TAKES_TEXT, OPTIONS_AT(struct options, format),
		.values = VALUES_CHOICES,
		.choices = "likwid-bench|mt4g|mt4g-raw|gpu-benches-latency|"
			   "gpu-benches-l2|gpu-benches-strides",
		.example = "mt4g"},
	{"gpu", 0, "NAME",
		"what was measured (default: as the file or its name says)",
		TAKES_TEXT, OPTIONS_AT(struct options, gpu),
		.example = "h100-pcie"},
	{0},
};

static const char *const examples[] = {
	"nearfar import mt4g.json -o mt4g-series.json",
	"nearfar import gpu-latency.txt --gpu h100-pcie -o latency.json.gz",
	NULL,
};

const struct options_table import_options = {
	.name = "import",
	.summary = "measurements by other tools, as series",
	.operands = "FILE...",
	.about = "Turn measurements by other tools into series: mt4g's JSON "
		 "and raw samples, the outputs of gpu-benches and "
		 "likwid-bench.",
	.rows = rows,
	.words = offsetof(struct options, files),
	.least = 1,
	.most = SIZE_MAX,
	.needed = "a file is needed",
	.first = {VALUES_FILES, NULL},
	.rest = {VALUES_FILES, NULL},
	.examples = examples,
};

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
	size_t i;
	int code = 0;

	for (i = 0; !code && i < options->files.count; i++) {
		files[1] = (struct apart_file){
			options->files.items[i], "the measurement", false};
		code = apart_check(files, 2, error);
	}
	return code;
}

int command_import(int argc, char **argv, FILE *out, struct error *error)
{
	struct options options = {0};
	struct series_list list = {0};
	size_t i;
	int code = options_parse(
		&import_options, argc, argv, NULL, &options, error);

	if (!code)
		code = check_apart(&options, error);
	for (i = 0; !code && i < options.files.count; i++)
		code = import_read(options.files.items[i], options.format,
			options.gpu, &list, error);
	if (!code)
		code = add_programs(&list, error);
	if (!code)
		code = put(&options, &list, out, error);
	series_list_free(&list);
	return code;
}
