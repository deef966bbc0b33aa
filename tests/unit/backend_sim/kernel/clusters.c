/* Clusters: which block has which rank, where its shared memory is, what is
   refused. Words of ranks and addresses are those of an H200. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

/* All eight SMs. */
#define ONE_GPC "gpc_count=1"

/* Of thread 0 of each block the word of register %r10: element `block` of b. */
#define LEAVE                                                                  \
	"setp.ne.u32 %p7, %r0, 0;\n@%p7 bra END;\n"                            \
	"mov.u32 %r5, %ctaid.y;\nmov.u32 %r6, %nctaid.x;\n"                    \
	"mad.lo.u32 %r5, %r5, %r6, %r1;\nmul.wide.u32 %d8, %r5, 4;\n"          \
	"add.s64 %d8, %d1, %d8;\nst.global.u32 [%d8], %r10;\nEND:\n"

static void leaves(const char *launch, const char *body, const uint32_t *words,
	size_t count)
{
	const struct job_wishes wishes = {
		.contents = true, .max_cycles = 2000000};
	char ptx[8192];
	const uint32_t *b;
	struct ran r;
	size_t i;

	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, body, LEAVE TAIL);
	kernel_run(ONE_GPC, &r, ptx, BUFFERS, launch, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	b = (const uint32_t *)(const void *)r.result.contents[1];
	for (i = 0; i < count; i++)
		cr_assert_eq(b[i], words[i], "%s: block %zu has 0x%x, not 0x%x",
			body, i, b[i], words[i]);
	kernel_end(&r);
}

#define GRID "grid=4,4 block=32 cluster=2,2"

Test(kernel_clusters, ranks_count_x_then_y)
{
	static const uint32_t ranks[] = {
		0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3};
	static const uint32_t numbers[] = {
		0, 0, 1, 1, 0, 0, 1, 1, 16, 16, 17, 17, 16, 16, 17, 17};

	leaves(GRID, "mov.u32 %r10, %cluster_ctarank;\n", ranks, 16);
	leaves(GRID,
		"mov.u32 %r10, %clusterid.x;\nmov.u32 %r11, %clusterid.y;\n"
		"mad.lo.u32 %r10, %r11, 16, %r10;\n",
		numbers, 16);
	leaves(GRID,
		"mov.u32 %r10, %cluster_ctaid.x;\n"
		"mov.u32 %r11, %cluster_ctaid.y;\n"
		"mad.lo.u32 %r10, %r11, 2, %r10;\n",
		ranks, 16);
}

Test(kernel_clusters, sizes_are_the_launchs)
{
	static const uint32_t sizes[] = {0x12224, 0x12224};
	static const uint32_t none[] = {0x44111, 0x44111};
	static const char body[] =
		"mov.u32 %r10, %nclusterid.x;\nmov.u32 %r11, %nclusterid.y;\n"
		"mad.lo.u32 %r10, %r10, 16, %r11;\n"
		"mov.u32 %r11, %cluster_nctaid.x;\n"
		"mad.lo.u32 %r10, %r10, 16, %r11;\n"
		"mov.u32 %r11, %cluster_nctaid.y;\n"
		"mad.lo.u32 %r10, %r10, 16, %r11;\n"
		"mov.u32 %r11, %cluster_nctarank;\n"
		"mad.lo.u32 %r10, %r10, 16, %r11;\n";

	leaves("grid=2,4 block=32 cluster=2,2", body, sizes, 2);
	leaves("grid=4,4 block=32", body, none, 2);
}

Test(kernel_clusters, a_launch_says_that_it_has_clusters)
{
	static const uint32_t yes[] = {1}, no[] = {0};
	static const char body[] = "mov.pred %p1, %is_explicit_cluster;\n"
				   "selp.u32 %r10, 1, 0, %p1;\n";

	leaves("grid=2 block=32 cluster=2", body, yes, 1);
	leaves("grid=2 block=32 cluster=1", body, yes, 1);
	leaves("grid=2 block=32", body, no, 1);
}

/* An address of shared memory names its block. */
Test(kernel_clusters, a_block_has_its_memory_at_its_rank)
{
	static const uint32_t places[] = {0x10, 0x1000010, 0x2000010, 0x3000010,
		0x10, 0x1000010, 0x2000010, 0x3000010};
	static const uint32_t values[] = {7, 8, 9, 10, 11, 12, 13, 14};
	static const char memory[] = ".shared .align 16 .b32 x[4];\n"
				     ".shared .align 16 .b32 y[4];\n";
	char body[512];

	snprintf(body, sizeof(body), "%smov.u32 %%r10, y;\n", memory);
	leaves("grid=8 block=32 cluster=4", body, places, 8);
	snprintf(body, sizeof(body),
		"%smov.u32 %%r10, y;\nadd.u32 %%r11, %%r1, 7;\n"
		"st.shared.u32 [y+4], %%r11;\n"
		"cvta.shared.u64 %%d9, y;\nld.u32 %%r10, [%%d9+4];\n",
		memory);
	leaves("grid=8 block=32 cluster=4", body, values, 8);
}

