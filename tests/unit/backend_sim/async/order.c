/* What kernels with asynchronous copies must wait for, and what is said of
   those that do not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/async/async.h"

TestSuite(order, .timeout = 120);

#define READ "ld.shared.u32 %r4, [%r12];\n"
#define USE  "st.global.u32 [%d4], %r4;\n"
#define LOAD SHARED PART INIT("1") EXPECT("512") COPY("%r10", "%d5", "512")

Test(order, a_read_waits_for_its_copy)
{
	async_fails(
		LOAD READ USE, ", which the copy of line 35 fills: no wait");
	/* long after: it does not matter that it has come */
	async_fails(LOAD "nanosleep.u32 100000;\n" READ USE, "no wait");
	/* the phase before is over at once */
	async_fails(LOAD WAIT("W", "1") READ USE, "no wait");
	/* thread 0 waits, and tells nobody */
	async_fails(LOAD "@!%p0 bra N;\n" WAIT(
			    "W", "0") "N:\n"
				      "nanosleep.u32 100000;\n" READ USE,
		"a read of shared memory");
}

static uint32_t same(uint32_t i)
{
	return i;
}

/* ... or does: by a barrier of the block, by one in memory, by an atomic behind
   a fence. */
Test(order, who_is_told_is_not_accused)
{
	kernel_leaves(LOAD
		"@!%p0 bra N;\n" WAIT("W", "0") "N: bar.sync 0;\n" READ USE,
		same);
	kernel_leaves(LOAD
		"@%p0 mbarrier.init.shared.b64 [%r11+8], 1;\n"
		"bar.sync 0;\n"
		"@!%p0 bra N;\n" WAIT(
			"W", "0") "mbarrier.arrive.shared.b64 _, [%r11+8];\n"
				  "N: mbarrier.try_wait.parity.shared.b64 %p1, "
				  "[%r11+8], 0;\n@!%p1 bra N;\n" READ USE,
		same);
	kernel_leaves(LOAD
		"@%p0 st.shared.u32 [%r10+2048], 0;\nbar.sync 0;\n"
		"@!%p0 bra N;\n" WAIT("W",
			"0") "fence.acq_rel.cta;\n"
			     "atom.shared.exch.b32 %r5, [%r10+2048], 1;\n"
			     "N: atom.shared.or.b32 %r5, [%r10+2048], 0;\n"
			     "setp.eq.u32 %p1, %r5, 0;\n@%p1 bra N;\n" READ USE,
		same);
}

Test(order, a_write_is_no_better_than_a_read)
{
	async_fails(LOAD "st.shared.u32 [%r12], %r3;\n" WAIT("W", "0"),
		", which the copy of line 35 fills");
}

Test(order, a_copy_waits_for_the_one_before)
{
	async_fails(LOAD EXPECT("512") COPY("%r10", "%d5", "512")
			    WAIT("W", "0"),
		"gets an arrival too many");
	async_fails(SHARED PART INIT("1") EXPECT("1024") COPY("%r10", "%d5",
			    "512") COPY("%r10", "%d5", "512") WAIT("W", "0"),
		"a copy to shared memory at offset 0, which the copy of line "
		"35 "
		"fills");
}

/* What others read, they must have read. */
Test(order, a_copy_waits_for_readers)
{
	async_fails(LOAD WAIT("W", "0") READ USE EXPECT("512")
			    COPY("%r10", "%d5", "512") WAIT("V", "1"),
		"which a thread at line 38 has read");
	kernel_leaves(LOAD WAIT("W", "0") READ USE "bar.sync 0;\n" EXPECT("512")
			      COPY("%r10", "%d5", "512") WAIT("V", "1"),
		same);
}

#define WRITTEN  SHARED PART "st.shared.u32 [%r12], %r3;\n"
#define READ_ALL COMMIT "@%p0 cp.async.bulk.wait_group.read 0;\n"

