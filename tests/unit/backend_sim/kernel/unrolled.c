/* Loops that are unrolled, and such as must not be, leave what each lane's
   rounds leave: words that an H200 left, or sums of what stands there. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_unrolled, .timeout = 60);

static uint32_t seven_tens_and_one(uint32_t i)
{
	(void)i;
	return 71;
}

/* Each round says whether it is the last one. */
Test(kernel_unrolled, a_round_reads_its_own_comparison)
{
	kernel_leaves("mov.u32 %r4, 0;\nmov.u32 %r5, 0;\nmov.u32 %r6, 8;\n"
		      "L: add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p0, %r5, %r6;\n"
		      "selp.u32 %r7, 10, 1, %p0;\nadd.u32 %r4, %r4, %r7;\n"
		      "@%p0 bra L;\nst.global.u32 [%d4], %r4;\n",
		seven_tens_and_one);
}

/* Lane t goes round t + 1 times; 32 lanes are there at first. */
static uint32_t lanes_beside(uint32_t i)
{
	uint32_t t = i & 31, sum = 0, round;

	for (round = 0; round <= t; round++)
		sum += 32 - round;
	return sum;
}

Test(kernel_unrolled, lanes_that_leave_are_not_split_from_others)
{
	kernel_leaves("and.b32 %r6, %r0, 31;\nadd.u32 %r6, %r6, 1;\n"
		      "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\nmov.u32 %r7, -1;\n"
		      "L: popc.b32 %r8, %r7;\nadd.u32 %r4, %r4, %r8;\n"
		      "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p3, %r5, %r6;\n"
		      "vote.sync.ballot.b32 %r7, %p3, %r7;\n"
		      "setp.lt.u32 %p0, %r5, %r6;\n@%p0 bra L;\n"
		      "st.global.u32 [%d4], %r4;\n",
		lanes_beside);
}

static uint32_t lanes_that_go_on(uint32_t i)
{
	uint32_t t = i & 31, sum = 0, round;

	for (round = 1; round <= t; round++)
		sum += 32 - round;
	return sum;
}

/* The same, with a mask of who is there. */
Test(kernel_unrolled, lanes_see_who_is_there)
{
	kernel_leaves("and.b32 %r6, %r0, 31;\nadd.u32 %r6, %r6, 1;\n"
		      "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\n"
		      "L: activemask.b32 %r7;\npopc.b32 %r8, %r7;\n"
		      "add.u32 %r4, %r4, %r8;\nadd.u32 %r5, %r5, 1;\n"
		      "setp.lt.u32 %p0, %r5, %r6;\n@%p0 bra L;\n"
		      "sub.u32 %r4, %r4, 32;\nst.global.u32 [%d4], %r4;\n",
		lanes_that_go_on);
}

/* Rounds of a counter that goes up by `step` as long as it is below `bound`. */
static uint32_t step, bound, is_signed;
#define MANY 300u

static uint32_t rounds(uint32_t i)
{
	uint32_t at = i, count = 0;

	do {
		count++;
		at += step;
	} while (count <= MANY &&
		 (is_signed ? (int32_t)at < (int32_t)bound : at < bound));
	return count;
}

/* Some wrap and never come to the bound. */
static bool have_an_end(void)
{
	uint32_t i;

	for (i = 0; i < 1024; i++)
		if (rounds(i) > MANY)
			return false;
	return true;
}

static int counts(const char *type, uint32_t by, uint32_t until)
{
	char body[512];

	step = by;
	bound = until;
	is_signed = *type == 's';
	if (!have_an_end())
		return 0;
	snprintf(body, sizeof(body),
		"mov.u32 %%r4, 0;\nmov.u32 %%r5, %%r3;\n"
		"ld.global.u32 %%r6, [%%d0];\nadd.u32 %%r6, %%r6, 0x%x;\n"
		"L: add.u32 %%r4, %%r4, 1;\nadd.u32 %%r5, %%r5, 0x%x;\n"
		"setp.lt.%s32 %%p0, %%r5, %%r6;\n@%%p0 bra L;\n"
		"st.global.u32 [%%d4], %%r4;\n",
		until, by, type);
	kernel_leaves(body, rounds);
	return 1;
}

Test(kernel_unrolled, steps_may_be_as_long_as_the_type)
{
	static const uint32_t steps[] = {1 << 24, 0x20000000, 0x2aaaaaaa,
		0x2aaaaaab, 0x30000000, 0x40000000, 0x60000000, 0x7fffffff};
	static const uint32_t bounds[] = {0x10000000, 0x50000000, 0x7f000000};
	int counted = 0;
	size_t i, k;

	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		for (k = 0; k < sizeof(bounds) / sizeof(*bounds); k++) {
			counted += counts("u", steps[i], bounds[k]);
			counted += counts("s", steps[i], bounds[k]);
		}
	counted += counts("u", 0x30000000, 0xf0000000);
	cr_expect_geq(counted, 30, "%d", counted);
}
