#ifndef NEARFAR_CASE_H
#define NEARFAR_CASE_H

/*
 * A case for the model and its reference: a random machine, and a random
 * program bent so that accesses meet, caches fill and rules apply. The same
 * seed gives the same case.
 */
#include <stdbool.h>

#include "tests/support/machine_random.h"
#include "harness/program/program.h"

struct test_case {
	uint32_t seed;
	struct machine_random machine;
	struct program program;
};

/* `c` is zeroed. */
void case_make(struct test_case *c, uint32_t seed);

/* The change `number` of those that make a program smaller; it may be illegal
   then, or as before. False: there are no more. */
bool case_shrink(struct program *p, uint32_t number);

#endif