Test(order, a_store_needs_the_fence_of_proxies)
{
	async_fails(WRITTEN "bar.sync 0;\n" STORE("%d6", "%r10", "512")
			    READ_ALL,
		"a copy from shared memory at offset 0, which a thread at line "
		"32 has written: no fence.proxy.async");
	async_fails(WRITTEN FENCE STORE("%d6", "%r10", "512") READ_ALL,
		"nothing that this thread has waited for");
	/* the fence of who stores is one, too; of another space is none */
	kernel_leaves(WRITTEN "bar.sync 0;\n" FENCE STORE("%d6", "%r10", "512")
			      READ_ALL,
		same);
	async_fails(WRITTEN "fence.proxy.async.global;\nbar.sync 0;\n" STORE(
			    "%d6", "%r10", "512") READ_ALL,
		"no fence.proxy.async");
}

#define STORED WRITTEN FENCE "bar.sync 0;\n" STORE("%d6", "%r10", "512")

Test(order, a_write_waits_until_a_store_has_read)
{
	async_fails(STORED COMMIT "@%p0 st.shared.u32 [%r12], 0;\n"
				  "@%p0 cp.async.bulk.wait_group 0;\n",
		"a write of shared memory at offset 0, which the copy of line "
		"35 reads: no cp.async.bulk.wait_group");
	/* a group that was not committed is not waited for */
	async_fails(STORED "@%p0 cp.async.bulk.wait_group 0;\n"
			   "@%p0 st.shared.u32 [%r12], 0;\n",
		"behind its commit_group");
	/* one may be left, and it is this one */
	async_fails(STORED COMMIT "@%p0 cp.async.bulk.wait_group 1;\n"
				  "@%p0 st.shared.u32 [%r12], 0;\n",
		"which the copy of line 35 reads");
	kernel_leaves(STORED READ_ALL "@%p0 st.shared.u32 [%r12], 0;\n", same);
}

Test(order, a_block_does_not_end_before_its_copies)
{
	async_fails(STORED COMMIT, "the block ends before this copy");
	async_fails(LOAD, "ends while this copy still fills");
}

Test(order, bytes_come_in_the_phase_that_expects_them)
{
	async_fails(
		SHARED PART INIT("1") COPY("%r10", "%d5",
			"512") "@%p0 mbarrier.arrive.shared.b64 _, [%r11];\n"
			       "nanosleep.u32 100000;\n" WAIT("W", "0"),
		"come in a later phase of its barrier");
	async_fails(SHARED PART INIT("1") COPY("%r10", "%d5",
			    "512") "@%p0 mbarrier.arrive.shared.b64 _, "
				   "[%r11];\n" WAIT("W", "0") READ,
		"the phase that was waited for is not the one");
}

/* ---- products of matrices, which read as copies do ---- */

#define PRODUCT                                                                \
	"cvt.u64.u32 %d7, %r10;\nshr.u64 %d7, %d7, 4;\n"                       \
	"mov.u64 %d8, 0x0000001000080000;\nor.b64 %d7, %d7, %d8;\n"            \
	"wgmma.fence.sync.aligned;\n"                                          \
	"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "                 \
	"{%f0, %f1, %f2, %f3}, %d7, %d7, 0, 1, 1, 0, 0;\n"                     \
	"wgmma.commit_group.sync.aligned;\n"                                   \
	"wgmma.wait_group.sync.aligned 0;\n"

static void passes(const char *body)
{
	const struct job_wishes wishes = {.max_cycles = 1000000};
	struct ran r;

	async_run(&r, body, &wishes);
	cr_expect_eq(r.code, 0, "%s", r.error.text);
	kernel_end(&r);
}

