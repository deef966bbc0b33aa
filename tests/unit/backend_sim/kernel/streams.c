/* Launches that overlap: on streams, and those that need not wait for the end
   of the one before. A kernel that waits for what a later one writes shows that
   both are alive. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

/* Kernels that have each thread's number in %r3, its element of the first two
   buffers at %d3 and %d4, and the third buffer, of flags, at %d1. */
#define KERNEL(name, body)                                                     \
	".visible .entry " name                                                \
	"(.param .u64 p_a, .param .u64 p_b, .param .u64 p_f)\n{\n"             \
	".reg .pred %p<8>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n"            \
	"ld.param.u64 %d0, [p_a];\nld.param.u64 %d2, [p_b];\n"                 \
	"ld.param.u64 %d1, [p_f];\nmov.u32 %r0, %tid.x;\n"                     \
	"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"                      \
	"mad.lo.u32 %r3, %r1, %r2, %r0;\nmul.wide.u32 %d5, %r3, 4;\n"          \
	"add.s64 %d3, %d0, %d5;\nadd.s64 %d4, %d2, %d5;\n" body "ret;\n}\n"
#define MODULE ".version 8.6\n.target sm_90\n.address_size 64\n"

#define TRIGGER "griddepcontrol.launch_dependents;\n"
#define WAIT    "griddepcontrol.wait;\n"
/* Until another kernel has set the flag. */
#define SPIN                                                                   \
	"SPIN: ld.volatile.global.u32 %r9, [%d1];\n"                           \
	"setp.eq.u32 %p1, %r9, 0;\n@%p1 bra SPIN;\n"
#define SET "mov.u32 %r9, 1;\nst.volatile.global.u32 [%d1], %r9;\n"
/* Some thousand cycles. */
#define WORK                                                                   \
	"mov.u32 %r8, 0;\nWORK: add.u32 %r8, %r8, 1;\n"                        \
	"setp.lt.u32 %p2, %r8, 1000;\n@%p2 bra WORK;\n"
/* Enough for all schedulers of an SM whose blocks have 1024 threads. */
#define MUCH                                                                   \
	"mov.u32 %r8, 0;\nMUCH: mad.lo.u32 %r10, %r10, %r3, %r8;\n"            \
	"mad.lo.u32 %r11, %r11, %r3, %r8;\n"                                   \
	"mad.lo.u32 %r12, %r12, %r3, %r8;\n"                                   \
	"mad.lo.u32 %r13, %r13, %r3, %r8;\nadd.u32 %r8, %r8, 1;\n"             \
	"setp.lt.u32 %p2, %r8, 300;\n@%p2 bra MUCH;\n"                         \
	"add.u32 %r10, %r10, %r11;\nadd.u32 %r12, %r12, %r13;\n"               \
	"add.u32 %r10, %r10, %r12;\nst.global.u32 [%d4], %r10;\n"
/* b = a + 1 */
#define STEP                                                                   \
	"ld.global.u32 %r5, [%d3];\nadd.u32 %r5, %r5, 1;\n"                    \
	"st.global.u32 [%d4], %r5;\n"

#define LINES                                                                  \
	"buffer a bytes=32KiB fill=iota\nbuffer b bytes=32KiB\n"               \
	"buffer c bytes=32KiB\nbuffer f bytes=4KiB\n"

static const struct job_wishes plain = {.contents = true, .max_cycles = 200000};

static void run_with(
	struct ran *r, const char *ptx, const char *launches, const char *set)
{
	char lines[1024];

	snprintf(lines, sizeof(lines), "%s%s", LINES, launches);
	kernel_run_lines(set, r, ptx, lines, &plain);
}

static void ends(const char *ptx, const char *launches)
{
	struct ran r;

	run_with(&r, ptx, launches, NULL);
	cr_expect_eq(r.code, 0, "%s: %s", launches, r.error.text);
	kernel_end(&r);
}

static void fails(const char *ptx, const char *launches, const char *sentence)
{
	struct ran r;

	run_with(&r, ptx, launches, NULL);
	cr_expect_neq(r.code, 0, "%s", launches);
	cr_expect(strstr(r.error.text, sentence), "%s: %s", launches,
		r.error.text);
	kernel_end(&r);
}

