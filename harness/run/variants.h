#ifndef NEARFAR_VARIANTS_H
#define NEARFAR_VARIANTS_H

/*
 * Options with several values: "--op ld.ca,ld.cg" is a series for each value,
 * "all" stands for every word of a choice, and several such options for every
 * combination, the last one changing fastest. Shares of the device (shares.h)
 * are numbers in them.
 */
#include "harness/contract/bench.h"
#include "harness/run/plan.h"

#define VARIANTS_MAX 4096

struct variants {
	size_t count; /* at least 1 */
	size_t option_count;
	char **words; /* owned; option i has words[first[i] ..] */
	size_t word_count;
	size_t first[BENCH_OPTIONS_MAX + 1];
};

/* What `given` says of the options that the bench has. ERR_USAGE for an empty
   value or more than VARIANTS_MAX combinations. */
int variants_init(struct variants *variants, const struct bench *bench,
	const struct given_option *given, size_t given_count,
	const struct device *device, struct error *error);
void variants_free(struct variants *variants);

/* Every option of the bench as variant `index` has it; the words belong to
   the variants. */
void variants_get(const struct variants *variants, const struct bench *bench,
	size_t index, struct given_option options[BENCH_OPTIONS_MAX]);

#endif
