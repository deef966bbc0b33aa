/* A set of a cache: who is there, who was used when, and who has to go. */
#include <string.h>

#include "tests/reference/ref.h"

static struct ref_line *set_of(const struct ref_cache *c, uint32_t set)
{
	return c->lines + (size_t)set * c->ways;
}

struct ref_line *ref_cache_find(
	const struct ref_cache *c, uint32_t set, uint32_t line)
{
	struct ref_line *ways = set_of(c, set);

	for (uint32_t i = 0; i < c->ways; i++)
		if (ways[i].used && ways[i].line == line)
			return &ways[i];
	return NULL;
}

struct ref_line *ref_cache_touch(
	struct ref_cache *c, uint32_t set, uint32_t line)
{
	struct ref_line *found = ref_cache_find(c, set, line);

	if (found)
		found->touched = ++c->stamp;
	return found;
}

void ref_cache_clear(struct ref_cache *c)
{
	memset(c->lines, 0, (size_t)c->sets * c->ways * sizeof(*c->lines));
	c->turns = 0;
}

/* How many lines of its set were used after it. */
static uint32_t age_of(
	const struct ref_cache *c, const struct ref_line *ways, uint32_t way)
{
	uint32_t younger = 0;

	for (uint32_t i = 0; i < c->ways; i++)
		younger += ways[i].touched > ways[way].touched;
	return younger;
}

/* The way of which `age` lines of the set are younger. */
static uint32_t way_of_age(
	const struct ref_cache *c, const struct ref_line *ways, uint32_t age)
{
	uint32_t way = 0;

	while (age_of(c, ways, way) != age)
		way++;
	return way;
}

/* The age of the victim is at most this: in the share of cases that the
   machine file says, any; else that of the oldest. */
static uint32_t draw_age(struct ref_cache *c)
{
	if (!c->random_share)
		return c->ways - 1;
	c->random_state = 1664525u * c->random_state + 1013904223u;
	if (c->random_state / 65536 >= c->random_share)
		return c->ways - 1;
	return (uint32_t)((uint64_t)c->ways * permute_mix(c->random_state) /
			  4294967296u);
}

/* What counts as which class: of more evict_last lines than a set may hold,
   the oldest count as normal. */
static void effective_classes(const struct ref_cache *c,
	const struct ref_line *ways, uint32_t last_max, unsigned *class)
{
	uint32_t last = 0, age;

	for (age = 0; age < c->ways; age++) {
		uint32_t way = way_of_age(c, ways, age);

		class[way] = ways[way].class;
		if (class[way] == REF_LAST && ++last > last_max)
			class[way] = REF_NORMAL;
	}
}

/* The oldest line of a class that is not older than `age`; c->ways: none. */
static uint32_t oldest(const struct ref_cache *c, const struct ref_line *ways,
	const unsigned *classes, unsigned class, uint32_t age)
{
	for (uint32_t a = age + 1; a-- > 0;) {
		uint32_t way = way_of_age(c, ways, a);

		if (classes[way] == class)
			return way;
	}
	return c->ways;
}

/* A cache that counts its lines is full when it holds lines_max. */
static bool is_full(const struct ref_cache *c)
{
	uint32_t lines = 0;

	if (!c->lines_max)
		return false;
	for (uint32_t i = 0; i < c->sets * c->ways; i++)
		lines += c->lines[i].used;
	return lines >= c->lines_max;
}

static uint32_t choose_of(struct ref_cache *c, const struct ref_line *ways,
	unsigned inserted, uint32_t last_max)
{
	unsigned classes[64] = {0};
	uint32_t way, age, first = 0;

	effective_classes(c, ways, last_max, classes);
	for (way = 0; way < c->ways; way++)
		first += classes[way] == REF_FIRST;
	/* An evict_first line takes the place of another where the set has
	   enough of them. */
	if (first && (inserted != REF_FIRST || first >= c->first_most))
		return oldest(c, ways, classes, REF_FIRST, c->ways - 1);
	age = draw_age(c);
	for (unsigned class = REF_NORMAL; class <= REF_LAST; class ++) {
		way = oldest(c, ways, classes, class, age);
		if (way == c->ways)
			way = oldest(c, ways, classes, class, c->ways - 1);
		if (way < c->ways)
			return way;
	}
	return oldest(c, ways, classes, REF_FIRST, c->ways - 1);
}