Test(order, a_product_waits_for_its_tiles)
{
	async_fails(LOAD PRODUCT WAIT("W", "0"),
		"a product of matrices in shared memory at offset 0, which the "
		"copy of line 35 fills: no wait");
	passes(LOAD WAIT("W", "0") PRODUCT);
	async_fails(WRITTEN "bar.sync 0;\n" PRODUCT,
		"which a thread at line 32 has written: no fence.proxy.async");
	passes(WRITTEN FENCE "bar.sync 0;\n" PRODUCT);
	/* and is waited for */
	async_fails(LOAD WAIT("W", "0") PRODUCT EXPECT("512")
			    COPY("%r10", "%d5", "512") WAIT("V", "1"),
		"has read: nothing that this thread has waited for");
	passes(LOAD WAIT("W", "0") PRODUCT "bar.sync 0;\n" EXPECT("512")
			COPY("%r10", "%d5", "512") WAIT("V", "1"));
}

/* ---- cp.async ---- */

#define FILL                                                                   \
	"shl.b32 %r12, %r0, 4;\nadd.u32 %r13, %r10, %r12;\n"                   \
	"cvt.u64.u32 %d9, %r12;\nadd.s64 %d9, %d0, %d9;\n"                     \
	"cp.async.cg.shared.global [%r13], [%d9], 16;\n"                       \
	"cp.async.commit_group;\n"
#define FILLED "cp.async.wait_group 0;\nbar.sync 0;\n"

static void says(const char *body, bool races, const char *part)
{
	const struct job_wishes wishes = {
		.max_cycles = 1000000, .profile = races, .races = races};
	struct ran r;

	async_run(&r, body, &wishes);
	if (!part)
		cr_expect_eq(r.code, 0, "%s", r.error.text);
	else
		cr_expect(r.code && strstr(r.error.text, part),
			"'%s'\n    expected: %s", r.error.text, part);
	kernel_end(&r);
}

/* Compilers write no fence between the two; PTX asks for one. */
Test(order, a_product_behind_other_copies_needs_its_fence_for_races_alone)
{
	says(SHARED FILL FILLED PRODUCT, false, NULL);
	says(SHARED FILL FILLED PRODUCT, true, "no fence.proxy.async comes");
	says(SHARED FILL FILLED FENCE PRODUCT, true, NULL);
	says(SHARED FILL "bar.sync 0;\n" PRODUCT, false, "no wait for it");
}

/* A word each of the same 16 bytes, by four warps; thread 0 reads its own. */
#define SHARED_OUT                                                             \
	"and.b32 %r12, %r0, 31;\nshl.b32 %r12, %r12, 4;\n"                     \
	"shr.u32 %r13, %r0, 5;\nshl.b32 %r13, %r13, 2;\n"                      \
	"add.u32 %r13, %r13, %r12;\nadd.u32 %r13, %r13, %r10;\n"               \
	"cp.async.ca.shared.global [%r13], [%d3], 4;\n"                        \
	"cp.async.commit_group;\n"
#define READ_WORD "ld.shared.u32 %r14, [%r13];\nst.global.u32 [%d4], %r14;\n"

Test(order, words_side_by_side_are_filled_by_several_warps)
{
	says(SHARED SHARED_OUT FILLED READ_WORD, true, NULL);
	says(SHARED SHARED_OUT "bar.sync 0;\n" SHARED_OUT FILLED READ_WORD,
		true, NULL);
	says(SHARED SHARED_OUT "bar.sync 0;\n" READ_WORD, true,
		"no wait for it");
	says(SHARED SHARED_OUT "xor.b32 %r13, %r13, 4;\nbar.sync 0;\n"
			       "cp.async.wait_group 0;\n"
			       "st.shared.u32 [%r13], 0;\n",
		true, "no wait for it");
}

Test(order, other_copies_alone_are_looked_at_for_races)
{
#define READ_FILLED                                                            \
	"ld.shared.u32 %r14, [%r10+64];\nst.global.u32 [%d4], %r14;\n"
	says(SHARED FILL "bar.sync 0;\n" READ_FILLED, false, NULL);
	says(SHARED FILL "bar.sync 0;\n" READ_FILLED, true, "no wait for it");
	says(SHARED FILL FILLED READ_FILLED, true, NULL);
}

