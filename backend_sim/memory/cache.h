#ifndef NEARFAR_CACHE_H
#define NEARFAR_CACHE_H

/*
 * A cache. A set is an array of entries in order of use, the most recent first.
 * One entry holds line; valid, dirty and partly written sectors; class and
 * marks.
 */
#include <stdint.h>

#include "backend_sim/core/request.h"
#include "backend_sim/machine/divider.h"

typedef uint64_t cache_entry;

#define ENTRY_LINE(e)         ((uint32_t)(e))
#define ENTRY_VALID_SHIFT     32
#define ENTRY_DIRTY_SHIFT     36
#define ENTRY_PARTIAL_SHIFT   40 /* written in part, the rest not fetched */
#define ENTRY_CLASS_SHIFT     44
#define ENTRY_WORDS_SHIFT     48 /* of the partly written sector; L1 only */
#define ENTRY_REST_SHIFT      48 /* partly written twice; L2 only */
#define ENTRY_COPY            (UINT64_C(1) << 46)
#define ENTRY_USED            (UINT64_C(1) << 47)
#define ENTRY_FIELD(e, shift) ((unsigned)((e) >> (shift)) & 15u)
#define ENTRY_CLASS(e)        ((unsigned)((e) >> ENTRY_CLASS_SHIFT) & 3u)

/* A clean line of memory that no program has. */
#define ENTRY_FOREIGN                                                          \
	(ENTRY_USED | UINT32_MAX | UINT64_C(15) << ENTRY_VALID_SHIFT |         \
		(uint64_t)CLASS_NORMAL << ENTRY_CLASS_SHIFT)

struct cache {
	cache_entry *entries; /* sets * ways */
	struct divider sets;
	uint32_t ways;
	uint32_t lines_max;    /* that it has room for; 0: as many as there are
				  ways, uncounted */
	uint32_t lines;        /* that it holds */
	uint32_t first_ways;   /* CLASS_FIRST lines that a set of others makes
				  room for */
	uint32_t turns;        /* L1: CLASS_FIRST lines that took the place
				  of another since it was cleared */
	uint32_t random_share; /* of 2^16: victims chosen at random */
	uint32_t random_state;
	const struct remainders *index; /* L1: of a line's set; else NULL */
};

/* Of polynomials over two, by one of 2^degree remainders, for each byte of a
   dividend. */
#define REMAINDER_DEGREE_MAX 13
struct remainders {
	uint16_t of[4][256];
};
void remainders_init(struct remainders *r, unsigned degree);

static inline uint32_t remainder_of(const struct remainders *r, uint32_t n)
{
	return r->of[0][n & 255] ^ r->of[1][n >> 8 & 255] ^
	       r->of[2][n >> 16 & 255] ^ r->of[3][n >> 24];
}

/* Empty; cache_free() ends it. Less than 0 without memory. */
int cache_init(
	struct cache *c, uint32_t sets, uint32_t ways, double random_share);
void cache_free(struct cache *c);
void cache_clear(struct cache *c);

cache_entry *cache_set(const struct cache *c, uint32_t set);

/* The host's caches shall have the set. */
void cache_prefetch(const struct cache *c, uint32_t set);

/* Finds a line and makes it the most recent; NULL if it is not there. */
cache_entry *cache_touch(const struct cache *c, uint32_t set, uint32_t line);
cache_entry *cache_find(const struct cache *c, uint32_t set, uint32_t line);

/* Puts a line that is absent in, as the most recent; what it displaced is
   stored in *victim (0: nothing). `last_max` bounds CLASS_LAST ways. */
cache_entry *cache_insert(struct cache *c, uint32_t set, uint32_t line,
	unsigned class, unsigned last_max, cache_entry *victim);

/* A CLASS_FIRST line has missed: in a full set another CLASS_FIRST line, if
   there is one, gives its place. Returns that line, or 0. */
cache_entry cache_ask(struct cache *c, uint32_t set);

/* Takes a line out of a cache whose lines are counted. */
void cache_drop(struct cache *c, uint32_t set, uint32_t line);

#endif
