/* The special function unit, to digests of what an H200 left: places in each
   piece of each function. */
#include <criterion/criterion.h>
#include <string.h>

#include "backend_sim/values/unit.h"

TestSuite(special_unit, .timeout = 60);

#define ONE  0x3f800000u
#define STEP 4093u /* a prime: 16 or 32 places in a piece */

/* By FNV-1a, of the results for places of so many fractions. */
static uint32_t digest(
	uint32_t (*function)(uint32_t), uint32_t first, uint32_t count)
{
	uint32_t hash = 0x811c9dc5, i;

	for (i = 0; i < count; i += STEP)
		hash = (hash ^ function(first + i)) * 0x01000193;
	return hash;
}

/* The fractions of one exponent, or of two. */
Test(special_unit, has_the_words_of_silicon)
{
	cr_expect_eq(digest(unit_rcp, ONE, 1u << 23), 0x9a9eef42);
	cr_expect_eq(digest(unit_rsqrt, ONE, 1u << 24), 0x9935d666);
	cr_expect_eq(digest(unit_sqrt, ONE, 1u << 24), 0xd1560eb4);
}

static uint32_t power(uint32_t place)
{
	const float x = (float)(place - ONE) * 0x1p-23f;
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return unit_ex2(bits);
}

/* Of what lies between 0 and 1. */
Test(special_unit, has_powers)
{
	cr_expect_eq(digest(power, ONE, 1u << 23), 0x6860116a);
}

Test(special_unit, knows_what_is_no_number_and_what_is_infinite)
{
	cr_expect_eq(unit_rcp(0xff800000), 0x80000000);
	cr_expect_eq(unit_rcp(0x80000000), 0xff800000);
	cr_expect_eq(unit_rsqrt(0x80000000), 0xff800000);
	cr_expect_eq(unit_rsqrt(0x80000001), 0x7fffffff);
	cr_expect_eq(unit_rsqrt(0x7f800000), 0);
	cr_expect_eq(unit_sqrt(0x80000000), 0x80000000);
	cr_expect_eq(unit_sqrt(0xff800000), 0x7fffffff);
	cr_expect_eq(unit_rcp(0x7f7fffff), 0x00200000);
	cr_expect_eq(unit_ex2(0x7f800000), 0x7f800000);
	cr_expect_eq(unit_ex2(0xff800000), 0);
}
