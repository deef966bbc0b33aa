#ifndef NEARFAR_SEARCH_PROBE_H
#define NEARFAR_SEARCH_PROBE_H

/*
 * What can be measured of a GPU, for next.c: rows of the default suite, each
 * with a quick form that the model runs to see what a parameter does there.
 * Which parameters a bench informs say the tables of read-offs and groups.
 */
#include "harness/fit/search/parts.h"
#include "harness/contract/bench.h"

#define MEASURE_POINTS 4 /* of a quick form, at most */

struct probe {
	struct series series; /* what patterns see of the bench */
	struct program *programs[MEASURE_POINTS]; /* the quick form's */
	size_t count;
	uint32_t metrics;
	double base[MEASURE_POINTS][METRIC_COUNT]; /* with the values as they
						      are, once it is run */
	bool run;
};

extern const size_t probe_count;

/* Of a measure, by its number; probe_free() in any case. */
int probe_make(const struct search *c, size_t number, struct probe *probe,
	struct error *error);
void probe_free(struct probe *probe);

/* The command line that measures it on a GPU. */
void probe_command(size_t number, char *text, size_t bytes);

#endif