#define NEVER "kernel 'first' runs for more than 200000 cycles"

/* ---- who is alive beside whom ---- */

Test(kernel_streams, launches_of_two_streams_are_alive_together)
{
	static const char ptx[] =
		MODULE KERNEL("first", SPIN) KERNEL("second", SET);

	ends(ptx, "launch first grid=4 block=64 args=a,b,f\n"
		  "launch second grid=1 block=1 args=a,b,f stream=1\n");
	ends(ptx, "launch first grid=4 block=64 args=a,b,f stream=7\n"
		  "launch second grid=1 block=1 args=a,b,f stream=3\n");
	fails(ptx,
		"launch first grid=4 block=64 args=a,b,f\n"
		"launch second grid=1 block=1 args=a,b,f\n",
		NEVER);
	fails(ptx,
		"launch first grid=4 block=64 args=a,b,f\n"
		"launch second grid=1 block=1 args=a,b,f stream=1 flush\n",
		NEVER);
}

Test(kernel_streams, a_dependent_launch_begins_when_all_blocks_let_it)
{
	static const char all[] =
		MODULE KERNEL("first", TRIGGER SPIN) KERNEL("second", SET);
	static const char one_thread[] = MODULE KERNEL("first",
		"setp.ne.u32 %p3, %r0, 5;\n@%p3 bra NOT;\n" TRIGGER
		"NOT:\n" SPIN) KERNEL("second", SET);
	static const char not_block_2[] = MODULE KERNEL("first",
		"setp.eq.u32 %p3, %r1, 2;\n@%p3 bra NOT;\n" TRIGGER
		"NOT:\n" SPIN) KERNEL("second", SET);
	static const char block_2_ends[] = MODULE KERNEL("first",
		"setp.eq.u32 %p3, %r1, 2;\n@%p3 bra END;\n" TRIGGER SPIN
		"END:\n") KERNEL("second", SET);
	static const char none[] =
		MODULE KERNEL("first", SPIN) KERNEL("second", SET);
	static const char two[] =
		"launch first grid=4 block=64 args=a,b,f\n"
		"launch second grid=1 block=1 args=a,b,f after=programmatic\n";
	static const char line[] = "launch first grid=4 block=64 args=a,b,f\n"
				   "launch second grid=1 block=1 args=a,b,f\n";

	ends(all, two);
	ends(one_thread, two);
	ends(block_2_ends, two);
	fails(not_block_2, two, NEVER);
	fails(none, two, NEVER);
	fails(all, line, NEVER);
}

Test(kernel_streams, blocks_that_wait_for_room_have_not_let_others_begin)
{
	static const char ptx[] =
		MODULE KERNEL("first", TRIGGER SPIN) KERNEL("second", SET);

	/* An SM holds one block of 200 KiB. */
	ends(ptx, "launch first grid=8 block=64 shared=200KiB args=a,b,f\n"
		  "launch second grid=1 block=1 args=a,b,f "
		  "after=programmatic\n");
	fails(ptx,
		"launch first grid=9 block=64 shared=200KiB args=a,b,f\n"
		"launch second grid=1 block=1 args=a,b,f after=programmatic\n",
		NEVER);
	/* Nor do later launches go past them. */
	fails(ptx,
		"launch first grid=9 block=64 shared=200KiB args=a,b,f\n"
		"launch second grid=1 block=1 args=a,b,f stream=1\n",
		NEVER);
}

Test(kernel_streams, an_sm_with_blocks_keeps_its_shared_memory_as_it_is)
{
	static const char ptx[] =
		MODULE KERNEL("first", TRIGGER SPIN) KERNEL("second", SET);

	fails(ptx,
		"launch first grid=8 block=64 args=a,b,f\n"
		"launch second grid=1 block=1 shared=200KiB args=a,b,f "
		"stream=1\n",
		NEVER);
	ends(ptx, "launch first grid=7 block=64 args=a,b,f\n"
		  "launch second grid=1 block=1 shared=200KiB args=a,b,f "
		  "stream=1\n");
	ends(ptx, "launch first grid=8 block=64 shared=100KiB args=a,b,f\n"
		  "launch second grid=1 block=1 shared=16KiB args=a,b,f "
		  "stream=1\n");
}

