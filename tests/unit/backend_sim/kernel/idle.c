/* Values that decide nothing are left out: cycles and counters are those of all
   values. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_idle, .timeout = 120);

#define GRID  "grid=8 block=128"
#define WORDS 1024

static void run(struct ran *r, const char *ptx, const char *launch,
	enum job_values values)
{
	const struct job_wishes wishes = {
		.contents = true, .max_cycles = 20000000, .values = values};

	kernel_run(NULL, r, ptx, BUFFERS, launch, &wishes);
}

static void same_launch(const struct job_launch_result *a,
	const struct job_launch_result *b, const char *ptx)
{
	size_t k;

	cr_expect_eq(a->cycles, b->cycles, "%g, not %g cycles:\n%s", a->cycles,
		b->cycles, ptx);
	cr_assert_eq(a->counter_count, b->counter_count);
	for (k = 0; k < a->counter_count; k++)
		cr_expect_eq(a->counters[k].value, b->counters[k].value,
			"%s:\n%s", a->counters[k].name, ptx);
}

/* How many words of b are not what they are if all values are computed. */
static uint32_t left_out(const char *ptx, const char *launch)
{
	struct ran all, some;
	uint32_t count = 0, i;
	size_t k;

	run(&all, ptx, launch, JOB_VALUES_HARDWARE);
	run(&some, ptx, launch, JOB_VALUES_NONE);
	cr_assert_eq(all.code, 0, "%s:\n%s", all.error.text, ptx);
	cr_assert_eq(some.code, 0, "%s:\n%s", some.error.text, ptx);
	cr_assert_eq(all.result.launch_count, some.result.launch_count);
	for (k = 0; k < all.result.launch_count; k++)
		same_launch(
			&some.result.launches[k], &all.result.launches[k], ptx);
	for (i = 0; i < WORDS; i++)
		count += memcmp(all.result.contents[1] + 4 * i,
				 some.result.contents[1] + 4 * i, 4) != 0;
	cr_expect(!some.result.all_values || !count);
	kernel_end(&all);
	kernel_end(&some);
	return count;
}

#define VALUE "ld.global.u32 %r4, [%d3];\nmad.lo.u32 %r4, %r4, 3, 1;\n"
#define STORE "st.global.u32 [%d4], %r4;\n"
/* As many rounds as %r5 says, less than 8. */
#define ROUNDS                                                                 \
	"and.b32 %r5, %r5, 7;\nL: sub.u32 %r5, %r5, 1;\n"                      \
	"setp.gt.s32 %p1, %r5, 0;\n@%p1 bra L;\n"

Test(kernel_idle, what_is_only_stored_is_left_out)
{
	cr_expect_eq(left_out(HEAD VALUE STORE TAIL, GRID), WORDS);
	cr_expect_eq(left_out(HEAD VALUE
			     "atom.global.add.u32 %r6, [%d4], %r4;\n" TAIL,
			     GRID),
		WORDS);
	/* a register that is zero for a counter, and then a sum */
	cr_expect_geq(
		left_out(HEAD
			"mov.u32 %r4, 0;\nsetp.gt.u32 %p2, %r3, 3;\n"
			"@%p2 bra M;\nmov.u32 %r5, %r4;\nM:\n"
			"K: ld.global.u32 %r6, [%d3];\n"
			"add.u32 %r4, %r4, %r6;\n"
			"add.u32 %r5, %r5, 1;\n"
			"setp.lt.u32 %p1, %r5, 20;\n@%p1 bra K;\n" STORE TAIL,
			"grid=1 block=4"),
		3);
}

