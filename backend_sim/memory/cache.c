#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "backend_sim/core/memory.h"
#include "backend_sim/memory/cache.h"
#include "backend_sim/rules/rules.h"
#include "harness/program/permute.h"

void remainders_init(struct remainders *r, unsigned degree)
{
	/* With 0x373, that of degree 9, chases at strides that are no power of
	   two miss nearly as often as in an H200's L1. */
	static const uint32_t divisor[REMAINDER_DEGREE_MAX + 1] = {0x1, 0x3,
		0x7, 0xb, 0x13, 0x25, 0x43, 0x83, 0x11d, 0x373, 0x409, 0x805,
		0x1053, 0x201b};
	uint32_t of_bit[32], bit, remainder = 1, i, n;

	for (bit = 0; bit < 32; bit++) {
		if (remainder >> degree)
			remainder ^= divisor[degree];
		of_bit[bit] = remainder;
		remainder <<= 1;
	}
	for (i = 0; i < 4; i++)
		for (n = 0; n < 256; n++) {
			r->of[i][n] = 0;
			for (bit = 0; bit < 8; bit++)
				if (n >> bit & 1)
					r->of[i][n] ^=
						(uint16_t)of_bit[8 * i + bit];
		}
}

int cache_init(
	struct cache *c, uint32_t sets, uint32_t ways, double random_share)
{
	c->ways = ways;
	c->sets = divider_of(sets);
	c->random_share = (uint32_t)lround(random_share * 65536);
	c->random_state = 1;
	c->entries =
		memory_table((size_t)c->sets.by * c->ways, sizeof(cache_entry));
	if (!c->entries)
		return -1;
	cache_clear(c);
	return 0;
}

void cache_free(struct cache *c)
{
	free(c->entries);
}

void cache_clear(struct cache *c)
{
	memset(c->entries, 0,
		(size_t)c->sets.by * c->ways * sizeof(*c->entries));
	c->lines = 0;
	c->turns = 0;
}

cache_entry *cache_set(const struct cache *c, uint32_t set)
{
	return c->entries + (size_t)set * c->ways;
}

void cache_prefetch(const struct cache *c, uint32_t set)
{
	const cache_entry *entries = cache_set(c, set);

	memory_prefetch(entries);
	memory_prefetch(entries + 8);
}

#define ENTRY_KEY(e) ((e) & (ENTRY_USED | UINT32_MAX))

/* The ways whose line is `line`, whether they are used or not, as a set. */
static uint64_t ways_of(const cache_entry *set, uint32_t ways, uint32_t line)
{
	uint64_t found = 0;
	uint32_t way = 0;

#ifdef __SSE2__
	const __m128i key = _mm_set1_epi32((int)line);

	for (; way + 4 <= ways; way += 4) {
		__m128 low = _mm_loadu_ps((const float *)(set + way));
		__m128 high = _mm_loadu_ps((const float *)(set + way + 2));
		__m128i lines = _mm_castps_si128(
			_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)));

		found |= (uint64_t)_mm_movemask_ps(
				 _mm_castsi128_ps(_mm_cmpeq_epi32(lines, key)))
			 << way;
	}
#endif
	for (; way < ways; way++)
		found |= (uint64_t)(ENTRY_LINE(set[way]) == line) << way;
	return found;
}

