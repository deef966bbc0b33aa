/* Matrix instructions in kernels: who must be there, and where they reach. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_matrices, .timeout = 120);

#define MMA                                                                    \
	"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "                   \
	"{%f0,%f1,%f2,%f3},{%r4,%r4,%r4,%r4},{%r4,%r4},{%f4,%f4,%f4,%f4};\n"
#define ONES "mov.b32 %r4, 0x3c003c00;\nmov.f32 %f4, 0f3f000000;\n"

/* 16 products of ones, and a half. */
static uint32_t sixteen_and_a_half(uint32_t i)
{
	(void)i;
	return 0x41840000;
}

Test(kernel_matrices, a_product_is_summed)
{
	kernel_leaves(
		ONES MMA "st.global.f32 [%d4], %f3;\n", sixteen_and_a_half);
}

Test(kernel_matrices, threads_of_a_warp_multiply_at_one_instruction)
{
	const struct job_wishes wishes = {.max_cycles = 0};
	struct ran r;

	kernel_run(NULL, &r,
		HEAD ONES "setp.lt.u32 %p1, %r0, 20;\n@%p1 bra L;\n" MMA
			  "bra M;\nL:\n" MMA "M:\n" TAIL,
		BUFFERS, "grid=1 block=32", &wishes);
	cr_expect_neq(r.code, 0);
	cr_expect(strstr(r.error.text,
			  "threads of a warp wait for each other and never "
			  "meet"),
		"%s", r.error.text);
	kernel_end(&r);
}

#define MODULE(target, body)                                                   \
	".version 8.6\n.target " target "\n.address_size 64\n"                 \
	".shared .align 16 .b8 m[512];\n"                                      \
	".entry k(.param .u64 p, .param .u64 q)\n{.reg .b32 %r<8>; .reg .f32 " \
	"%f<8>; .reg .b64 %d<8>;\nmov.u32 %r0, %laneid;\n"                     \
	"mov.u32 %r7, m;\n" body "ret;}\n"

static void fails(const char *ptx, const char *sentence)
{
	const struct job_wishes wishes = {.max_cycles = 0};
	struct ran r;

	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=128", &wishes);
	cr_expect_neq(r.code, 0, "%s", ptx);
	cr_expect(strstr(r.error.text, sentence), "%s", r.error.text);
	kernel_end(&r);
}

Test(kernel_matrices, all_threads_of_a_warp_multiply)
{
	fails(HEAD "setp.lt.u32 %p1, %r0, 20;\n@%p1 bra L;\nret;\nL:\n" ONES MMA
			TAIL,
		"block 0, warp 0: 'mma' is executed by 20 of 32 threads, and "
		"all must execute it");
}

#define LDMATRIX "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "

Test(kernel_matrices, rows_lie_in_shared_memory)
{
	fails(MODULE("sm_90", "mul.lo.u32 %r1, %r0, 8;\n" LDMATRIX
			      "{%r2,%r3,%r4,%r5}, [%r1];\n"),
		"thread 1: address 0x8 is not a multiple of the access's 16 "
		"bytes");
	fails(MODULE("sm_90", "mul.lo.u32 %r1, %r0, 32;\n" LDMATRIX
			      "{%r2,%r3,%r4,%r5}, [%r1];\n"),
		"thread 16: an access of 16 bytes outside of shared memory, "
		"offset "
		"512");
}

static uint32_t seven(uint32_t i)
{
	(void)i;
	return 7;
}

Test(kernel_matrices, addresses_that_are_not_asked_for_may_be_any)
{
	kernel_leaves(".shared .align 16 .b8 n[128];\n"
		      "mov.u32 %r4, %laneid;\nsetp.lt.u32 %p1, %r4, 8;\n"
		      "shl.b32 %r5, %r4, 4;\nmov.u32 %r6, n;\n"
		      "add.u32 %r5, %r5, %r6;\nmov.u32 %r7, 7;\n"
		      "@%p1 st.shared.v4.u32 [%r5], {%r7,%r7,%r7,%r7};\n"
		      "selp.b32 %r5, %r5, 0x7ffffff4, %p1;\nbar.sync 0;\n"
		      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r5];\n"
		      "st.global.u32 [%d4], %r8;\n",
		seven);
}

