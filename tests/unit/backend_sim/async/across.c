/* Barriers and copies between the blocks of a cluster. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/async/async.h"

TestSuite(async_cluster, .timeout = 120);

/* %p2: the block of rank 1 of its two; %r6: what leads from one block's address
   to that of rank 0 or 1. */
#define CLUSTER                                                                \
	SHARED "mul.wide.u32 %d5, %r1, 512;\nadd.s64 %d5, %d0, %d5;\n"         \
	       "and.b32 %r4, %r1, 1;\nsetp.eq.u32 %p2, %r4, 1;\n"              \
	       "and.b32 %r7, %r10, 0xffffff;\nand.b32 %r8, %r11, 0xffffff;\n"  \
	       "add.u32 %r9, %r7, 0x1000000;\n"                                \
	       "add.u32 %r13, %r8, 0x1000000;\n"
#define MEETS "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
/* Of the other block's barriers all is known. */
#define BEGUN     "fence.mbarrier_init.release.cluster;\n" MEETS
#define MEANWHILE "nanosleep.u32 20000;\n"

static void leaves(const char *body, uint32_t (*expected)(uint32_t i))
{
	const struct job_wishes wishes = {
		.contents = true, .max_cycles = 20000000};
	char ptx[8192];
	const uint32_t *b;
	struct ran r;
	uint32_t i;

	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, body, TAIL);
	kernel_run(
		NULL, &r, ptx, BUFFERS, "grid=8 block=128 cluster=2", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)(const void *)r.result.contents[1];
	for (i = 0; i < 1024; i++)
		cr_assert_eq(b[i], expected(i), "word %u is %u", i, b[i]);
	kernel_end(&r);
}

static uint32_t of_first(uint32_t i)
{
	return i / 256 * 256 + i % 128;
}

static uint32_t of_nobody(uint32_t i)
{
	(void)i;
	return 0;
}

static uint32_t of_second(uint32_t i)
{
	return i / 128 % 2 ? i - 128 : 0;
}

#define READ "ld.shared.u32 %r4, [%r12];\nst.global.u32 [%d4], %r4;\n"

/* One copy fills both blocks, and completes the barrier of each. */
Test(async_cluster, a_multicast_comes_to_each_rank)
{
	leaves(CLUSTER INIT("1") EXPECT("512") BEGUN
		"@%p2 bra W;\n"
		"mov.u16 %h0, 3;\n"
		"@%p0 "
		"cp.async.bulk.shared::cluster.global.mbarrier::"
		"complete_tx::bytes.multicast::cluster [%r10], "
		"[%d5], "
		"512, [%r11], %h0;\n" WAIT("W", "0") READ,
		of_first);
}

static void fails(const char *body, const char *part)
{
	const struct job_wishes wishes = {.max_cycles = 20000000};
	char ptx[8192];
	struct ran r;

	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, body, TAIL);
	kernel_run(
		NULL, &r, ptx, BUFFERS, "grid=2 block=128 cluster=2", &wishes);
	cr_expect_neq(r.code, 0, "nothing is said, expected: %s", part);
	cr_expect(strstr(r.error.text, part), "%s\n    expected: %s",
		r.error.text, part);
	kernel_end(&r);
}

#define MULTICAST                                                              \
	"mov.u16 %h0, 3;\n@%p0 cp.async.bulk.shared::cluster.global."          \
	"mbarrier::complete_tx::bytes.multicast::cluster [%r10], [%d5], 512, " \
	"[%r11], %h0;\n"

