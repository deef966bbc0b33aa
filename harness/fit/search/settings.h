#ifndef NEARFAR_SEARCH_SETTINGS_H
#define NEARFAR_SEARCH_SETTINGS_H

/* The values of a fit as settings of its backend. */
#include "harness/fit/search/parts.h"

#define SETS_MAX 256

struct settings {
	char text[SETS_MAX][2 * VALUE_BYTES];
	const char *list[SETS_MAX];
	size_t count;
	uint64_t digest; /* never 0 */
};

/* What differs from the start. */
void settings_make(
	const struct search *c, const double *values, struct settings *s);

int settings_open(const struct search *c, const struct settings *s,
	struct backend **backend, struct error *error);

#endif