/* Each of these kernels takes as long as words say that it has stored. */
Test(kernel_idle, what_decides_is_computed_wherever_it_lies)
{
	static const char *const ways[] = {
		/* global memory, shared, local, and by generic addresses */
		STORE "ld.global.u32 %r5, [%d4];\n",
		".shared .align 8 .b8 t[512];\nmov.u32 %r8, t;\n"
		"shl.b32 %r9, %r0, 2;\nadd.u32 %r8, %r8, %r9;\n"
		"st.shared.u32 [%r8], %r4;\nbar.sync 0;\n"
		"ld.shared.u32 %r5, [%r8];\n",
		".local .align 8 .b8 l[8];\nst.local.u32 [l], %r4;\n"
		"ld.local.u32 %r5, [l];\n",
		".local .align 8 .b8 l[8];\nmov.u64 %d5, l;\n"
		"cvta.local.u64 %d5, %d5;\nst.u32 [%d5], %r4;\n"
		"ld.local.u32 %r5, [l];\n",
		/* a pointer that lay in memory */
		".local .align 8 .b8 l[8];\nst.local.u64 [l], %d4;\n"
		"ld.local.u64 %d6, [l];\nst.global.u32 [%d6], %r4;\n"
		"ld.global.u32 %r5, [%d4];\n",
		".shared .align 8 .b8 t[1024];\nmov.u32 %r8, t;\n"
		"shl.b32 %r9, %r0, 3;\nadd.u32 %r8, %r8, %r9;\n"
		"st.shared.u64 [%r8], %d4;\nld.shared.u64 %d6, [%r8];\n"
		"st.global.u32 [%d6], %r4;\nld.global.u32 %r5, [%d4];\n",
		/* an atomic, and what it returns */
		"red.global.add.u32 [%d4], %r4;\nld.global.u32 %r5, [%d4];\n",
		"red.global.add.u32 [%d4], %r4;\n"
		"atom.global.exch.b32 %r5, [%d4], 0;\n",
		/* lanes */
		"shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;\n",
		"and.b32 %r6, %r4, 1;\nsetp.eq.u32 %p2, %r6, 0;\n"
		"vote.sync.ballot.b32 %r5, %p2, -1;\n",
		"redux.sync.add.u32 %r5, %r4, -1;\n",
		/* some from one place, some from another: one of them decides
		 */
		"and.b32 %r6, %r0, 1;\nsetp.eq.u32 %p2, %r6, 0;\n"
		"mov.u32 %r5, 1;\nadd.u32 %r4, %r4, %r0;\n@%p2 bra A;\n"
		"shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;\nbra B;\n"
		"A: shfl.sync.bfly.b32 %r7, %r4, 1, 31, -1;\nB:\n",
		/* a carry, a whole of parts, a byte of it */
		"add.cc.u32 %r6, %r4, -5;\naddc.u32 %r5, %r4, 0;\n",
		"mov.b64 %d5, {%r4, %r4};\nmov.b64 {%r6, %r5}, %d5;\n",
		"st.global.v2.u32 [%d1], {%r4, %r4};\n"
		"ld.global.u8 %r5, [%d1+4];\n",
		/* a matrix */
		"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
		"{%r5,%r6,%r7,%r8},{%r4,%r4,%r4,%r4},{%r4,%r4},"
		"{%r4,%r4,%r4,%r4};\n",
	};
	char ptx[4096];
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		snprintf(ptx, sizeof(ptx), "%s%s%s%s%s", HEAD,
			VALUE "and.b32 %r4, %r4, 0x707;\n", ways[i], ROUNDS,
			TAIL);
		left_out(ptx, GRID);
	}
}

#define COPIED                                                                 \
	".shared .align 16 .b8 t[2048];\nmov.u32 %r8, t;\n"                    \
	"shl.b32 %r9, %r0, 4;\nadd.u32 %r8, %r8, %r9;\n"                       \
	"cp.async.ca.shared.global [%r8], [%d3], 4;\n"                         \
	"cp.async.wait_all;\nbar.sync 0;\nld.shared.u32 %r5, [%r8];\n"
