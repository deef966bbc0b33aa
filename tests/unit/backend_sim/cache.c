/* Whose place a line takes in a set of L1. */
#include <criterion/criterion.h>

#include "backend_sim/core/request.h"
#include "backend_sim/memory/cache.h"

/* One set of four ways, which has room for `lines_max` lines. */
static struct cache of_one_set(uint32_t lines_max)
{
	struct cache c = {.lines_max = lines_max};

	cr_assert_eq(cache_init(&c, 1, 4, 0), 0);
	return c;
}

static void insert(
	struct cache *c, uint32_t from, uint32_t before, unsigned class)
{
	cache_entry victim;

	for (uint32_t line = from; line < before; line++)
		cache_insert(c, 0, line, class, 4, &victim);
}

/* The lines below 10 that are there, as digits. */
static unsigned held(const struct cache *c)
{
	unsigned digits = 0;

	for (uint32_t line = 1; line < 10; line++)
		if (cache_find(c, 0, line))
			digits = 10 * digits + line;
	return digits;
}

/* The first goes, then each that has come in its place. */
Test(l1_cache, evict_first_lines_take_one_place)
{
	struct cache c = of_one_set(4);

	insert(&c, 1, 6, CLASS_FIRST);
	cr_expect_eq(held(&c), 2345, "%u", held(&c));
	insert(&c, 6, 7, CLASS_FIRST);
	cr_expect_eq(held(&c), 2346, "%u", held(&c));
	insert(&c, 10, 400, CLASS_FIRST);
	cr_expect_eq(held(&c), 234, "%u", held(&c));
	cache_free(&c);
}

/* The second goes, too, in time; the others stay. */
Test(l1_cache, two_evict_first_lines_stay)
{
	struct cache c = of_one_set(4);

	insert(&c, 1, 5, CLASS_FIRST);
	insert(&c, 10, 2100, CLASS_FIRST);
	cr_expect_eq(held(&c), 34, "%u", held(&c));
	cr_expect_eq(c.lines, 4);
	cache_clear(&c);
	insert(&c, 1, 5, CLASS_FIRST);
	insert(&c, 10, 500, CLASS_FIRST);
	cr_expect_eq(held(&c), 234, "%u", held(&c));
	cache_free(&c);
}

/* Where L1 has no more room, though the set has. */
Test(l1_cache, evict_first_lines_take_their_place_in_a_full_cache)
{
	struct cache c = of_one_set(3);

	insert(&c, 1, 7, CLASS_FIRST);
	cr_expect_eq(held(&c), 236, "%u", held(&c));
	cr_expect_eq(c.lines, 3);
	cache_free(&c);
}

Test(l1_cache, normal_lines_go_by_age)
{
	struct cache c = of_one_set(4);

	insert(&c, 1, 7, CLASS_NORMAL);
	cr_expect_eq(held(&c), 3456, "%u", held(&c));
	insert(&c, 7, 9, CLASS_FIRST);
	cr_expect_eq(held(&c), 4568, "%u", held(&c));
	insert(&c, 9, 10, CLASS_NORMAL);
	cr_expect_eq(held(&c), 4569, "%u", held(&c));
	cache_free(&c);
}