Test(kernel_matrices, descriptors_lead_to_shared_memory)
{
	fails(MODULE("sm_90a",
		      "mov.b64 %d0, 0x0000001000080000;\n"
		      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
		      "{%f0,%f1,%f2,%f3}, %d0, %d0, 0, 1, 1, 0, 0;\n"),
		"a descriptor leads to shared memory, offset 512, of 512 "
		"bytes");
}

#define GROUP                                                                  \
	"mov.b64 %d0, 0x0000000000000000;\n"                                   \
	"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "                 \
	"{%f0,%f1,%f2,%f3}, %d0, %d0, 0, 1, 1, 0, 0;\n"
#define COMMIT  "wgmma.commit_group.sync.aligned;\n"
#define WAIT(n) "wgmma.wait_group.sync.aligned " #n ";\n"
#define KEEP    "st.shared.f32 [%r7], %f4;\n"
#define USE     "add.f32 %f4, %f3, %f3;\n" KEEP

static double cycles_of(const char *ptx)
{
	const struct job_wishes wishes = {.max_cycles = 0};
	struct ran r;
	double cycles;

	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=128", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cycles = r.result.launches[0].cycles;
	kernel_end(&r);
	return cycles;
}

/* What its note is: "" where there is none. */
static void notes(const char *ptx, const char *note)
{
	const struct job_wishes wishes = {.max_cycles = 0};
	struct ran r;

	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=128", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cr_expect_str_eq(r.result.launches[0].note, note);
	kernel_end(&r);
}

/* Of the groups that were committed, a wait leaves the last so many. Where none
   is waited for, the assembler has a wait. */
Test(kernel_matrices, products_are_waited_for)
{
	static const char sentence[] =
		"m.ptx:%d: 'add' reads a register that the product of line 10 "
		"leaves, and no wgmma.wait_group for its group comes between: "
		"the assembler inserts the wait";
	static const struct {
		const char *ptx;
		int line; /* 0: nothing is said */
	} rows[] = {
		{MODULE("sm_90a", GROUP USE), 11},
		{MODULE("sm_90a", GROUP COMMIT USE), 12},
		{MODULE("sm_90a", GROUP WAIT(0) USE), 12},
		{MODULE("sm_90a", GROUP COMMIT WAIT(1) USE), 13},
		/* A move is the register's other name. */
		{MODULE("sm_90a", GROUP COMMIT "mov.f32 %f5, %f3;\n"
					       "add.f32 %f4, %f5, %f5;\n" KEEP),
			13},
		{MODULE("sm_90a", GROUP COMMIT WAIT(0) USE), 0},
		{MODULE("sm_90a", GROUP COMMIT COMMIT WAIT(1) USE), 0},
		{MODULE("sm_90a", GROUP GROUP COMMIT WAIT(0) USE), 0},
	};
	char note[JOB_NOTE_BYTES];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(note, sizeof(note), rows[i].line ? sentence : "",
			rows[i].line);
		notes(rows[i].ptx, note);
	}
}

/* The wait takes as long as that of the text, and waits for those before. */
Test(kernel_matrices, a_wait_that_is_inserted_takes_its_time)
{
	const double waits =
		cycles_of(MODULE("sm_90a", GROUP COMMIT WAIT(0) USE));
	const double inserted = cycles_of(MODULE("sm_90a", GROUP COMMIT USE));
	const double none = cycles_of(MODULE("sm_90a", GROUP COMMIT));

	cr_expect_gt(inserted, none + 40);
	cr_expect_float_eq(inserted, waits, 24, "%g, %g", inserted, waits);
}

Test(kernel_matrices, rows_of_fragments_lie_16_bytes_apart)
{
	fails(MODULE("sm_90",
		      "ld.param.u64 %d0, [p];\n"
		      "wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 "
		      "{%r1,%r2,%r3,%r4}, [%d0], 20;\n"),
		"block 0, warp 0: rows of a matrix are 40 bytes apart, and "
		"must be a multiple of 16");
}

Test(kernel_matrices, products_of_f64_are_rounded_to_the_nearest)
{
	fails(".version 8.6\n.target sm_90\n.address_size 64\n"
	      ".entry k(.param .u64 p, .param .u64 q)\n{.reg .f64 %e<8>;\n"
	      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rz {%e0,%e1},"
	      "{%e2},{%e3},{%e0,%e1};\nret;}\n",
		"products of matrices that are rounded otherwise than to the "
		"nearest are not modelled");
}
