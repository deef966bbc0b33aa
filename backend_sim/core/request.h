#ifndef NEARFAR_REQUEST_H
#define NEARFAR_REQUEST_H

/*
 * What travels through the chip, a line of a warp instruction at a time: the
 * pool of requests, and the tables of what is being fetched.
 */
#include <stdbool.h>
#include <stdint.h>

#include "harness/program/program.h"

struct engine;

#define NONE UINT32_MAX

/* Of the tables of what is being fetched: their buckets. */
#define TABLE_BITS_MIN 4
#define TABLE_BITS_MAX 16

/* How many sectors a mask of four holds. */
static inline unsigned sector_count(unsigned mask)
{
	return (UINT64_C(0x4332322132212110) >> (4 * (mask & 15))) & 15;
}

enum request_kind {
	REQUEST_LOAD,
	REQUEST_STORE,
	REQUEST_ATOMIC,
	REQUEST_REDUCTION,
	REQUEST_PREFETCH, /* into L2; answered, nobody waits */
	REQUEST_SECOND,   /* the second line of .L2::256B; not answered */
	REQUEST_WRITEBACK,
	REQUEST_DISCARD,
	REQUEST_PRIORITY, /* applypriority */
};

/* Where requests wait for what another one fetches. */
enum { WAIT_L1, WAIT_GPC, WAIT_NEAR, WAIT_HOME, FETCH_TABLES };

/* Half a cache line of the host, for tens of thousands are under way at once
   and each event touches one. What only the SM needs is not here but in struct
   access, what few need in struct links. */
struct request {
	uint32_t line; /* physical address / 128 */
	uint32_t warp; /* index, NONE for those nobody waits for */
	union {
		uint32_t page; /* in the SM: virtual, of the machine's size */
		uint32_t set;  /* beyond it: in the slice */
	};
	uint32_t sent;      /* by the GPC port: the cycle, its low bits */
	uint32_t wait_next; /* next waiter on the same list */
	uint16_t sm : 11, gpc : 5;
	uint8_t waited;                   /* by table: others wait for it */
	uint8_t slice;                    /* within a partition */
	uint8_t kind : 4, texture : 4;    /* its cache, + 1; 0: L1 */
	uint8_t demand : 4, fetch : 4;    /* sectors: asked for; on their
					     way into the home slice */
	uint8_t whole : 4, bring : 4;     /* stores: written in full; far
					     loads: the reply leaves near */
	uint8_t prefetch : 4, buffer : 4; /* the prefetch-size hint, bytes /
					     32; index, PROGRAM_BUFFERS_MAX:
					     unknown */
	uint8_t operands : 6, waits : 2; /* atomics: distinct words; what of the
					    warp waits for it */
	uint8_t passes : 6;              /* atomics: lanes over distinct
					    words, rounded up */
	uint8_t side : 1, home : 1;      /* of the SM; of the line */
	uint8_t l1_class : 2, l2_class : 2;
	uint8_t credit : 3; /* sectors it holds of the SM's limit */
	uint8_t looked : 1; /* counted as hit or miss of L2 */
	uint8_t l1_hit : 2; /* what a hit does to the line's place */
	uint8_t l1_allocate : 1, l1_owner : 1;
	uint8_t gpc_owner : 1; /* others of its GPC can find it, to wait */
	uint8_t copies : 1;    /* leaves a near copy on its way back */
};

_Static_assert(sizeof(struct request) == 32, "two requests are a cache line");
_Static_assert(PROGRAM_BUFFERS_MAX < 16, "request.buffer has four bits");

/* Of a request, by table: the last of a ring of those who wait for what it
   fetches, if there are any; the next fetch that did not fit in the bucket. */
struct links {
	uint32_t waiters[FETCH_TABLES];
	uint32_t next[FETCH_TABLES];
};

/* A load that a GPC's port sent, for others of the GPC to wait for. */
struct recent {
	uint32_t request, sent; /* sent: as in the request */
};

#define RECENT_MAX 8192u /* a power of two */

#define FETCH_ENTRIES 14

/* Of a table of what is being fetched; a line of the host's cache. */
struct fetch_bucket {
	uint32_t entries[FETCH_ENTRIES];
	uint32_t live;  /* entries in use, as a set; in order of adding */
	uint32_t chain; /* request + 1; by links.next; 0: none */
};

_Static_assert(sizeof(struct fetch_bucket) == 64, "as words_like() looks at");

enum { WAITS_VALUE, WAITS_LINK, WAITS_LOOSE };

/* A hit in L1 makes the line the most recent one, with or without a new
   class, or leaves it as it is (.L1::evict_unchanged). */
enum { HIT_TOUCHES, HIT_MARKS, HIT_KEEPS };

/* Nothing, the line is dropped, a store's bytes go into it if it is there, or
   into a new one. */
enum { EFFECT_NONE, EFFECT_DROPS, EFFECT_UPDATES, EFFECT_WRITES };

/* What a request needs no longer once it has been through L1. */
struct access {
	uint32_t words; /* of 4 bytes that the lanes touch, as a set */
	uint16_t ticks; /* of the L1's pipe */
	uint8_t hit_late, miss_late; /* cycles, by earlier passes through L1 */
	uint8_t effect; /* what goes past L1 does to the line there */
	bool looks;     /* its operator may hit in L1 */
};

uint32_t request_take(struct engine *e); /* as it is: the caller fills it */
uint32_t request_new(struct engine *e, enum request_kind kind, uint32_t line);
void request_free(struct engine *e, uint32_t request);

/* The first cache a request looks in, as a place in the table of fetches. */
static inline uint32_t request_cache(const struct request *r)
{
	return (uint32_t)r->texture << 16 | r->sm;
}

/* Empties the tables. */
void fetch_reset(struct engine *e);

/* Who fetches any of these sectors of `line` for `place` (request_cache(),
   the side; 0 for the home), or NONE. */
uint32_t fetch_find(const struct engine *e, unsigned table, uint32_t place,
	uint32_t line, unsigned sectors);
/* The host's caches shall have where a fetch for the request stands. */
void fetch_prefetch(
	const struct engine *e, unsigned table, const struct request *r);
void fetch_add(struct engine *e, unsigned table, uint32_t request);
void fetch_wait(
	struct engine *e, unsigned table, uint32_t owner, uint32_t request);
/* From now on the fetch is not found; those who wait for it go on waiting. */
void fetch_hide(struct engine *e, unsigned table, uint32_t request);
/* Takes those who wait: a list, by wait_next. */
uint32_t fetch_waiters(struct engine *e, unsigned table, uint32_t request);
/* Both. */
uint32_t fetch_end(struct engine *e, unsigned table, uint32_t request);

#endif