Test(kernel_streams, blocks_go_to_sms_that_have_fewest)
{
	static const char ptx[] =
		MODULE KERNEL("first", "mov.u32 %r5, %smid;\n"
				       "st.global.u32 [%d4], %r5;\n" SPIN)
			KERNEL("second", "mov.u32 %r5, %smid;\n"
					 "st.global.u32 [%d3], %r5;\n" SET);
	const uint32_t *a, *b;
	uint32_t seen = 0;
	struct ran r;
	size_t i;

	run_with(&r, ptx,
		"launch first grid=5 block=1 args=a,b,f\n"
		"launch second grid=3 block=1 args=a,b,f stream=1\n",
		NULL);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	a = (const uint32_t *)(const void *)r.result.contents[0];
	b = (const uint32_t *)(const void *)r.result.contents[1];
	for (i = 0; i < 3; i++)
		seen |= 1u << a[i];
	for (i = 0; i < 5; i++)
		seen |= 1u << b[i];
	cr_expect_eq(seen, 0xff, "0x%x", seen);
	kernel_end(&r);
}

/* ---- what waits find ---- */

static void leaves(const char *ptx, const char *launches, uint32_t more)
{
	const uint32_t *c;
	struct ran r;
	uint32_t i;

	run_with(&r, ptx, launches, NULL);
	cr_assert_eq(r.code, 0, "%s: %s", launches, r.error.text);
	c = (const uint32_t *)(const void *)r.result.contents[2];
	for (i = 0; i < 1024; i++)
		cr_assert_eq(
			c[i], i + more, "%s: word %u is %u", launches, i, c[i]);
	kernel_end(&r);
}

#define FIRST  "launch first grid=8 block=128 args=a,b,f\n"
#define SECOND "launch second grid=8 block=128 args=b,c,f after=programmatic\n"

Test(kernel_streams, behind_a_wait_all_is_there)
{
	static const char early[] = MODULE KERNEL("first", TRIGGER WORK STEP)
		KERNEL("second", WAIT STEP);
	static const char never[] =
		MODULE KERNEL("first", WORK STEP) KERNEL("second", WAIT STEP);

	leaves(early, FIRST SECOND, 2);
	leaves(never, FIRST SECOND, 2);
}

Test(kernel_streams, a_launch_is_not_over_before_those_before_it)
{
	static const char ptx[] = MODULE KERNEL("first", TRIGGER WORK STEP)
		KERNEL("between", TRIGGER) KERNEL("second", WAIT STEP);
	static const char between[] =
		FIRST "launch between grid=1 block=1 args=a,a,f "
		      "after=programmatic\n";
	char lines[512];

	snprintf(lines, sizeof(lines), "%s%s", between, SECOND);
	leaves(ptx, lines, 2);
	snprintf(lines, sizeof(lines),
		"%slaunch second grid=8 block=128 args=b,c,f\n", between);
	leaves(ptx, lines, 2);
}

Test(kernel_streams, repeats_come_after_each_other_so_too)
{
	static const char ptx[] = MODULE KERNEL("first", TRIGGER WAIT STEP);
	struct ran r;
	const uint32_t *a;
	size_t i;

	run_with(&r, ptx,
		"launch first grid=8 block=128 args=a,a,f after=programmatic "
		"warmups=2 repeats=40\n",
		NULL);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_assert_eq(r.result.launch_count, 40);
	for (i = 0; i < 40; i++)
		cr_expect_eq(r.result.launches[i].repeat, i);
	a = (const uint32_t *)(const void *)r.result.contents[0];
	cr_expect_eq(a[7], 7 + 42);
	kernel_end(&r);
}

/* ---- what is reported ---- */