/* What a kernel says of its clusters. */
static void has_head(const char *head, const char *launch, const char *sentence)
{
	const struct job_wishes wishes = {.max_cycles = 2000000};
	char ptx[1024];
	struct ran r;

	snprintf(ptx, sizeof(ptx),
		".version 8.6\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 a, .param .u64 b) %s "
		"{\nret;\n}\n",
		head);
	kernel_run(ONE_GPC, &r, ptx, BUFFERS, launch, &wishes);
	cr_assert_eq(r.code != 0, *sentence != 0, "%s", r.error.text);
	cr_assert_str_eq(r.error.text, sentence);
	kernel_end(&r);
}

Test(kernel_clusters, launch_and_kernel_agree)
{
	has_head(".reqnctapercluster 2", "grid=4 block=32", "");
	has_head(".reqnctapercluster 2", "grid=4 block=32 cluster=2", "");
	has_head(".reqnctapercluster 2", "grid=4 block=32 cluster=4",
		"launch 'k' has cluster=4,1,1, the kernel requires 2,1,1 "
		"(.reqnctapercluster)");
	has_head(".reqnctapercluster 2", "grid=3 block=32",
		"launch 'k' has grid=3,1,1, which is no whole number of the "
		"kernel's clusters of 2,1,1 blocks (.reqnctapercluster)");
	has_head(".reqnctapercluster 32", "grid=32 block=32",
		"launch 'k': the kernel requires a cluster of more than 16 "
		"blocks (.reqnctapercluster)");
	has_head(".maxclusterrank 4", "grid=8 block=32 cluster=4", "");
	has_head(".maxclusterrank 4", "grid=8 block=32 cluster=8",
		"launch 'k' has clusters of 8 blocks, the kernel allows 4 "
		"(.maxclusterrank)");
	has_head(".explicitcluster", "grid=8 block=32 cluster=2", "");
	has_head(".explicitcluster\n.reqnctapercluster 2", "grid=8 block=32",
		"");
	has_head(".explicitcluster", "grid=8 block=32",
		"launch 'k' has no cluster=, which the kernel requires "
		"(.explicitcluster)");
}

/* ---- shared memory of other blocks ---- */

#define ARRIVE "barrier.cluster.arrive.release.aligned;\n"
#define WAIT   "barrier.cluster.wait.acquire.aligned;\n"
#define MEET   ARRIVE WAIT
#define OWN_WORD                                                               \
	".shared .align 16 .b32 x[4];\n"                                       \
	"add.u32 %r11, %r1, 7;\nst.shared.u32 [x+4], %r11;\n"

/* %r12: the address of x in the next block of four. */
#define NEXT                                                                   \
	"mov.u32 %r12, %cluster_ctarank;\nadd.u32 %r12, %r12, 1;\n"            \
	"and.b32 %r12, %r12, 3;\nmov.u32 %r13, x;\n"                           \
	"mapa.shared::cluster.u32 %r12, %r13, %r12;\n"
#define FOUR  "grid=4 block=32 cluster=4"
#define FOURS "grid=8 block=32 cluster=4"

Test(kernel_clusters, a_block_reads_and_writes_another_ones_memory)
{
	static const uint32_t next[] = {8, 9, 10, 7, 12, 13, 14, 11};
	static const uint32_t previous[] = {10, 7, 8, 9, 14, 11, 12, 13};
	static const uint32_t sums[] = {7 + 10, 8 + 7, 9 + 8, 10 + 9};

	leaves(FOURS,
		OWN_WORD MEET NEXT
		"ld.shared::cluster.u32 %r10, [%r12+4];\n" MEET,
		next, 8);
	leaves(FOURS,
		OWN_WORD MEET NEXT
		"cvt.u64.u32 %d9, %r12;\ncvta.shared::cluster.u64 %d9, %d9;\n"
		"ld.u32 %r10, [%d9+4];\n" MEET,
		next, 8);
	leaves(FOURS,
		OWN_WORD NEXT MEET
		"st.shared::cluster.u32 [%r12+8], %r11;\n" MEET
		"ld.shared.u32 %r10, [x+8];\n",
		previous, 8);
	leaves(FOURS,
		OWN_WORD NEXT MEET
		"setp.eq.u32 %p1, %r0, 0;\n"
		"@%p1 red.shared::cluster.add.u32 [%r12+4], %r11;\n" MEET
		"ld.shared.u32 %r10, [x+4];\n",
		sums, 4);
}