/* The other block is to wait as its own does, even if the bytes are there. */
Test(async_cluster, a_multicast_is_waited_for_in_each_block)
{
	fails(CLUSTER INIT("1") EXPECT("512") BEGUN
		"@%p2 bra V;\n" MULTICAST WAIT(
			"W", "0") "bra E;\nV:\n"
				  "nanosleep.u32 20000;\n" READ "E:\n" MEETS,
		"no wait for the phase in which it completes");
	fails(CLUSTER INIT("1") EXPECT("512") BEGUN
		"@%p2 bra V;\n" MULTICAST WAIT("W", "0") "V:\n",
		"block 1 ends while this copy still fills its shared memory");
	fails(CLUSTER INIT("1") EXPECT("512") BEGUN
		"@%p2 bra V;\nld.shared.u32 %r4, [%r12];\n" MULTICAST
		"V:\n" WAIT("W", "0") MEETS,
		"has read: nothing that this thread has waited for");
}

#define ACROSS(fence, wait)                                                    \
	CLUSTER INIT("1") EXPECT(                                              \
		"512") "st.shared.u32 [%r12+1024], %r3;\n" fence               \
		       "bar.sync 0;\n" BEGUN                                   \
		       "@%p2 bra V;\nadd.u32 %r4, %r10, 1024;\n"               \
		       "@%p0 "                                                 \
		       "cp.async.bulk.shared::cluster.shared::cta.mbarrier::"  \
		       "complete_tx::bytes [%r9], [%r4], 512, [%r13];\nbra "   \
		       "E;\nV:\n" wait "nanosleep.u32 20000;\n" READ           \
		       "E:\n" MEETS
#define SENT(wait)                                                             \
	CLUSTER INIT("1") EXPECT("512") BEGUN                                  \
		"@%p2 bra V;\nshl.b32 %r4, %r0, 2;\nadd.u32 %r4, %r4, %r9;\n"  \
		"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "   \
		"[%r4], "                                                      \
		"%r3, [%r13];\nbra E;\nV:\n" wait                              \
		"nanosleep.u32 20000;\n" READ "E:\n" MEETS

Test(async_cluster, what_other_blocks_send_is_waited_for)
{
	leaves(ACROSS(FENCE, WAIT("W", "0")), of_second);
	leaves(SENT(WAIT("W", "0")), of_second);
	fails(ACROSS(FENCE, ""), "no wait for the phase in which it completes");
	fails(ACROSS("", WAIT("W", "0")), "no fence.proxy.async comes between");
	fails(SENT(""), "no wait for the phase in which it completes");
}

/* To one other block. */
Test(async_cluster, a_copy_fills_another_block)
{
	leaves(CLUSTER INIT("1") BEGUN
		"@%p2 bra V;\n"
		"@%p0 cp.async.bulk.shared::cluster.global."
		"mbarrier::complete_tx::bytes [%r9], [%d5], "
		"512, [%r13];\nbra E;\n"
		"V:\n" EXPECT("512") WAIT("W", "0") READ "E:\n",
		of_second);
}

/* From the shared memory of one to that of the other. */
Test(async_cluster, a_copy_goes_across)
{
	leaves(CLUSTER INIT("1") BEGUN
		"@%p2 bra V;\n"
		"st.shared.u32 [%r12], %r3;\n" FENCE "bar.sync 0;\n"
		"@%p0 cp.async.bulk.shared::cluster.shared::"
		"cta.mbarrier::complete_tx::bytes [%r9], "
		"[%r10], 512, [%r13];\n" MEANWHILE "bra E;\n"
		"V:\n" EXPECT("512") WAIT("W", "0") READ "E:\n" MEETS,
		of_second);
}

/* All threads of one arrive at the barrier of the other. */
Test(async_cluster, arrivals_go_across)
{
	leaves(CLUSTER INIT("128") BEGUN
		"@%p2 bra V;\n"
		"mbarrier.arrive.release.cluster.shared::"
		"cluster.b64 _, [%r13];\nbra E;\n"
		"V:\n" WAIT("W", "0") "sub.u32 %r4, %r3, "
				      "128;\nst.global.u32 "
				      "[%d4], %r4;\nE:\n",
		of_second);
}