Test(kernel_streams, an_access_without_its_wait_is_reported)
{
	static const char reads[] = MODULE KERNEL("first", TRIGGER WORK STEP)
		KERNEL("second", STEP);
	static const char late[] =
		MODULE KERNEL("first", WORK STEP) KERNEL("second", STEP);
	static const char writes[] = MODULE KERNEL("first", TRIGGER WORK STEP)
		KERNEL("second", "st.global.u32 [%d3], %r3;\n");
	static const char other[] = MODULE KERNEL("first", TRIGGER WORK STEP)
		KERNEL("second", "ld.global.u32 %r5, [%d3+2048];\n"
				 "st.global.u32 [%d3+3072], %r5;\n");
	static const char again[] = "launch first grid=8 block=128 args=a,b,f\n"
				    "launch second grid=8 block=128 args=a,c,f "
				    "after=programmatic\n";

	fails(reads, FIRST SECOND, "a read of 'b' at offset");
	fails(reads, FIRST SECOND,
		", which launch 'first' before it writes: no "
		"griddepcontrol.wait comes before this");
	fails(late, FIRST SECOND, "a read of 'b' at offset");
	fails(writes, again, "a write of 'a' at offset");
	fails(writes, again, ", which launch 'first' before it reads");
	ends(reads, again);
	ends(other, "launch first grid=4 block=64 args=a,a,f\n"
		    "launch second grid=4 block=64 args=a,a,f "
		    "after=programmatic\n");
	ends(reads, FIRST "launch second grid=8 block=128 args=b,c,f\n");
}

/* A copy of cp.async reads global memory, it writes none. */
Test(kernel_streams, a_copy_reads_what_it_copies)
{
	static const char ptx[] =
		MODULE KERNEL("first", TRIGGER WORK STEP) KERNEL("second",
			".shared .align 16 .b32 part[128];\n"
			"mov.u32 %r5, part;\nmad.lo.u32 %r5, %r0, 4, %r5;\n"
			"cp.async.ca.shared.global [%r5], [%d3], 4;\n"
			"cp.async.wait_all;\nld.shared.u32 %r6, [%r5];\n" WAIT
			"st.global.u32 [%d4], %r6;\n");

	ends(ptx, FIRST "launch second grid=8 block=128 args=a,c,f "
			"after=programmatic\n");
	fails(ptx, FIRST SECOND, "a read of 'b' at offset");
}

/* The first one reads when the second one has written, and read that. */
Test(kernel_streams, a_read_hides_no_write_before_it)
{
	static const char ptx[] = MODULE KERNEL("first", TRIGGER SPIN STEP)
		KERNEL("second", "st.global.u32 [%d3], %r3;\n"
				 "ld.global.u32 %r5, [%d3];\n"
				 "st.global.u32 [%d4], %r5;\n" SET WAIT);

	fails(ptx,
		"launch first grid=1 block=32 args=a,b,f\n"
		"launch second grid=1 block=32 args=a,c,f after=programmatic\n",
		"a write of 'a' at offset");
}

/* ... nor do launches in between, unless each of their blocks has waited before
   it let others begin; whether the first one is long over or not. */
Test(kernel_streams, launches_far_apart_are_held_against_each_other)
{
#define BETWEEN "launch between grid=1 block=32 args=a,c,f after=programmatic\n"
	static const char rushing[] = MODULE KERNEL("first", TRIGGER STEP)
		KERNEL("between", TRIGGER) KERNEL("second", WORK STEP);
	static const char waiting[] = MODULE KERNEL("first", TRIGGER STEP)
		KERNEL("between", WAIT TRIGGER) KERNEL("second", WORK STEP);

	fails(rushing, FIRST BETWEEN SECOND,
		"which launch 'first' before it writes");
	fails(rushing, FIRST BETWEEN BETWEEN BETWEEN SECOND,
		"which launch 'first' before it writes");
	fails(rushing,
		FIRST BETWEEN BETWEEN BETWEEN BETWEEN BETWEEN BETWEEN BETWEEN
			SECOND,
		"which launch 'first' before it writes");
	ends(waiting, FIRST BETWEEN SECOND);
	ends(waiting, FIRST BETWEEN BETWEEN BETWEEN SECOND);
}

static void held(const char *ptx, const char *launches, const char *part)
{
	const struct job_wishes wishes = {.profile = true, .races = true};
	char lines[1024];
	struct ran r;

	snprintf(lines, sizeof(lines), "%s%s", LINES, launches);
	kernel_run_lines(NULL, &r, ptx, lines, &wishes);
	if (part)
		cr_expect(r.code && strstr(r.error.text, part), "%s",
			r.error.text);
	else
		cr_expect_eq(r.code, 0, "%s", r.error.text);
	kernel_end(&r);
}

