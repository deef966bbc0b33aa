#ifndef NEARFAR_MACHINE_RANDOM_H
#define NEARFAR_MACHINE_RANDOM_H

/*
 * Random small machines, as machine files: a few SMs and slices, tiny caches
 * and queues, short latencies, every rule on or off. Each parameter is drawn
 * from a list of its own; what is not in a list is that of h200-sxm. The same
 * seed gives the same machine.
 */
#include <stdio.h>

#include "harness/program/permute.h"

#define MACHINE_RANDOM_MAX 192 /* parameters */

struct machine_random {
	struct {
		const char *name; /* "sm_count" */
		char value[24];
	} set[MACHINE_RANDOM_MAX];
	unsigned count;
};

void machine_random(struct machine_random *m, uint32_t seed);
int machine_random_print(const struct machine_random *m, FILE *out);

#endif
