#ifndef NEARFAR_L1_PARTS_H
#define NEARFAR_L1_PARTS_H

/* What lookups and fills share. */
#include "backend_sim/memory/l1.h"

/*
 * The set is a remainder of polynomials over two, of the line's number: any
 * aligned power of two of memory, and any stride that is a power of two, fills
 * all sets evenly, and other strides fill them as chance would (Rau,
 * "Pseudo-randomly interleaved memory", 1991). An H200's L1 shows each of that:
 * 512 sets of 4 ways, which have 1920 lines in all.
 */
static inline uint32_t l1_set(const struct cache *c, uint32_t line)
{
	return remainder_of(c->index, line);
}

static inline struct cache *l1_cache_of(
	const struct l1 *l, const struct request *r)
{
	struct l1_caches *sm = &l->sms[r->sm];

	return r->texture ? &sm->texture[r->texture - 1] : &sm->l1;
}

/* The line's entry, after what the access does to its place and class. */
static inline cache_entry *l1_find(
	const struct cache *c, uint32_t set, const struct request *r)
{
	cache_entry *entry = r->l1_hit == HIT_KEEPS
				     ? cache_find(c, set, r->line)
				     : cache_touch(c, set, r->line);

	if (r->l1_hit == HIT_MARKS && entry) {
		*entry &= ~(UINT64_C(3) << ENTRY_CLASS_SHIFT);
		*entry |= (uint64_t)r->l1_class << ENTRY_CLASS_SHIFT;
	}
	return entry;
}

/* Some of what the request asks for is not there: it is fetched from `cycle`
   on, or waited for. */
void l1_miss(struct l1 *l, uint32_t request, uint64_t cycle);

#endif