cache_entry *cache_find(const struct cache *c, uint32_t set, uint32_t line)
{
	cache_entry *entries = cache_set(c, set);
	uint64_t found;

	if (ENTRY_KEY(entries[0]) == (ENTRY_USED | line))
		return entries;
	for (found = ways_of(entries, c->ways, line); found;
		found &= found - 1) {
		cache_entry *entry = entries + __builtin_ctzll(found);

		if (*entry & ENTRY_USED)
			return entry;
	}
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

/* A random way, in the share of cases that the machine file says; else the
   least recently used. */
static uint32_t last_candidate(struct cache *c, uint32_t ways)
{
	if (!c->random_share)
		return ways - 1;
	c->random_state = c->random_state * 1664525u + 1013904223u;
	if ((c->random_state >> 16) >= c->random_share)
		return ways - 1;
	return (uint32_t)(((uint64_t)permute_mix(c->random_state) * ways) >>
			  32);
}

/* The least recently used line of a class, from way `last` on, then from the
   end. More evict_last lines than a set may hold, those not used longest,
   count as normal ones. */
static uint32_t oldest(const cache_entry *set, uint32_t ways, unsigned class,
	uint32_t last, uint32_t excess)
{
	uint32_t way;

	for (way = ways; way-- > 0;) {
		unsigned has = ENTRY_CLASS(set[way]);

		if (has == CLASS_LAST && excess) {
			excess--;
			has = CLASS_NORMAL;
		}
		if (has == class && way <= last)
			return way;
	}
	return ways;
}

/* Whether all ways are used, and none is anything but normal. */
static bool is_plain(const cache_entry *set, uint32_t ways)
{
	const cache_entry plain = ENTRY_USED | (uint64_t)CLASS_NORMAL
						       << ENTRY_CLASS_SHIFT;
	const cache_entry mask = ENTRY_USED | UINT64_C(3) << ENTRY_CLASS_SHIFT;
	cache_entry other = 0;
	uint32_t way;

	for (way = 0; way < ways; way++)
		other |= set[way] ^ plain;
	return !(other & mask);
}

/* The way to give up: an unused one, else the least recently used (or a
   random one) of the lowest class present. An evict_first line takes a normal
   one's place until the set has all those that it makes room for: where one
   that was there could give its place it has done so (cache_ask()). */
static uint32_t choose_victim(struct cache *c, const cache_entry *set,
	uint32_t ways, unsigned inserted, unsigned last_max)
{
	uint32_t count[4] = {0}, way, last, excess;
	unsigned class;

	if (is_plain(set, ways))
		return last_candidate(c, ways);
	for (way = ways; way-- > 0;) {
		if (!(set[way] & ENTRY_USED))
			return way;
		count[ENTRY_CLASS(set[way])]++;
	}
	excess =
		count[CLASS_LAST] > last_max ? count[CLASS_LAST] - last_max : 0;
	if (count[CLASS_FIRST] && (inserted != CLASS_FIRST ||
					  count[CLASS_FIRST] >= c->first_ways))
		return oldest(set, ways, CLASS_FIRST, ways, 0);
	last = last_candidate(c, ways);
	for (class = CLASS_NORMAL; class <= CLASS_LAST; class ++) {
		way = oldest(set, ways, class, last, excess);
		if (way == ways && last < ways - 1)
			way = oldest(set, ways, class, ways, excess);
		if (way < ways)
			return way;
	}
	return oldest(set, ways, CLASS_FIRST, ways, 0);
}

static void drop(struct cache *c, cache_entry *set, uint32_t way)
{
	memmove(set + way, set + way + 1,
		(size_t)(c->ways - way - 1) * sizeof(*set));
	set[c->ways - 1] = 0;
	c->lines--;
}

/* Does the set hold a line that is not evict_last, or more of those than
   last_max? */
static bool gives(const cache_entry *set, uint32_t ways, unsigned last_max)
{
	unsigned last = 0;
	uint32_t way;

	for (way = 0; way < ways && (set[way] & ENTRY_USED); way++)
		if (ENTRY_CLASS(set[way]) != CLASS_LAST || ++last > last_max)
			return true;
	return false;
}

/* Drops a line, for the cache has no room for another one. It looks at every
   other set, then at the rest, from one that the line's pair gives: the first
   that has a line to give drops it; if none has, one that holds any. Sets are a
   power of two, and the cache holds a line at least. */
static void make_room(
	struct cache *c, uint32_t line, unsigned class, unsigned last_max)
{
	const uint32_t from = permute_mix(line >> 1) ^ (line & 1);
	const uint32_t sets = c->sets.by;
	cache_entry *set = cache_set(c, from & (sets - 1));
	uint32_t used = 0, i, at;

	for (i = 0; i < 2 * sets; i++) {
		at = 2 * (i & (sets - 1));
		set = cache_set(c, (from + at + (at >= sets)) & (sets - 1));
		if (gives(set, c->ways, last_max) ||
			(i >= sets && (set[0] & ENTRY_USED)))
			break;
	}
	while (used < c->ways && (set[used] & ENTRY_USED))
		used++;
	drop(c, set, choose_victim(c, set, used, class, last_max));
}

/* Measured on an H200 and an H100, chases of ld.cs of 256 KiB to 92 MiB
   (pointer-chase-operators): of the lines that come to a set of four ways the
   first goes, then each that has come in its place; the second goes after some
   500 more, and the others stay. */
#define NEXT_TURNS 512u

/* The way of the CLASS_FIRST line whose place another one takes, among those
   used longest, too, in a full set of an L1 or a full L1; `ways`: none. */
static uint32_t succeeded(
	struct cache *c, const cache_entry *set, unsigned class)
{
	uint32_t used = 0, way;

	if (!RULE(FIRST_STAYS) || class != CLASS_FIRST || !c->lines_max)
		return c->ways;
	while (used < c->ways && (set[used] & ENTRY_USED))
		used++;
	if (used < c->ways && c->lines < c->lines_max)
		return c->ways;
	way = oldest(set, used, CLASS_FIRST, used, 0);
	if (way == used)
		return c->ways;
	if (++c->turns % NEXT_TURNS == 0 && way > 0 &&
		ENTRY_CLASS(set[way - 1]) == CLASS_FIRST)
		way--;
	return way;
}

/* Makes the set's first way one for the line; what was there. */
static cache_entry give_up(struct cache *c, cache_entry *set, uint32_t line,
	unsigned class, unsigned last_max)
{
	cache_entry victim;
	uint32_t way;

	if (!(set[c->ways - 1] & ENTRY_USED) && c->lines_max &&
		c->lines >= c->lines_max)
		make_room(c, line, class, last_max);
	way = choose_victim(c, set, c->ways, class, last_max);
	c->lines += !(set[way] & ENTRY_USED);
	victim = set[way] & ENTRY_USED ? set[way] : 0;
	memmove(set + 1, set, way * sizeof(*set));
	return victim;
}

cache_entry *cache_insert(struct cache *c, uint32_t set, uint32_t line,
	unsigned class, unsigned last_max, cache_entry *victim)
{
	cache_entry *entry = cache_set(c, set);
	uint32_t way = succeeded(c, entry, class);

	if (way < c->ways) {
		entry += way;
		*victim = *entry;
	} else {
		*victim = give_up(c, entry, line, class, last_max);
	}
	*entry = ENTRY_USED | ((uint64_t) class << ENTRY_CLASS_SHIFT) | line;
	return entry;
}

cache_entry cache_ask(struct cache *c, uint32_t set)
{
	cache_entry *first = cache_set(c, set), victim;
	uint32_t way;

	for (way = 0; way < c->ways; way++)
		if (!(first[way] & ENTRY_USED))
			return 0;
	way = oldest(first, c->ways, CLASS_FIRST, c->ways, 0);
	if (way == c->ways)
		return 0;
	victim = first[way];
	drop(c, first, way);
	return victim;
}

void cache_drop(struct cache *c, uint32_t set, uint32_t line)
{
	cache_entry *entry = cache_find(c, set, line);

	if (entry)
		drop(c, cache_set(c, set),
			(uint32_t)(entry - cache_set(c, set)));
}
