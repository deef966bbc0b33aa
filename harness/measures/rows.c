#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "harness/measures/rows.h"

const struct measure measures[] = {
#define MEASURE(...) {__VA_ARGS__},
#include "harness/measures/measures.def"
};
const size_t measure_count = sizeof(measures) / sizeof(measures[0]);

const struct measure quick_measures[] = {
#define QUICK_MEASURE(...) {__VA_ARGS__},
#include "harness/measures/measures.def"
};
const size_t quick_measure_count =
	sizeof(quick_measures) / sizeof(quick_measures[0]);

size_t quick_measure_find(const char *name)
{
	size_t i;

	for (i = 0; i < quick_measure_count; i++)
		if (!strcmp(quick_measures[i].name, name))
			break;
	return i;
}

const struct measure *measure_find(const char *name)
{
	size_t i;

	for (i = 0; i < measure_count; i++)
		if (!strcmp(measures[i].name, name))
			return &measures[i];
	return NULL;
}

bool measure_wanted(const struct measure *row, const char *patterns)
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
