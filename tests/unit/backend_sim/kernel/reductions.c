/* Barriers with a result, barriers where warps only arrive, and barriers of a
   part of the block. */
#include <criterion/criterion.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_reductions, .timeout = 60);

/* Blocks have 128 threads; thread t says yes where t % 3 is 1. */
#define SAYS                                                                   \
	"rem.u32 %r4, %r0, 3; setp.eq.u32 %p1, %r4, 1;\n"                      \
	"setp.lt.u32 %p2, %r0, 200;\n"
#define LEAVES "st.global.u32 [%d4], %r5;\n"

static uint32_t one_in_three(uint32_t i)
{
	(void)i;
	return 43;
}

Test(kernel_reductions, count_threads)
{
	kernel_leaves(
		SAYS "bar.red.popc.u32 %r5, 0, %p1;\n" LEAVES, one_in_three);
	kernel_leaves(SAYS "barrier.cta.red.popc.aligned.u32 %r5, 3, 128, "
			   "%p1;\n" LEAVES,
		one_in_three);
	kernel_leaves(SAYS "mov.u32 %r6, 2;\n"
			   "barrier.red.popc.u32 %r5, %r6, %p1;\n" LEAVES,
		one_in_three);
}

static uint32_t the_others(uint32_t i)
{
	(void)i;
	return 128 - 43;
}

Test(kernel_reductions, count_those_that_say_no)
{
	kernel_leaves(
		SAYS "bar.red.popc.u32 %r5, 0, !%p1;\n" LEAVES, the_others);
}

static uint32_t and_or(uint32_t i)
{
	(void)i;
	return 2 + 4 * 1;
}

Test(kernel_reductions, know_of_all_and_of_any)
{
	kernel_leaves(SAYS
		"bar.red.and.pred %p3, 0, %p1; selp.u32 %r5, 1, 0, %p3;\n"
		"bar.red.or.pred %p3, 1, %p1; selp.u32 %r6, 2, 0, %p3;\n"
		"bar.red.and.pred %p3, 2, %p2; selp.u32 %r7, 4, 0, %p3;\n"
		"add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7;\n" LEAVES,
		and_or);
}

static uint32_t halves(uint32_t i)
{
	return i % 128 < 64 ? 21 : 22;
}

/* Warps 0 and 1, and 2 and 3, at barriers of their own. */
Test(kernel_reductions, are_of_a_part_of_the_block)
{
	kernel_leaves(SAYS "shr.u32 %r6, %r0, 6; add.u32 %r6, %r6, 1;\n"
			   "bar.red.popc.u32 %r5, %r6, 64, %p1;\n" LEAVES,
		halves);
}

static uint32_t ended(uint32_t i)
{
	return i % 128 < 100 ? 33 : 0;
}

/* Threads that have ended are not asked. */
Test(kernel_reductions, ask_who_is_there)
{
	kernel_leaves(SAYS "setp.ge.u32 %p4, %r0, 100; @%p4 exit;\n"
			   "bar.red.popc.u32 %r5, 0, %p1;\n" LEAVES,
		ended);
}

static uint32_t both_sides(uint32_t i)
{
	return i & 1 ? 1000 + 43 : 43;
}

/* Lanes that stand at two of them meet. */
Test(kernel_reductions, meet_across_branches)
{
	kernel_leaves(SAYS
		"and.b32 %r6, %r0, 1; setp.eq.u32 %p4, %r6, 1;\n"
		"@%p4 bra ODD;\nbarrier.red.popc.u32 %r5, 0, %p1; bra END;\n"
		"ODD: barrier.red.popc.u32 %r5, 0, %p1;\n"
		"add.u32 %r5, %r5, 1000;\nEND:\n" LEAVES,
		both_sides);
}

static uint32_t produced(uint32_t i)
{
	return i % 128 < 64 ? 0 : 7 * (i % 64);
}

/* The first two warps fill shared memory, arrive, and end. */
Test(kernel_reductions, those_who_arrive_do_not_wait)
{
	kernel_leaves(
		".shared .align 4 .b32 words[64];\n"
		"setp.ge.u32 %p1, %r0, 64; and.b32 %r4, %r0, 63;\n"
		"shl.b32 %r6, %r4, 2; mov.u32 %r7, words;\n"
		"add.u32 %r6, %r6, %r7; @%p1 bra TAKE;\n"
		"mul.lo.u32 %r8, %r4, 7; st.shared.u32 [%r6], %r8;\n"
		"bar.arrive 1, 128; exit;\n"
		"TAKE: bar.sync 1, 128; ld.shared.u32 %r5, [%r6];\n" LEAVES,
		produced);
}

static uint32_t in_time(uint32_t i)
{
	return i % 128 < 64;
}

/* They reach a barrier that the others reach later. */
Test(kernel_reductions, those_who_arrive_go_on)
{
	kernel_leaves("setp.ge.u32 %p1, %r0, 64; mov.u32 %r5, 0;\n"
		      "@%p1 bra LATER;\nbar.arrive 1, 128; mov.u32 %r5, 1;\n"
		      "bar.sync 2, 128; bra END;\n"
		      "LATER: bar.sync 2, 128; bar.sync 1, 128;\nEND:\n" LEAVES,
		in_time);
}

Test(kernel_reductions, are_refused_by_reason)
{
	kernel_fails("bar.sync 0, 33;\n",
		"m.ptx:22:1: expected a number of threads that is a multiple "
		"of 32 as operand 2 of 'bar.sync'");
	kernel_fails("mov.u32 %r4, 16; bar.sync %r4;\n",
		"m.ptx:22: barrier 16: expected 0 to 15");
	kernel_fails("bar.red.add.u32 %r5, 0, %p1;\n",
		"m.ptx:22:1: '.add' is not a modifier of 'bar.red'");
	kernel_fails("bar.red.popc.pred %p2, 0, %p1;\n",
		"m.ptx:22:1: 'bar.red.popc.pred' is not a form of 'bar.red' "
		"that PTX has");
	kernel_fails("bar.arrive 1;\n",
		"m.ptx:22:1: expected a value as operand 2 of 'bar.arrive'");
}
