/* What branches cost a warp, and who waits where its lanes part: by loops on an
   H100, of which a round takes 27 cycles and one where a lane leaves 40. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_branches, .timeout = 120);

#define ONE "grid=1 block=32"

struct cost {
	double cycles, executed;
};

static struct cost cost_of(const char *body)
{
	const struct job_wishes wishes = {.max_cycles = 0};
	char ptx[16384] = HEAD;
	struct cost cost;
	struct ran r;

	strcat(ptx, body);
	strcat(ptx, "st.global.u32 [%d4], %r6;\n" TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, ONE, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cost.cycles = r.result.launches[0].cycles;
	cost.executed = kernel_counter(&r, "smsp__inst_executed.sum");
	kernel_end(&r);
	return cost;
}

/* `outer` times: each lane goes round as often as `rounds` says. */
static struct cost loops(unsigned outer, const char *rounds)
{
	char body[1024];

	snprintf(body, sizeof(body),
		"mov.u32 %%r7, %%laneid;\nshr.u32 %%r10, %%r0, 10;\n%s"
		"mov.u32 %%r8, 0;\nOUTER:\nmov.u32 %%r6, 0;\nINNER:\n"
		"add.u32 %%r6, %%r6, 1;\nxor.b32 %%r6, %%r6, %%r10;\n"
		"setp.lt.u32 %%p0, %%r6, %%r9;\n@%%p0 bra INNER;\n"
		"add.u32 %%r8, %%r8, 1;\nxor.b32 %%r8, %%r8, %%r10;\n"
		"setp.lt.u32 %%p1, %%r8, %u;\n@%%p1 bra OUTER;\n",
		rounds, outer);
	return cost_of(body);
}

/* add 4, xor 5, a comparison 13 before its branch, a branch that is taken 10.
 */
#define ROUND (4 + 5 + 13 + 10)

Test(kernel_branches, take_what_the_assembler_counts_and_five_if_taken)
{
	struct cost few = loops(1, "mov.u32 %r9, 1000;\n");
	struct cost many = loops(1, "mov.u32 %r9, 1100;\n");

	cr_expect_float_eq(many.cycles - few.cycles, 100 * ROUND, 2);
}

/* 32 lanes leave one after the other, each two rounds behind the last. */
Test(kernel_branches, take_longer_where_lanes_part)
{
	struct cost together = loops(1, "mov.u32 %r9, 1062;\n");
	struct cost apart =
		loops(1, "shl.b32 %r9, %r7, 1;\nadd.u32 %r9, %r9, 1000;\n");

	cr_expect_float_eq(apart.cycles - together.cycles, 31 * 13, 20, "%g",
		apart.cycles - together.cycles);
	cr_expect_float_eq(apart.executed, together.executed, 2);
}

/* However long it takes: who has left the inner loop does not begin the outer
   loop's next round alone. */
Test(kernel_branches, wait_for_lanes_that_are_slow)
{
	struct cost same = loops(4, "mov.u32 %r9, 300;\n");
	struct cost slow = loops(
		4, "setp.eq.u32 %p2, %r7, 5;\nselp.u32 %r9, 300, 1, %p2;\n");

	cr_expect_float_eq(slow.executed, same.executed, 4);
}

/* A predicate is there for a value eight cycles before it guards. */
static double chain(const char *use)
{
	char body[8192] = "mov.u32 %r6, 0;\n";
	unsigned i;

	for (i = 0; i < 40; i++) {
		strcat(body, "setp.lt.u32 %p0, %r6, %r2;\n");
		strcat(body, use);
	}
	return cost_of(body).cycles;
}

Test(kernel_branches, have_predicates_later_than_values)
{
	double value = chain("selp.u32 %r6, %r6, %r3, %p0;\n");
	double guard = chain("@%p0 add.u32 %r6, %r6, %r3;\n");

	cr_expect_float_eq(guard - value, 40 * 8, 16);
}

/* Of 32 lanes one has the lock: it gives it back when the others let it. */
Test(kernel_branches, let_others_go_where_they_poll_shared_memory)
{
	struct cost lock = cost_of(
		".shared .align 4 .b8 s[8];\nmov.u32 %r8, s;\n"
		"mov.u32 %r4, 0;\nst.shared.u32 [%r8], %r4;\nbar.sync 0;\n"
		"LOOP: atom.shared.cas.b32 %r4, [%r8], 0, 1;\n"
		"setp.ne.s32 %p1, %r4, 0;\n@%p1 bra LOOP;\n"
		"atom.shared.exch.b32 %r6, [%r8], 0;\n");

	cr_expect_lt(lock.cycles, 1e6, "%g", lock.cycles);
}
