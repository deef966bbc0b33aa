#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/fleet/verbs.h"

#define DAY_S 86400

/* The day of the words, else of the fingerprint, else today. */
static int day_of(const struct fleet_words *words,
	const struct fingerprint *fingerprint, int *day, struct error *error)
{
	const char *date = words->day;

	if (!date)
		date = facts_find(&fingerprint->identity, "date");
	if (!date) {
		*day = (int)(time(NULL) / DAY_S);
		return 0;
	}
	return fleet_day_parse(date, day)
		       ? 0
		       : error_set(error, ERR_USAGE,
				 "'%s' is no day such as 2026-11-22", date);
}

static int add_file(struct fleet *fleet, const struct fleet_words *words,
	const char *path, struct error *error)
{
	struct fingerprint fingerprint;
	int day, code = fingerprint_read(path, &fingerprint, error);

	if (code)
		return code;
	code = day_of(words, &fingerprint, &day, error);
	if (!code)
		code = fleet_add(fleet, &fingerprint, day, error);
	fingerprint_free(&fingerprint);
	return code ? error_prefix(error, code, "%s: ", path) : 0;
}

int fleet_verb_add(
	const struct fleet_words *words, FILE *out, struct error *error)
{
	struct fleet *fleet;
	size_t i;
	int code = fleet_open(&fleet, words->store, true, error);

	if (code)
		return code;
	code = fleet_begin(fleet, error);
	for (i = 0; !code && i < words->count; i++)
		code = add_file(fleet, words, words->arguments[i], error);
	if (!code)
		code = fleet_commit(fleet, error);
	fleet_close(fleet);
	if (!code)
		fprintf(out, "added: %zu fingerprint%s to '%s'\n", words->count,
			words->count == 1 ? "" : "s", words->store);
	return code;
}