/* Of the lines that the set holds, which has to go. */
static uint32_t choose(
	struct ref_cache *c, uint32_t set, unsigned inserted, uint32_t last_max)
{
	const struct ref_line *ways = set_of(c, set);
	struct ref_line used[64];
	uint32_t at[64] = {0}, count = 0, way, chosen, all = c->ways;

	for (way = 0; way < all; way++)
		if (ways[way].used) {
			used[count] = ways[way];
			at[count++] = way;
		}
	if (!count)
		return all;
	c->ways = count; /* those that are there, as if there were no others */
	chosen = choose_of(c, used, inserted, last_max);
	c->ways = all;
	return at[chosen];
}

/* Where the cache has no room, but the set has: another one, the next that
   holds what is no evict_last line, or too many, or else anything, loses a
   line. */
static void make_room(
	struct ref_cache *c, uint32_t line, unsigned class, uint32_t last_max)
{
	uint32_t pair = permute_mix(line / 2), from = pair ^ line % 2;

	for (uint32_t any = 0; any < 2; any++)
		for (uint32_t i = 0; i < c->sets; i++) {
			uint32_t step = 2 * i + (2 * i >= c->sets);
			uint32_t other = (from % c->sets + step) % c->sets;
			struct ref_line *ways = set_of(c, other);
			uint32_t lines = 0, last = 0, way;

			for (way = 0; way < c->ways; way++)
				if (ways[way].used) {
					last += ways[way].class == REF_LAST;
					lines++;
				}
			if (lines && (any || last < lines || last > last_max)) {
				way = choose(c, other, class, last_max);
				ways[way].used = false;
				return;
			}
		}
}

static uint32_t free_way(const struct ref_cache *c, uint32_t set)
{
	uint32_t way = 0;

	while (way < c->ways && set_of(c, set)[way].used)
		way++;
	return way;
}

struct ref_line ref_cache_give(struct ref_cache *c, uint32_t set)
{
	struct ref_line *ways = set_of(c, set), given = {.used = false};
	uint32_t age;

	if (free_way(c, set) < c->ways)
		return given;
	for (age = c->ways; age-- > 0 && !given.used;) {
		uint32_t way = way_of_age(c, ways, age);

		if (ways[way].class != REF_FIRST)
			continue;
		given = ways[way];
		ways[way].used = false;
	}
	return given;
}

static bool is_first(const struct ref_line *line)
{
	return line->used && line->class == REF_FIRST;
}

/* The line of an L1's set, where that or the L1 is full, whose way and age an
   evict_first line takes: the oldest such line, each 512th time the next one,
   if that is such a line, too. */
static struct ref_line *succeeded(
	struct ref_cache *c, uint32_t set, unsigned class)
{
	struct ref_line *ways = set_of(c, set), *oldest = NULL, *next = NULL;

	if (!c->lines_max || class != REF_FIRST ||
		(free_way(c, set) < c->ways && !is_full(c)))
		return NULL;
	for (uint32_t i = 0; i < c->ways; i++)
		if (is_first(&ways[i]) &&
			(!oldest || ways[i].touched < oldest->touched))
			oldest = &ways[i];
	if (!oldest || ++c->turns % 512)
		return oldest;
	for (uint32_t i = 0; i < c->ways; i++)
		if (ways[i].used && ways[i].touched > oldest->touched &&
			(!next || ways[i].touched < next->touched))
			next = &ways[i];
	return next && is_first(next) ? next : oldest;
}

struct ref_line *ref_cache_insert(struct ref_cache *c, uint32_t set,
	uint32_t line, unsigned class, uint32_t last_max,
	struct ref_line *victim)
{
	struct ref_line *ways = set_of(c, set);
	struct ref_line *before = succeeded(c, set, class);
	uint32_t way = free_way(c, set);

	if (before) {
		*victim = *before;
		*before = (struct ref_line){
			.used = true,
			.line = line,
			.class = class,
			.touched = victim->touched,
		};
		return before;
	}
	if (way < c->ways && is_full(c))
		make_room(c, line, class, last_max);
	way = free_way(c, set);
	if (way == c->ways)
		way = choose(c, set, class, last_max);
	*victim = ways[way];
	ways[way] = (struct ref_line){
		.used = true,
		.line = line,
		.class = class,
		.touched = ++c->stamp,
	};
	return &ways[way];
}
