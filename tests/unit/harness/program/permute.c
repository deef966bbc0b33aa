#include <criterion/criterion.h>
#include <stdlib.h>

#include "harness/program/permute.h"

/* Each slot once, and every slot inside. */
static void expect_bijection(uint32_t count, uint32_t seed)
{
	uint8_t *seen = calloc(count, 1);
	struct permutation p;
	uint32_t i;

	cr_assert(seen);
	permutation_init(&p, count, seed);
	for (i = 0; i < count; i++) {
		uint32_t slot = permutation_slot(&p, i);

		cr_assert_lt(slot, count);
		cr_assert_eq(seen[slot], 0, "%u twice of %u", slot, count);
		seen[slot] = 1;
	}
	free(seen);
}

Test(permute, a_ring_visits_each_slot_once)
{
	static const uint32_t large[] = {
		65535, 65536, 65537, 1000003, 1 << 20, (1 << 20) + 1};
	uint32_t count;
	size_t i;

	for (count = 1; count <= 2000; count++)
		expect_bijection(count, count % 7);
	for (i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		expect_bijection(large[i], (uint32_t)i);
}

/* The largest rings are too large to visit; their parts must not collide. */
Test(permute, the_largest_ring_stays_inside)
{
	struct permutation p;
	uint32_t i;

	permutation_init(&p, UINT32_C(1) << 31, 9);
	cr_expect_eq(p.mask, 0x7fffffff);
	for (i = 0; i < 100000; i++)
		cr_assert_lt(permutation_slot(&p, i * 21474u), p.count);
	permutation_init(&p, (UINT32_C(1) << 31) - 5, 9);
	for (i = 0; i < 100000; i++)
		cr_assert_lt(permutation_slot(&p, i * 21474u), p.count);
}

Test(permute, seeds_give_different_orders)
{
	struct permutation a, b;
	uint32_t i, equal = 0;

	permutation_init(&a, 4096, 1);
	permutation_init(&b, 4096, 2);
	for (i = 0; i < 4096; i++)
		equal += permutation_slot(&a, i) == permutation_slot(&b, i);
	cr_expect_lt(equal, 40);
}

/* A stride that a prefetcher could follow would spoil a chase. */
Test(permute, neighbours_are_spread_apart)
{
	struct permutation p;
	uint32_t i, near = 0;

	permutation_init(&p, 1 << 16, 5);
	for (i = 0; i + 1 < p.count; i++) {
		int64_t step = (int64_t)permutation_slot(&p, i + 1) -
			       (int64_t)permutation_slot(&p, i);

		near += llabs(step) <= 4;
	}
	cr_expect_lt(near, 200);
}

Test(permute, draws_are_in_range_and_even)
{
	static const uint32_t counts[] = {
		1, 2, 3, 10, 1000, 1u << 31, UINT32_MAX};
	unsigned hits[10] = {0};
	uint32_t i;
	size_t k;

	for (k = 0; k < sizeof(counts) / sizeof(counts[0]); k++)
		for (i = 0; i < 10000; i++)
			cr_assert_lt(permute_draw(3, i % 17, i, counts[k]),
				counts[k]);
	for (i = 0; i < 100000; i++)
		hits[permute_draw(1, 2, i, 10)]++;
	for (k = 0; k < 10; k++) {
		cr_expect_gt(hits[k], 9600);
		cr_expect_lt(hits[k], 10400);
	}
}

Test(permute, draws_depend_on_seed_stream_and_index)
{
	uint32_t i, equal = 0;

	for (i = 0; i < 1000; i++) {
		uint32_t x = permute_draw(1, 2, i, 1u << 31);

		equal += x == permute_draw(2, 2, i, 1u << 31);
		equal += x == permute_draw(1, 3, i, 1u << 31);
		equal += x == permute_draw(1, 2, i + 1, 1u << 31);
		cr_expect_eq(x, permute_draw(1, 2, i, 1u << 31));
	}
	cr_expect_lt(equal, 3);
}
