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
