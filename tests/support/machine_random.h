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

#define MACHINE_RANDOM_MAX 256 /* parameters */

struct machine_random {
	struct {
		const char *name; /* "sm_count" */
		char value[24];
	} set[MACHINE_RANDOM_MAX];
	unsigned count;
};

void machine_random(struct machine_random *m, uint32_t seed);

/* How large a drawn shape may be. */
struct machine_shape {
	uint32_t sms, l1_lines, sets; /* sets: of a slice */
};

/* Gives the machine another shape, at random: 1 to 12 GPCs, each with as many
   TPCs of the rotation as it likes; one side with 1 to 100 slices or two sides
   with 1 to 50 each, some of them unused, whatever their number divides by;
   with near copies or without; L1 of any number of lines; any number of
   channels and banks. The rest stays. */
void machine_random_shape(struct machine_random *m, uint32_t seed,
	const struct machine_shape *most);
int machine_random_print(const struct machine_random *m, FILE *out);

#endif
