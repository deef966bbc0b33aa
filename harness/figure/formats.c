#include <string.h>

#include "harness/figure/figure.h"

/* A pixel is a 96th of an inch. */
static const struct figure_format formats[] = {
	{"svg", "svg", 1, ""},
	{"png", "pngcairo", 2, ""},
	{"pdf", "pdfcairo", 2.54 / 96, "cm"},
};

const struct figure_format *figure_format_of(const char *path)
{
	size_t length = path ? strlen(path) : 0, i;

	if (length > 3 && !strcmp(path + length - 3, ".gz"))
		length -= 3;
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const size_t ending = strlen(formats[i].ending);

		if (length > ending + 1 && path[length - ending - 1] == '.' &&
			!strncmp(path + length - ending, formats[i].ending,
				ending))
			return &formats[i];
	}
	return NULL;
}