/* Whether there is such a block or not. */
Test(kernel_clusters, ranks_go_into_addresses_and_out_of_them)
{
	static const uint32_t mapped[] = {0x13000010, 0x13000010};
	static const uint32_t ranks[] = {0x13, 0x13};
	static const uint32_t spaces[] = {5, 7};
	static const char map[] =
		".shared .align 16 .b32 x[4];\n.shared .align 16 .b32 y[4];\n"
		"mapa.shared::cluster.u32 %r10, y, 19;\n";
	char body[1024];

	leaves("grid=2 block=32 cluster=2", map, mapped, 2);
	snprintf(body, sizeof(body),
		"%sgetctarank.shared::cluster.u32 %%r10, %%r10;\n", map);
	leaves("grid=2 block=32 cluster=2", body, ranks, 2);
	/* Of rank 1: .shared of block 1 alone. */
	leaves("grid=2 block=32 cluster=2",
		".shared .align 16 .b32 x[4];\n"
		"cvta.shared.u64 %d9, x;\nmapa.u64 %d9, %d9, 1;\n"
		"isspacep.shared::cluster %p1, %d9;\n"
		"isspacep.shared::cta %p2, %d9;\n"
		"getctarank.u64 %r11, %d9;\n"
		"selp.u32 %r12, 4, 0, %p1;\nselp.u32 %r13, 2, 0, %p2;\n"
		"add.u32 %r10, %r11, %r12;\nadd.u32 %r10, %r10, %r13;\n",
		spaces, 2);
}

static void fails(const char *launch, const char *body, const char *sentence)
{
	const struct job_wishes wishes = {.max_cycles = 200000};
	char ptx[8192];
	struct ran r;

	snprintf(ptx, sizeof(ptx), "%s%s%s", HEAD, body, TAIL);
	kernel_run(ONE_GPC, &r, ptx, BUFFERS, launch, &wishes);
	cr_assert_neq(r.code, 0, "%s", body);
	cr_assert_str_eq(r.error.text, sentence);
	kernel_end(&r);
}

/* %p1: of rank 0. */
#define RANK_0 "mov.u32 %r14, %cluster_ctarank;\nsetp.eq.u32 %p1, %r14, 0;\n"
#define SLEEP  "nanosleep.u32 20000;\n"

Test(kernel_clusters, memory_that_is_not_there_is_refused)
{
	fails(FOUR,
		OWN_WORD MEET NEXT RANK_0 "@!%p1 exit;\n" SLEEP
					  "ld.shared::cluster.u32 %r10, "
					  "[%r12+4];\n",
		"m.ptx:36: block 0, thread 0: an access to shared memory of "
		"block 1, rank 1 of its cluster, which has ended");
	fails(FOUR,
		OWN_WORD MEET "mov.u32 %r13, x;\n"
			      "mapa.shared::cluster.u32 %r12, %r13, 4;\n"
			      "st.shared::cluster.u32 [%r12], %r13;\n",
		"m.ptx:29: block 3, thread 0: an access to shared memory of "
		"rank 4 of a cluster of 4 blocks");
	fails(FOUR,
		OWN_WORD MEET NEXT RANK_0
		"@%p1 st.shared::cluster.u32 [%r12+16], %r13;\n",
		"m.ptx:34: block 0, thread 0: an access of 4 bytes outside of "
		"shared "
		"memory of rank 1, offset 16");
	fails(FOUR,
		OWN_WORD MEET NEXT RANK_0
		"@%p1 ld.shared.u32 %r10, [%r12+4];\n",
		"m.ptx:34: block 0, thread 0: '.shared' is for a block's own "
		"shared memory, and the address is of rank 1 of its cluster, "
		"which '.shared::cluster' reaches");
}

/* ---- barrier.cluster ---- */

Test(kernel_clusters, threads_arrive_once_before_they_wait)
{
	fails(FOUR, ARRIVE ARRIVE WAIT,
		"m.ptx:23: block 1, thread 0 arrives at barrier.cluster once "
		"more before it has waited there");
	fails(FOUR, MEET WAIT,
		"m.ptx:24: block 3, thread 0 waits at barrier.cluster and has "
		"not arrived there");
}

Test(kernel_clusters, a_barrier_that_cannot_be_complete_is_reported)
{
	fails(FOUR, RANK_0 "@%p1 bra L;\n" MEET "L:\n@%p1 bar.sync 0, 64;\n",
		"kernel 'k' never ends: its warps wait for what cannot come: 3 "
		"warps at m.ptx:26, 1 warp at m.ptx:28");
}

/* Threads that have ended are not waited for. */
Test(kernel_clusters, who_has_ended_is_not_waited_for)
{
	static const uint32_t words[] = {1, 1, 1, 1};

	leaves("grid=4 block=64 cluster=4",
		"setp.ge.u32 %p1, %r0, 16;\n@%p1 exit;\n"
		"barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
		"mov.u32 %r10, 1;\n",
		words, 4);
}

