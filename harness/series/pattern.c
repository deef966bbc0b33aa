#include <fnmatch.h>
#include <string.h>

#include "harness/series/identity.h"
#include "harness/series/pattern.h"

int series_pattern_check(const char *pattern, struct error *error)
{
	char word[PATTERN_BYTES], *rest, *part;

	if (strlen(pattern) >= sizeof(word))
		return error_set(error, ERR_USAGE,
			"'%.40s...' is longer than the name of a series",
			pattern);
	strcpy(word, pattern);
	part = strtok_r(word, ":", &rest);
	while (part && (part = strtok_r(NULL, ":", &rest)) != NULL)
		if (!strchr(part, '=') || *part == '=')
			return error_set(error, ERR_USAGE,
				"'%s' does not name series as "
				"BENCH[:KEY=VALUE]... does",
				pattern);
	return *pattern && *pattern != ':'
		       ? 0
		       : error_set(error, ERR_USAGE,
				 "'%s' names no bench: BENCH[:KEY=VALUE]... "
				 "is expected",
				 pattern);
}

bool series_pattern_matches(const char *pattern, const struct series *series)
{
	char word[PATTERN_BYTES], *rest, *part;

	if (strlen(pattern) >= sizeof(word))
		return false;
	strcpy(word, pattern);
	part = strtok_r(word, ":", &rest);
	if (!part || fnmatch(part, series->bench, 0))
		return false;
	while ((part = strtok_r(NULL, ":", &rest)) != NULL) {
		char *equals = strchr(part, '=');
		const char *value;

		if (!equals)
			return false;
		*equals = '\0';
		value = series_trait_named(series, part);
		if (value ? fnmatch(equals + 1, value, 0) : equals[1])
			return false;
	}
	return true;
}
