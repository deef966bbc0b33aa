#ifndef NEARFAR_CALLS_H
#define NEARFAR_CALLS_H

/*
 * What lanes keep in calls of functions by themselves (flow/recur.h): a record
 * for each that is under way, with the site, the rows of registers and what
 * calls take and return.
 */
#include "backend_sim/code/code.h"

struct calls {
	struct warp_calls {
		uint8_t *records; /* [depth][lane]; owned */
		uint32_t capacity, depth[LANES];
	} * warps;       /* [warp of the execution]; owned */
	uint64_t bytes;  /* of all records */
	uint32_t record; /* bytes of one */
	uint32_t warp_count;
};

/* NULL for code that has no such calls; less than 0 without memory. */
int calls_make(
	struct calls **calls, const struct code *code, uint32_t warp_count);
void calls_free(struct calls *c); /* and NULL */
/* A warp begins: it has called nothing. */
void calls_open(struct calls *c, uint32_t warp); /* and NULL */

#endif
