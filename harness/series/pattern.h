#ifndef NEARFAR_PATTERN_H
#define NEARFAR_PATTERN_H

/*
 * Words that name series: BENCH[:KEY=VALUE]..., where a key is any trait
 * (identity.h: an option, a --set parameter, backend, machine...) and bench and
 * values may have * and ? in them.
 */
#include "harness/base/error.h"
#include "harness/series/series.h"

#define PATTERN_BYTES 256

/* ERR_USAGE if the word is not of that form. */
int series_pattern_check(const char *pattern, struct error *error);

/* `pattern` is of that form. A trait that the series lacks matches "KEY="
 * alone.
 */
bool series_pattern_matches(const char *pattern, const struct series *series);

#endif
