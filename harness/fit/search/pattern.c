/* Words that name series: BENCH[:KEY=VALUE]... */
#include <fnmatch.h>
#include <string.h>

#include "harness/fit/search/parts.h"
#include "harness/run/registry.h"

#define WORD_BYTES 256

bool next_word(const char **list, char *word, size_t bytes)
{
	const char *at = *list + strspn(*list, " ");
	size_t length = strcspn(at, " ");

	if (!length || length >= bytes)
		return false;
	memcpy(word, at, length);
	word[length] = '\0';
	*list = at + length;
	return true;
}

/* `word` is cut at its colons. An option that the series lacks matches "KEY="
   alone. */
static bool word_matches(char *word, const struct series *series)
{
	char *rest, *part = strtok_r(word, ":", &rest);
	const char *row;

	if (part && part[0] == '@') {
		row = facts_find(&series->provenance, MEASURE_ROW);
		return row && !fnmatch(part + 1, row, 0);
	}
	if (!part || fnmatch(part, series->bench, 0))
		return false;
	while ((part = strtok_r(NULL, ":", &rest)) != NULL) {
		char *equals = strchr(part, '=');
		const char *value;

		if (!equals)
			return false;
		*equals = '\0';
		value = facts_find(&series->options, part);
		if (value ? fnmatch(equals + 1, value, 0) : equals[1])
			return false;
	}
	return true;
}

bool pattern_matches(const char *patterns, const struct series *series)
{
	char word[WORD_BYTES];

	while (next_word(&patterns, word, sizeof(word)))
		if (word_matches(word, series))
			return true;
	return false;
}

static bool bench_has(const struct bench *bench, const char *option)
{
	const struct bench_option *o;

	for (o = bench->options; o->name; o++)
		if (!strcmp(o->name, option))
			return true;
	return false;
}

/* Some bench that the first word names has all options of the others. */
static bool any_bench(char *word)
{
	char *rest, *part, *name = strtok_r(word, ":", &rest);
	char *options[BENCH_OPTIONS_MAX];
	size_t count = 0, i, k;

	while ((part = strtok_r(NULL, ":", &rest)) != NULL) {
		if (count == BENCH_OPTIONS_MAX || !strchr(part, '='))
			return false;
		*strchr(part, '=') = '\0';
		options[count++] = part;
	}
	for (i = 0; name && benches[i]; i++) {
		bool all = !fnmatch(name, benches[i]->name, 0);

		for (k = 0; k < count; k++)
			all = all && bench_has(benches[i], options[k]);
		if (all)
			return true;
	}
	return false;
}

int pattern_check(const char *pattern, struct error *error)
{
	char word[WORD_BYTES];
	const char *at = pattern;

	if (strlen(pattern) < sizeof(word) && !strchr(pattern, ' ') &&
		next_word(&at, word, sizeof(word)) && any_bench(word))
		return 0;
	return error_set(error, ERR_USAGE,
		"'%s' does not name series as BENCH[:KEY=VALUE]... does, with "
		"a bench of `nearfar list` and options of it",
		pattern);
}