Test(kernel_streams, streams_that_nothing_orders_keep_apart)
{
	static const char ptx[] = MODULE KERNEL("first", STEP)
		KERNEL("second", WORK STEP) KERNEL("told", SPIN STEP)
			KERNEL("tells", STEP "fence.acq_rel.gpu;\n" SET);
	static const char after[] = "launch first grid=1 block=32 args=a,b,f\n"
				    "launch second grid=1 block=32 args=b,c,f ";

	held(ptx,
		"launch first grid=1 block=32 args=a,b,f stream=1\n"
		"launch second grid=1 block=32 args=b,c,f stream=2\n",
		"block 0, thread 0: a read of 'b' at offset 0, which launch "
		"'first' of stream 1 writes at line 21: nothing orders the two "
		"streams");
	held(ptx,
		"launch second grid=1 block=32 args=b,c,f stream=1\n"
		"launch first grid=1 block=32 args=a,b,f stream=2\n",
		"nothing orders the two streams");
	held(ptx,
		"launch first grid=1 block=32 args=a,b,f stream=1\n"
		"launch second grid=1 block=32 args=a,b,f stream=2\n",
		"a write of 'b' at offset 0");
	/* the same stream, other memory, a flush, a flag */
	held(ptx,
		"launch first grid=1 block=32 args=a,b,f stream=1\n"
		"launch second grid=1 block=32 args=b,c,f stream=1\n"
		"launch first grid=1 block=32 args=a,a,f stream=2\n",
		"nothing orders the two streams");
	held(ptx,
		"launch first grid=1 block=32 args=a,b,f stream=1\n"
		"launch second grid=1 block=32 args=a,c,f stream=2\n",
		NULL);
	held(ptx,
		"launch first grid=1 block=32 args=a,b,f stream=1\n"
		"launch second grid=1 block=32 args=b,c,f stream=2 flush\n",
		NULL);
	held(ptx,
		"launch told grid=1 block=32 args=b,c,f stream=1\n"
		"launch tells grid=1 block=32 args=a,b,f stream=2\n",
		NULL);
	held(ptx, after, NULL);
}

Test(kernel_streams, nobody_looks_where_that_is_wished)
{
	static const char ptx[] = MODULE KERNEL("first", TRIGGER WORK STEP)
		KERNEL("second", STEP);
	const struct job_wishes wishes = {.unchecked = true};
	struct ran r;

	kernel_run_lines(NULL, &r, ptx, LINES FIRST SECOND, &wishes);
	cr_expect_eq(r.code, 0, "%s", r.error.text);
	kernel_end(&r);
}

Test(kernel_streams, a_wait_of_one_warp_is_its_blocks)
{
	static const char ptx[] =
		MODULE KERNEL("first", TRIGGER WORK STEP) KERNEL("second",
			"setp.ge.u32 %p3, %r0, 32;\n@%p3 bra NOT;\n" WAIT
			"NOT: bar.sync 0;\n" STEP);

	leaves(ptx, FIRST SECOND, 2);
}

Test(kernel_streams, who_never_ends_is_named)
{
	static const char ptx[] = MODULE KERNEL("first",
		TRIGGER ".shared .align 8 .b64 bar;\n"
			"setp.eq.u32 %p3, %r0, 0;\n@%p3 bra NOT;\n"
			"bar.sync 1, 96;\nNOT:\n") KERNEL("second", WAIT STEP);

	fails(ptx,
		"launch first grid=8 block=64 args=a,b,f\n"
		"launch second grid=8 block=64 args=b,c,f "
		"after=programmatic\n",
		"kernel 'first' never ends");
}

/* More than are alive at the same time: those that are not wait for no event.
 */