/* Lanes of a warp may arrive and wait apart. */
Test(kernel_clusters, lanes_may_go_their_own_ways)
{
	static const uint32_t words[] = {3, 3, 3, 3};

	leaves("grid=4 block=64 cluster=4",
		"mov.u32 %r10, 1;\nand.b32 %r14, %r0, 1;\n"
		"setp.eq.u32 %p1, %r14, 0;\n"
		"@%p1 bra EVEN;\n"
		"barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
		"mov.u32 %r10, 2;\nbra MET;\nEVEN:\n"
		"barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
		"mov.u32 %r10, 3;\nMET:\n",
		words, 4);
}

/* Without anybody who waits for it, a launch is as any. */
Test(kernel_clusters, dependent_launches_are_as_any)
{
	static const uint32_t words[] = {5};

	leaves("grid=1 block=32",
		"griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\n"
		"mov.u32 %r10, 5;\n",
		words, 1);
}

/* ---- races ---- */

#define READ_NEXT  "ld.shared::cluster.u32 %r10, [%r12+4];\n"
#define WRITE_NEXT "st.shared::cluster.u32 [%r12+4], %r13;\n"

Test(kernel_clusters, a_block_may_not_have_begun)
{
	fails(FOUR, OWN_WORD NEXT READ_NEXT MEET,
		"m.ptx:30: block 1, thread 0: an access to shared memory of "
		"block 2, rank 2 of its cluster, which may not have begun: no "
		"barrier.cluster stands before");
}

/* Whether it has or not. */
Test(kernel_clusters, a_block_may_have_ended)
{
	fails(FOUR, OWN_WORD MEET NEXT READ_NEXT,
		"m.ptx:32: block 2, thread 31: an access to shared memory of "
		"block 3, rank 3 of its cluster, which may have ended: it "
		"waits at no barrier.cluster behind");
}

Test(kernel_clusters, what_is_read_and_then_written_is_a_race)
{
	fails(FOUR,
		OWN_WORD MEET NEXT READ_NEXT "st.shared.u32 [x+4], 1;\n" MEET,
		"m.ptx:33: block 3, thread 0: a write of 4 bytes of shared "
		"memory "
		"at offset 4, which block 2, thread 0 has read at line 32: no "
		"barrier.cluster comes between");
}

Test(kernel_clusters, what_is_written_and_then_read_is_a_race)
{
	fails(FOUR, MEET OWN_WORD NEXT READ_NEXT MEET,
		"m.ptx:32: block 3, thread 0: a read of 4 bytes of shared "
		"memory "
		"at offset 4 of block 0, which block 0, thread 0 has written "
		"at line 26: no barrier.cluster comes between");
}

Test(kernel_clusters, what_is_written_twice_is_a_race)
{
	fails(FOUR,
		".shared .align 16 .b32 x[4];\n" MEET NEXT WRITE_NEXT
		"st.shared.u32 [x+4], 1;\n" MEET,
		"m.ptx:31: block 3, thread 0: a write of 4 bytes of shared "
		"memory "
		"at offset 4, which block 2, thread 0 has written at line 30: "
		"no barrier.cluster comes between");
}

/* An acquire of what another block has released orders, too. */
Test(kernel_clusters, a_flag_orders)
{
	static const uint32_t words[] = {8};

	leaves("grid=2 block=32 cluster=2",
		".shared .align 16 .b32 x[4];\nst.shared.u32 [x], 0;\n" MEET
		"mov.u32 %r12, %cluster_ctarank;\nxor.b32 %r12, %r12, 1;\n"
		"mov.u32 %r13, x;\nmapa.shared::cluster.u32 %r12, %r13, %r12;\n"
		"st.shared::cluster.u32 [%r12+4], 8;\n"
		"setp.eq.u32 %p1, %r0, 0;\n"
		"@%p1 st.release.cluster.shared::cluster.u32 [%r12], 1;\n"
		"L:\nld.acquire.cluster.shared::cluster.u32 %r14, [%r13];\n"
		"setp.eq.u32 %p2, %r14, 0;\n@%p2 bra L;\n"
		"ld.shared.u32 %r10, [x+4];\n" MEET,
		words, 1);
}

/* Threads that have met one that has waited have waited. */
Test(kernel_clusters, a_barrier_of_the_block_passes_it_on)
{
	static const uint32_t next[] = {8, 9, 10, 7};

	leaves("grid=4 block=64 cluster=4",
		OWN_WORD ARRIVE
		"setp.ge.u32 %p1, %r0, 32;\n@%p1 bra LATER;\n" WAIT
		"LATER:\nbar.sync 0;\n" NEXT READ_NEXT
		"bar.sync 0;\n@!%p1 bra AGAIN;\n" WAIT "AGAIN:\n" MEET,
		next, 4);
}
