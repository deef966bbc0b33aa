#include <string.h>

#include "harness/figure/destination.h"
#include "harness/keep/distinct.h"

#define NAMES_BYTES 128

/* "table, csv, json, md": the formats of a bit set. */
static void put_names(unsigned formats, char text[NAMES_BYTES])
{
	size_t used = 0;
	int format;

	*text = '\0';
	for (format = 0; format < FORMAT_COUNT && used < NAMES_BYTES; format++)
		if (formats >> format & 1)
			used += (size_t)snprintf(text + used,
				NAMES_BYTES - used, "%s%s", used ? ", " : "",
				series_format_names[format]);
}

int destination_apart(const char *path, const char *const *inputs, size_t count,
	struct error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < count; i++) {
		const struct distinct_file files[] = {{path, "-o", true},
			{inputs[i], "a file that is read", false}};

		code = distinct_check(files, 2, error);
	}
	return code;
}

static int refuse(
	const char *path, struct destination_forms forms, struct error *error)
{
	char names[NAMES_BYTES];

	put_names(forms.formats & ~(1u << FORMAT_TABLE), names);
	return error_set(error, ERR_USAGE,
		"'%s': the ending is none of txt, %s%s", path, names,
		forms.figures ? ", svg, pdf, png" : "");
}

static int choose(struct destination *destination, const char *path, int format,
	struct destination_forms forms, struct error *error)
{
	const struct figure_format *figure = figure_format_of(path);

	if (figure && forms.figures) {
		if (format >= 0)
			return error_set(error, ERR_USAGE,
				"'%s' is a figure, which has no -f", path);
		destination->figure = figure;
		return 0;
	}
	if (format < 0 && path && series_format_of(path, &destination->format))
		return refuse(path, forms, error);
	if (format >= 0)
		destination->format = (enum series_format)format;
	if (!(forms.formats >> destination->format & 1))
		return refuse(path ? path : "", forms, error);
	return 0;
}

int destination_open(struct destination *destination, const char *path,
	int format, struct destination_forms forms, FILE *out,
	struct error *error)
{
	int code;

	*destination =
		(struct destination){.format = FORMAT_TABLE, .stream = out};
	code = choose(destination, path, format, forms, error);
	if (code || !path)
		return code;
	code = output_open(&destination->output, path, error);
	if (code)
		return code;
	destination->opened = true;
	destination->stream = destination->output.stream;
	return 0;
}

int destination_close(
	struct destination *destination, int code, struct error *error)
{
	struct error unwritten;

	if (!destination->opened)
		return code;
	destination->opened = false;
	if (code && code != ERR_GATE) {
		output_abort(&destination->output);
		return code;
	}
	if (!output_commit(&destination->output, &unwritten))
		return code;
	*error = unwritten;
	return ERR_FAILED;
}
