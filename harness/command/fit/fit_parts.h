#ifndef NEARFAR_FIT_PARTS_H
#define NEARFAR_FIT_PARTS_H

/*
 * A row of a suite that is a fit to files of series: "NAME fit --from FILE...",
 * which the parts of the suite do together (harness/fit/search/others.h). Their
 * journals stand in DIR/NAME-of-N (harness/split/split.h).
 */
#include <stdio.h>

#include "harness/fit/search/search.h"
#include "harness/split/part.h"
#include "harness/split/split.h"

/* Whether the words of a row can be run; `points` that its targets hold. */
int fit_parts_look(
	const struct split_row *row, size_t *points, struct error *error);

/* A part of a row, with the others. */
int fit_parts_run(const struct split_row *row, const char *folder,
	const struct part *part, unsigned jobs, struct error *error);

/* The machine, to `output`, and the tables of `nearfar fit`, to `out`, of a row
   whose parts are at their end; else ERR_FAILED. */
int fit_parts_merge(const struct split_row *row, const char *folder,
	const char *output, FILE *out, struct error *error);

#endif
