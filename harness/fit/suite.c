#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "harness/fit/suite.h"

const struct fit_row fit_rows[] = {
#define MEASURE(...) {__VA_ARGS__},
#include "harness/measures/measures.def"
};
const size_t fit_row_count = sizeof(fit_rows) / sizeof(fit_rows[0]);

const struct fit_row *fit_row_find(const char *name)
{
	size_t i;

	for (i = 0; i < fit_row_count; i++)
		if (!strcmp(fit_rows[i].name, name))
			return &fit_rows[i];
	return NULL;
}

bool fit_row_wanted(const struct fit_row *row, const char *patterns)
{
	const char *at = patterns;
	char pattern[64];

	while (at && *at) {
		const size_t length = strcspn(at, ",");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)length, at);
		if (!fnmatch(pattern, row->name, 0))
			return true;
		at += length + (at[length] == ',');
	}
	return !patterns;
}