/* ---- barriers ---- */

Test(order, barriers_are_initialised_and_valid)
{
	async_fails(SHARED EXPECT("16"), "is used before mbarrier.init");
	async_fails(SHARED "@%p0 mbarrier.init.shared.b64 [%r11], 1;\n"
			   "mbarrier.test_wait.parity.shared.b64 %p1, [%r11], "
			   "0;\n",
		"comes between its mbarrier.init and this");
	async_fails(SHARED INIT("1") "@%p0 mbarrier.inval.shared.b64 "
				     "[%r11];\n" EXPECT("16"),
		"is used behind mbarrier.inval");
}

Test(order, arrivals_and_bytes_are_counted)
{
	async_fails(SHARED INIT("64") "mbarrier.arrive.shared.b64 _, "
				      "[%r11], 40;\n",
		"gets an arrival too many");
	async_fails(SHARED INIT("2") "@%p0 mbarrier.expect_tx.shared.b64 "
				     "[%r11], 1048575;\n"
				     "@%p0 mbarrier.expect_tx.shared.b64 "
				     "[%r11], 16;\n",
		"counts more than 1048575 bytes");
	async_fails(SHARED INIT("1") "@%p0 mbarrier.arrive.noComplete.shared."
				     "b64 %d7, [%r11], 1;\n",
		"which PTX leaves undefined");
}

Test(order, a_wait_that_cannot_end_is_named)
{
	async_fails(SHARED INIT("2") EXPECT("512") WAIT("W", "0"),
		"waits for ever at the barrier at offset 4096 of shared "
		"memory, whose phase of parity 0 does not end: it lacks 1 "
		"arrival and 512 bytes");
	async_fails(SHARED INIT("1") WAIT("W", "0"), "it lacks 1 arrival;");
	/* one that does not sleep */
	async_fails(
		SHARED INIT("1") "W: mbarrier.test_wait.parity.shared.b64 %p1, "
				 "[%r11], 0;\n@!%p1 bra W;\n",
		"waits for ever");
	/* and one whose registers a clock changes */
	async_fails(SHARED INIT("1") "W: mov.u64 %d7, %clock64;\n"
				     "mbarrier.try_wait.parity.shared.b64 %p1, "
				     "[%r11], 0, "
				     "%r0;\n@!%p1 bra W;\n"
				     "st.global.u64 [%d0], %d7;\n",
		"waits for ever");
}

static uint32_t given_up(uint32_t i)
{
	(void)i;
	return 7;
}

/* Who counts how often goes on. */
Test(order, a_wait_that_gives_up_is_none)
{
	kernel_leaves(SHARED INIT("1") "mov.u32 %r4, 0;\n"
				       "W: add.u32 %r4, %r4, 1;\n"
				       "mbarrier.try_wait.parity.shared.b64 "
				       "%p1, [%r11], 0;\n"
				       "setp.lt.u32 %p2, %r4, 7;\n"
				       "@%p2 bra W;\n" USE,
		given_up);
}

/* Lanes of one warp on both sides: neither waits for the other's nap. */
Test(order, lanes_of_a_warp_can_be_producer_and_consumer)
{
	kernel_leaves(
		SHARED PART INIT(
			"1") "@%p0 mbarrier.init.shared.b64 [%r11+8], 127;\n"
			     "bar.sync 0;\n"
			     "@%p0 bra P;\n" WAIT("W", "0") READ USE
		"mbarrier.arrive.shared.b64 _, [%r11+8];\n"
		"bra E;\n"
		"P:\n" EXPECT("512") COPY("%r10", "%d5", "512") WAIT("V", "0")
			READ USE "Q: mbarrier.try_wait.parity.shared.b64 %p1, "
				 "[%r11+8], 0;\n@!%p1 bra Q;\n"
				 "E:\n",
		same);
}