#define HANDED(release, arrive, wait, acquire)                                 \
	CLUSTER INIT("128") BEGUN                                              \
		"@%p2 bra V;\nshl.b32 %r4, %r0, 2;\nadd.u32 %r4, %r4, %r9;\n"  \
		"st.shared::cluster.u32 [%r4], %r3;\n" release                 \
		"mbarrier.arrive" arrive ".shared::cluster.b64 _, "            \
		"[%r13];\nbra E;\nV:\nmbarrier.try_wait.parity" wait           \
		".shared.b64 %p1, [%r11], 0;\n@!%p1 bra V;\n" acquire READ     \
		"E:\n" MEETS

/* What one block has stored is there for the other, by an arrival and a wait of
   the cluster, or by fences of shared memory around such as order nothing. */
Test(async_cluster, arrivals_hand_on_what_was_stored)
{
	leaves(HANDED("", ".release.cluster", ".acquire.cluster", ""),
		of_second);
	leaves(HANDED("fence.release.sync_restrict::shared::cta.cluster;\n",
		       ".relaxed.cluster", ".relaxed.cluster",
		       "fence.acquire.sync_restrict::shared::cluster.cluster;"
		       "\n"),
		of_second);
	/* Words of a fence in another order. */
	leaves(HANDED("fence.release.cluster.mbarrier_init;\n"
		      "fence.sync_restrict::shared::cta.cluster.release;\n",
		       ".relaxed.cluster", ".relaxed.cluster",
		       "fence.cluster.acquire.sync_restrict::shared::cluster;"
		       "\n"),
		of_second);
	fails(HANDED("", ".release.cluster", ".relaxed.cluster", ""),
		"no barrier.cluster comes between");
	fails(HANDED("", ".release.cluster", "", ""),
		"no barrier.cluster comes between");
}

static uint32_t pairs(uint32_t i)
{
	return i / 128 % 2 ? i - 128 + i % 2 : 0;
}

/* Words of registers, two of each second thread; and what is added to them. */
Test(async_cluster, stores_go_across)
{
	leaves(CLUSTER INIT("1") BEGUN
		"@%p2 bra V;\n"
		"add.u32 %r14, %r9, %r12;\n"
		"sub.u32 %r14, %r14, %r10;\n"
		"st.async.weak.shared::cluster.mbarrier::"
		"complete_tx::bytes.u32 [%r14], %r3, [%r13];\n"
		"bra E;\n"
		"V:\n" EXPECT("512") WAIT("W", "0") READ "E:\n",
		of_second);
	leaves(CLUSTER INIT("1") BEGUN
		"@%p2 bra V;\n"
		"add.u32 %r14, %r9, %r12;\n"
		"sub.u32 %r14, %r14, %r10;\n"
		"and.b32 %r15, %r0, 1;\n"
		"setp.eq.u32 %p3, %r15, 0;\n"
		"add.u32 %r15, %r3, 2;\n"
		"@%p3 st.async.shared::cluster.mbarrier::"
		"complete_tx::bytes.v2.u32 [%r14], {%r3, "
		"%r15}, [%r13];\n"
		"bra E;\n"
		"V:\n" EXPECT("512") WAIT("W", "0") READ "E:\n",
		pairs);
}

static uint32_t three_times(uint32_t i)
{
	return i / 128 % 2 ? 3 * (i - 128) : 0;
}

Test(async_cluster, reductions_go_across)
{
#define ADD                                                                    \
	"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::"    \
	"bytes.add.u32 [%r14], %r3, [%r13];\n"
	leaves(CLUSTER "st.shared.u32 [%r12], 0;\n" INIT("1") BEGUN
		"@%p2 bra V;\n"
		"add.u32 %r14, %r9, %r12;\n"
		"sub.u32 %r14, %r14, %r10;\n" ADD ADD ADD "bra E;\n"
		"V:\n" EXPECT("1536") WAIT("W", "0") READ "E:\n",
		three_times);
}

/* ---- what others send, and who may have ended ---- */

#define UNFENCED CLUSTER INIT("1") MEETS "@%p2 bra V;\n"