Test(kernel_streams, who_never_ends_is_named_among_many)
{
	static const char ptx[] = MODULE KERNEL("first",
		"setp.eq.u32 %p3, %r0, 0;\n@%p3 bra NOT;\n"
		"bar.sync 1, 96;\nNOT:\n") KERNEL("second", "");
	char lines[3072] = LINES;
	size_t length = strlen(lines);
	struct ran r;
	int i;

	for (i = 0; i < 40; i++)
		length += (size_t)snprintf(lines + length,
			sizeof(lines) - length,
			"launch first grid=1 block=64 args=a,b,f stream=%d\n",
			i);
	kernel_run_lines(NULL, &r, ptx, lines, &plain);
	cr_expect(strstr(r.error.text, "kernel 'first' never ends"), "%s",
		r.error.text);
	kernel_end(&r);
}

/* ---- what belongs to whom ---- */

static double counter(const struct job_launch_result *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->counter_count; i++)
		if (!strcmp(l->counters[i].name, name))
			return l->counters[i].value;
	cr_assert_fail("no counter %s", name);
	return 0;
}

Test(kernel_streams, each_launch_counts_its_own)
{
	static const char ptx[] = MODULE KERNEL("first", TRIGGER WORK STEP)
		KERNEL("second", WAIT STEP);
	static const char *const names[] = {"smsp__inst_executed.sum",
		"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
		"lts__t_sectors_op_write.sum", "nearfar__requests.sum"};
	static const char apart[] =
		FIRST "launch second grid=8 block=128 args=b,c,f\n";
	struct ran alone, both;
	size_t i, k;

	run_with(&alone, ptx, apart, NULL);
	run_with(&both, ptx, FIRST SECOND, NULL);
	cr_assert_eq(alone.code, 0, "%s", alone.error.text);
	cr_assert_eq(both.code, 0, "%s", both.error.text);
	for (i = 0; i < 2; i++)
		for (k = 0; k < sizeof(names) / sizeof(*names); k++)
			cr_expect_eq(
				counter(&both.result.launches[i], names[k]),
				counter(&alone.result.launches[i], names[k]),
				"launch %zu: %s", i, names[k]);
	cr_expect_float_eq(both.result.launches[0].cycles,
		alone.result.launches[0].cycles, 50, "%g, not %g",
		both.result.launches[0].cycles,
		alone.result.launches[0].cycles);
	kernel_end(&alone);
	kernel_end(&both);
}