#define BULK                                                                   \
	".shared .align 16 .b8 t[1024];\n.shared .align 8 .b8 m[8];\n"         \
	"mov.u32 %r8, t;\nmov.u32 %r9, m;\nsetp.ne.u32 %p2, %r0, 0;\n"         \
	"@!%p2 mbarrier.init.shared.b64 [%r9], 1;\nbar.sync 0;\n"              \
	"@!%p2 mbarrier.arrive.expect_tx.shared.b64 %d5, [%r9], 512;\n"        \
	"@!%p2 cp.async.bulk.shared::cluster.global."                          \
	"mbarrier::complete_tx::bytes [%r8], [%d3], 512, [%r9];\n"             \
	"W: mbarrier.try_wait.parity.shared.b64 %p3, [%r9], 0;\n"              \
	"@!%p3 bra W;\nshl.b32 %r10, %r0, 2;\nadd.u32 %r8, %r8, %r10;\n"       \
	"ld.shared.u32 %r5, [%r8];\n"

Test(kernel_idle, copies_move_what_decides)
{
	cr_expect_eq(
		left_out(HEAD COPIED "add.u32 %r4, %r5, 1;\n" STORE TAIL, GRID),
		WORDS);
	left_out(HEAD COPIED ROUNDS TAIL, GRID);
	cr_expect_eq(
		left_out(HEAD BULK "add.u32 %r4, %r5, 1;\n" STORE TAIL, GRID),
		WORDS);
	left_out(HEAD BULK ROUNDS TAIL, GRID);
	/* what is copied was stored before */
	left_out(HEAD VALUE
		"st.global.u32 [%d3], %r4;\nbar.sync 0;\n" COPIED ROUNDS TAIL,
		GRID);
}

#define AGAIN                                                                  \
	".visible .entry n(.param .u64 p_a, .param .u64 p_b)\n{\n"             \
	".reg .pred %p<8>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n"            \
	"ld.param.u64 %d1, [p_b];\nmov.u32 %r0, %tid.x;\n"                     \
	"mul.wide.u32 %d2, %r0, 4;\nadd.s64 %d4, %d1, %d2;\n"                  \
	"ld.global.u32 %r5, [%d4];\n" ROUNDS TAIL

/* Of two launches the second reads what the first one has stored. */
Test(kernel_idle, launches_read_what_others_stored)
{
	left_out(HEAD VALUE STORE TAIL AGAIN,
		GRID " args=a,b\nlaunch n grid=1 block=128");
}

Test(kernel_idle, a_kernel_whose_values_all_decide_runs_as_such)
{
	struct ran r;

	run(&r, HEAD VALUE STORE TAIL, GRID, JOB_VALUES_NONE);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_expect(!r.result.all_values);
	kernel_end(&r);
	run(&r,
		HEAD "st.global.u32 [%d4], %r3;\nld.global.u32 %r4, [%d4];\n"
		     "setp.gt.u32 %p1, %r4, 500;\n@%p1 st.global.u32 [%d4], "
		     "7;\n" TAIL,
		GRID, JOB_VALUES_NONE);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_expect(r.result.all_values);
	cr_expect_eq(((uint32_t *)(void *)r.result.contents[1])[600], 7);
	kernel_end(&r);
}

/* From one buffer into the other, by a number that memory holds. */
Test(kernel_idle, an_address_that_leads_elsewhere_stops_the_run)
{
	struct ran r;

	run(&r,
		HEAD "sub.u64 %d5, %d1, %d0;\ncvt.u32.u64 %r6, %d5;\n"
		     ".local .align 8 .b8 l[8];\nst.local.u32 [l], %r6;\n"
		     "ld.local.u32 %r7, [l];\ncvt.u64.u32 %d6, %r7;\n"
		     "add.u64 %d7, %d0, %d6;\nst.global.u32 [%d7], 3;\n"
		     "ld.global.u32 %r5, [%d1];\n" ROUNDS TAIL,
		GRID, JOB_VALUES_NONE);
	cr_expect_neq(r.code, 0);
	cr_expect(strstr(r.error.text, "an address leads elsewhere than what "
				       "it is made of says"),
		"%s", r.error.text);
	kernel_end(&r);
}