Test(async_cluster, what_is_initialised_is_fenced_for_other_blocks)
{
	fails(UNFENCED "@%p0 st.async.shared::cluster.mbarrier::complete_tx::"
		       "bytes.u32 [%r9], %r3, [%r13];\nbra E;\nV:\n" EXPECT("4")
			       WAIT("W", "0") "E:\n" MEETS,
		"of block 1 is used by what another block sends, and no "
		"fence.mbarrier_init comes between");
	fails(CLUSTER INIT("1") "fence.mbarrier_init.release.cluster;\n"
				"@%p2 bra V;\n@%p0 st.async.shared::cluster."
				"mbarrier::complete_tx::bytes.u32 [%r9], %r3, "
				"[%r13];\nbra E;\nV:\n" EXPECT("4")
					WAIT("W", "0") "E:\n" MEETS,
		"of block 1 is used");
}

/* Whether it has or not. */
Test(async_cluster, a_block_that_others_arrive_at_may_have_ended)
{
#define ARRIVE                                                                 \
	CLUSTER INIT("129") BEGUN                                              \
		"@%p2 bra "                                                    \
		"E;\nmbarrier.arrive.release.cluster.shared::cluster."         \
		"b64 _, [%r13];\nE:\n"
	fails(ARRIVE "nanosleep.u32 20000;\n",
		"block 1, rank 1 of its cluster, which may have ended");
	leaves(ARRIVE MEETS "st.global.u32 [%d4], 0;\n", of_nobody);
}

/* Its memory is read until the other block has what it gives. */
Test(async_cluster, a_block_that_gives_may_have_ended)
{
#define GIVE                                                                   \
	CLUSTER INIT("1") EXPECT(                                              \
		"512") "st.shared.u32 [%r12+1024], %r3;\n" FENCE               \
		       "bar.sync 0;\n" BEGUN                                   \
		       "@%p2 bra V;\nadd.u32 %r4, %r10, 1024;\n"               \
		       "@%p0 cp.async.bulk.shared::cluster.shared::cta."       \
		       "mbarrier::complete_tx::bytes [%r9], [%r4], 512, "      \
		       "[%r13];\nnanosleep.u32 20000;\nbra E;\n"               \
		       "V:\n" WAIT("W", "0") READ "E:\n"
	fails(GIVE, "the block may end before this copy has read its shared "
		    "memory");
	leaves(GIVE MEETS, of_second);
}

/* Words of registers are of the generic proxy: a copy of them needs a fence. */
Test(async_cluster, a_copy_of_words_needs_the_fence_of_proxies)
{
#define BACK(fence)                                                            \
	CLUSTER INIT("1") EXPECT("512") BEGUN                                  \
		"@%p2 bra V;\nshl.b32 %r4, %r0, 2;\nadd.u32 %r4, %r4, %r9;\n"  \
		"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "   \
		"[%r4], %r3, [%r13];\nbra E;\nV:\n" WAIT("W", "0") fence       \
		"mul.wide.u32 %d6, %r1, 512;\nadd.s64 %d6, %d1, %d6;\n" STORE( \
			"%d6", "%r10", "512") COMMIT                           \
		"@%p0 cp.async.bulk.wait_group 0;\nE:\n" MEETS
	leaves(BACK(FENCE), of_second);
	fails(BACK(""), "fills by the generic proxy: no fence.proxy.async");
}

/* A wait for words that nobody has made is none at the end. */
Test(async_cluster, a_block_waits_for_what_others_send)
{
	fails(CLUSTER INIT("1") EXPECT("512") BEGUN
		"@%p2 bra V;\nshl.b32 %r4, %r0, 2;\nadd.u32 %r4, %r4, %r9;\n"
		"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
		"[%r4], %r3, [%r13];\nV:\nnanosleep.u32 20000;\n" MEETS,
		"block 1 may end while this copy still fills its shared "
		"memory: none of its threads waits for the phase");
}