Test(kernel_streams, waits_add_up_to_resident_warps)
{
	static const char ptx[] = MODULE KERNEL("first", TRIGGER WORK STEP)
		KERNEL("second", WAIT STEP);
	const struct job_wishes wishes = {.profile = true, .races = true};
	struct ran r;
	size_t i, k;

	kernel_run_lines(NULL, &r, ptx, LINES FIRST SECOND, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	for (i = 0; i < 2; i++) {
		const struct job_profile *p = r.result.launches[i].profile;
		double sum = 0;

		for (k = 0; k < JOB_WAIT_COUNT; k++)
			sum += p->wait_cycles[k];
		cr_expect_eq(sum, p->warp_cycles);
		cr_expect_gt(p->line_count, 5);
		cr_expect_eq(p->server_count, 0);
	}
	cr_expect_gt(
		r.result.launches[1].profile->wait_cycles[JOB_WAIT_DEPENDENCE],
		1000);
	kernel_end(&r);
}

Test(kernel_streams, launches_on_a_busy_chip_take_longer)
{
	static const char ptx[] = MODULE KERNEL("first", MUCH STEP);
	static const char two[] =
		"launch first grid=8 block=1024 args=a,b,f\n"
		"launch first grid=8 block=1024 args=a,c,f stream=1\n";
	static const char line[] =
		"launch first grid=8 block=1024 args=a,b,f\n"
		"launch first grid=8 block=1024 args=a,c,f\n";
	struct ran apart, both;

	run_with(&apart, ptx, line, NULL);
	run_with(&both, ptx, two, NULL);
	cr_assert_eq(apart.code, 0, "%s", apart.error.text);
	cr_assert_eq(both.code, 0, "%s", both.error.text);
	cr_expect_gt(both.result.launches[0].cycles,
		1.3 * apart.result.launches[0].cycles, "%g, not %g",
		both.result.launches[0].cycles,
		apart.result.launches[0].cycles);
	kernel_end(&apart);
	kernel_end(&both);
}

/* One block after the other, beside their ends. */
Test(kernel_streams, the_chip_takes_time_for_triggers)
{
	static const char with[] =
		MODULE KERNEL("first", TRIGGER) KERNEL("second", TRIGGER);
	static const char without[] =
		MODULE KERNEL("first", "") KERNEL("second", TRIGGER TRIGGER);
	static const char many[] =
		"launch first grid=8192 block=32 args=a,b,f\n"
		"launch second grid=8192 block=32 args=a,b,f\n";
	struct ran slow, fast;

	run_with(&slow, with, many, "sm_count=32");
	run_with(&fast, without, many, "sm_count=32");
	cr_assert_eq(slow.code, 0, "%s", slow.error.text);
	cr_assert_eq(fast.code, 0, "%s", fast.error.text);
	cr_expect_gt(slow.result.launches[0].cycles,
		fast.result.launches[0].cycles + 8192, "%g, not %g",
		slow.result.launches[0].cycles, fast.result.launches[0].cycles);
	cr_expect_float_eq(slow.result.launches[1].cycles,
		fast.result.launches[1].cycles, 100, "%g, not %g",
		slow.result.launches[1].cycles, fast.result.launches[1].cycles);
	kernel_end(&slow);
	kernel_end(&fast);
}

/* ---- what is refused ---- */

Test(kernel_streams, older_chips_have_no_dependent_launches)
{
	static const char ptx[] =
		MODULE KERNEL("first", "") KERNEL("second", "");
	struct ran r;

	run_with(&r, ptx, FIRST SECOND, "sm_arch=80");
	cr_expect_eq(r.code, ERR_SKIPPED);
	cr_expect_str_eq(r.error.text,
		"launch 'second' is after=programmatic; the model's machine "
		"has compute capability 8.0, which has no such launches");
	kernel_end(&r);
}

static double events_of(const struct job_launch_result *launch)
{
	size_t i;

	for (i = 0; i < launch->counter_count; i++)
		if (!strcmp(launch->counters[i].name, "nearfar__events.sum"))
			return launch->counters[i].value;
	return 0;
}

/* A launch beside another one has about as many events as alone. */
Test(kernel_streams, events_belong_to_their_launches)
{
	static const char ptx[] =
		MODULE KERNEL("first", STEP) KERNEL("second", MUCH);
	const char *first = "launch first grid=1 block=32 args=a,b,f\n";
	struct ran alone, both;
	double small, large;

	run_with(&alone, ptx, first, NULL);
	cr_assert_eq(alone.code, 0, "%s", alone.error.text);
	run_with(&both, ptx,
		"launch first grid=1 block=32 args=a,b,f\n"
		"launch second grid=4 block=1024 args=c,c,f stream=1\n",
		NULL);
	cr_assert_eq(both.code, 0, "%s", both.error.text);
	small = events_of(&both.result.launches[0]);
	large = events_of(&both.result.launches[1]);
	cr_expect_float_eq(small, events_of(&alone.result.launches[0]), 20,
		"%g, alone %g", small, events_of(&alone.result.launches[0]));
	cr_expect_gt(large, 100000, "%g", large);
	kernel_end(&alone);
	kernel_end(&both);
}

/* SMs have had room for the third launch long before it is its turn. */
Test(kernel_streams, no_block_begins_before_its_turn)
{
	static const struct job_wishes wishes = {.unchecked = true};
	struct ran r;

	kernel_run_lines(NULL, &r,
		HEAD "and.b32 %r6, %r1, 7;\nmul.lo.u32 %r6, %r6, 1000;\n"
		     "mov.u32 %r4, %clock;\n"
		     "L: mov.u32 %r5, %clock;\nsub.u32 %r5, %r5, %r4;\n"
		     "setp.lt.u32 %p1, %r5, %r6;\n@%p1 bra L;\n" TAIL,
		"buffer a bytes=4KiB type=u32\nbuffer b bytes=4KiB type=u32\n"
		"launch k grid=132 block=32 shared=100KiB args=a,b\n"
		"launch k grid=132 block=32 shared=100KiB args=a,b stream=1\n"
		"launch k grid=64 block=32 args=a,b stream=2\n",
		&wishes);
	cr_expect_eq(r.code, 0, "%s", r.error.text);
	kernel_end(&r);
}
