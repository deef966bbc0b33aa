#ifndef NEARFAR_FETCH_H
#define NEARFAR_FETCH_H

/*
 * What is being fetched, and who waits for it: a hash table for each place at
 * which requests that miss on the same line wait for the first of them.
 */
#include <stdint.h>

#include "backend_sim/core/request.h"

/* Buckets of a table. */
#define TABLE_BITS_MIN 4
#define TABLE_BITS_MAX 16

/* Where requests wait for what another one fetches. */
enum { WAIT_L1, WAIT_GPC, WAIT_NEAR, WAIT_HOME, FETCH_TABLES };

/* Of a request, by table: the last of a ring of those who wait for what it
   fetches, if there are any; the next fetch that did not fit in the bucket. */
struct links {
	uint32_t waiters[FETCH_TABLES];
	uint32_t next[FETCH_TABLES];
};

#define FETCH_ENTRIES 14

/* Of a table; a line of the host's cache. */
struct fetch_bucket {
	uint32_t entries[FETCH_ENTRIES];
	uint32_t live;  /* entries in use, as a set; in order of adding */
	uint32_t chain; /* request + 1; by links.next; 0: none */
};

_Static_assert(sizeof(struct fetch_bucket) == 64, "as words_like() looks at");

struct fetches {
	struct fetch_bucket *table[FETCH_TABLES]; /* owned */
	uint32_t bits[FETCH_TABLES];              /* of its size now */
	uint32_t count[FETCH_TABLES];             /* fetches in it */
};

struct core;

int fetch_init(struct fetches *f); /* less than 0 without memory */
void fetch_free(struct fetches *f);
/* Empties the tables. */
void fetch_reset(struct fetches *f);

/* Who fetches any of these sectors of `line` for `place` (request_cache(), the
   side; 0 for the home), or NONE. At WAIT_GPC: who fetches some of the line for
   any of these GPCs of the side. */
uint32_t fetch_find(const struct core *core, unsigned table, uint32_t place,
	uint32_t line, unsigned sectors);
/* Fetches where a fetch for the request stands into the host's caches. */
void fetch_prefetch(
	const struct core *core, unsigned table, const struct request *r);
void fetch_add(struct core *core, unsigned table, uint32_t request);
void fetch_wait(
	struct core *core, unsigned table, uint32_t owner, uint32_t request);
/* From now on the fetch is not found; those who wait for it go on waiting. */
void fetch_hide(struct core *core, unsigned table, uint32_t request);
/* Takes those who wait: a list, by wait_next. */
uint32_t fetch_waiters(struct core *core, unsigned table, uint32_t request);
/* Both. */
uint32_t fetch_end(struct core *core, unsigned table, uint32_t request);

#endif
