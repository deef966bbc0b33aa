/* Branches that become predicates leave what they would have left. */
#include <criterion/criterion.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_predicates, .timeout = 60);

#define THREADS 1000u

/* Elements of buffer a are their numbers; odd ones have their neighbour's
   added, and all are counted. */
static uint32_t expected(uint32_t thread)
{
	const uint32_t side = thread < 100 ? thread + 7 : thread * 3 + 1;

	return (thread & 1 ? side + thread + 1 : side) + 1;
}

Test(kernel_predicates, each_lane_takes_its_side)
{
	const struct job_wishes contents = {.contents = true};
	const uint32_t *b;
	struct ran r;
	uint32_t i;

	kernel_run(NULL, &r,
		HEAD "setp.ge.u32 %p3, %r3, 1000;\n@%p3 bra END;\n"
		     "ld.global.u32 %r4, [%d3];\nsetp.lt.u32 %p1, %r3, 100;\n"
		     "mov.u32 %r8, 0;\n"
		     "@%p1 bra M;\nmul.lo.u32 %r6, %r4, 3;\n"
		     "add.u32 %r5, %r6, 1;\nmov.u32 %r8, 1;\nbra L;\n"
		     "M: add.u32 %r5, %r4, 7;\nadd.u32 %r8, %r8, 1;\nL:\n"
		     "and.b32 %r6, %r4, 1;\nsetp.eq.u32 %p2, %r6, 0;\n"
		     "@%p2 bra N;\nld.global.u32 %r7, [%d3+4];\n"
		     "add.u32 %r5, %r5, %r7;\nN:\n"
		     "add.u32 %r5, %r5, %r8;\nst.global.u32 [%d4], %r5;\n"
		     "END:\n" TAIL,
		BUFFERS, "grid=8 block=128", &contents);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)(const void *)r.result.contents[1];
	for (i = 0; i < THREADS; i++)
		cr_expect_eq(b[i], expected(i), "thread %u: %u", i, b[i]);
	for (; i < 1024; i++)
		cr_expect_eq(b[i], 0);
	kernel_end(&r);
}

/* Into a side from another place, whatever its own branch says. */
static uint32_t ways_in(uint32_t i)
{
	const bool jumps = i & 1, passes = i & 2, other = i & 4;
	const uint32_t first = jumps || !passes ? 10 : 0;

	return first + (jumps ? 200 : other ? 100 : 200);
}

Test(kernel_predicates, a_side_has_other_ways_in)
{
	kernel_leaves("and.b32 %r5, %r0, 1;\nsetp.ne.u32 %p1, %r5, 0;\n"
		      "and.b32 %r5, %r0, 2;\nsetp.ne.u32 %p2, %r5, 0;\n"
		      "and.b32 %r5, %r0, 4;\nsetp.ne.u32 %p3, %r5, 0;\n"
		      "mov.u32 %r4, 0;\n@%p1 bra IN;\n@%p2 bra BEHIND;\n"
		      "IN: add.u32 %r4, %r4, 10;\n"
		      "BEHIND: @%p1 bra ELSE;\n"
		      "@!%p3 bra ELSE;\nadd.u32 %r4, %r4, 100;\nbra END;\n"
		      "ELSE: add.u32 %r4, %r4, 200;\n"
		      "END: st.global.u32 [%d4], %r4;\n",
		ways_in);
}
