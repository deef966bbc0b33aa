#include <string.h>

#include "engine.h"

cache_entry *cache_set(const struct cache *c, uint32_t set)
{
	return c->entries + (size_t)set * c->ways;
}

#define ENTRY_KEY(e) ((e) & (ENTRY_USED | UINT32_MAX))

cache_entry *cache_find(const struct cache *c, uint32_t set, uint32_t line)
{
	cache_entry *entry = cache_set(c, set), *end = entry + c->ways;

	for (; entry < end; entry++)
		if (ENTRY_KEY(*entry) == (ENTRY_USED | line))
			return entry;
	return NULL;
}

cache_entry *cache_touch(const struct cache *c, uint32_t set, uint32_t line)
{
	cache_entry *first = cache_set(c, set);
	cache_entry *entry = cache_find(c, set, line);
	cache_entry value;

	if (!entry || entry == first)
		return entry;
	value = *entry;
	memmove(first + 1, first, (size_t)(entry - first) * sizeof(*first));
	*first = value;
	return first;
}

/* The way to give up: an unused one, else the least recently used (or a
   random one) of the lowest class present. */
static uint32_t choose_victim(
	struct cache *c, const cache_entry *set, unsigned last_max)
{
	uint32_t count[4] = {0}, way, last;
	unsigned class;

	for (way = c->ways; way-- > 0;) {
		if (!(set[way] & ENTRY_USED))
			return way;
		count[ENTRY_CLASS(set[way])]++;
	}
	class = count[CLASS_FIRST] ? CLASS_FIRST : CLASS_NORMAL;
	if (count[CLASS_LAST] > last_max || !count[class])
		class = CLASS_LAST;
	last = c->ways - 1;
	if (c->random_share) {
		c->random_state = c->random_state * 1664525u + 1013904223u;
		if ((c->random_state >> 16) < c->random_share)
			last = (uint32_t)(((uint64_t)permute_mix(
						   c->random_state) *
						  c->ways) >>
					  32);
	}
	for (way = last + 1; way-- > 0;)
		if (ENTRY_CLASS(set[way]) == class)
			return way;
	for (way = c->ways; way-- > 0;)
		if (ENTRY_CLASS(set[way]) == class)
			return way;
	return c->ways - 1;
}

cache_entry *cache_insert(struct cache *c, uint32_t set, uint32_t line,
	unsigned class, unsigned last_max, cache_entry *victim)
{
	cache_entry *first = cache_set(c, set);
	uint32_t way = choose_victim(c, first, last_max);

	*victim = first[way] & ENTRY_USED ? first[way] : 0;
	memmove(first + 1, first, way * sizeof(*first));
	*first = ENTRY_USED | ((uint64_t) class << ENTRY_CLASS_SHIFT) | line;
	return first;
}
