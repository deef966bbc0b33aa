/* Whose turn it is: a scheduler goes on with a warp while it can. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_turns, .timeout = 120);

#define WARPS 16u
#define SUMS  64u

/* Cycles from before a warp's sums, each apart from the seven before, to behind
   them: of each of 16 warps, four of each scheduler. */
static void spans(const char *sum, uint32_t cycles[WARPS])
{
	static const struct job_wishes contents = {.contents = true};
	char ptx[8192] =
		HEAD "bar.sync 0;\nmov.u32 %r18, %clock;\nbar.warp.sync -1;\n";
	struct ran r;
	uint32_t i;

	for (i = 0; i < SUMS; i++)
		sprintf(ptx + strlen(ptx), sum, i % 8, i % 8, i % 8);
	strcat(ptx, "setp.eq.u32 %p1, %r18, 1;\n@%p1 bra END;\n"
		    "mov.u32 %r19, %clock;\nsub.u32 %r19, %r19, %r18;\n"
		    "st.global.u32 [%d4], %r19;\n");
	for (i = 0; i < 8; i++)
		sprintf(ptx + strlen(ptx),
			"st.global.f32 [%%d3], %%f%u;\n"
			"st.global.u32 [%%d3], %%r1%u;\n",
			i, i);
	strcat(ptx, "END: " TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=512", &contents);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	for (i = 0; i < WARPS; i++)
		cycles[i] = ((const uint32_t *)(const void *)
				     r.result.contents[1])[32 * i];
	kernel_end(&r);
}

/* On an H200 (results/probes/warp_turns.tsv) 64 of them take each of 16 warps
   65 cycles, one of a scheduler's four after the other. In the model a warp
   that waits has its place in line, and so only the first ones go on like that:
   117 cycles; taking turns, 179. */
Test(kernel_turns, a_warp_goes_on_while_it_can)
{
	uint32_t cycles[WARPS], i;

	spans("fma.rn.f32 %%f%u, %%f%u, %%f%u, 0f3f800000;\n", cycles);
	for (i = WARPS - 4; i < WARPS; i++) {
		cr_expect_gt(cycles[i], 64, "warp %u: %u cycles", i, cycles[i]);
		cr_expect_lt(
			cycles[i], 140, "warp %u: %u cycles", i, cycles[i]);
	}
}

/* Warp 0 sleeps 3,000 ns, which are some 6,000 cycles. */
Test(kernel_turns, a_warp_that_sleeps_leaves_its_scheduler_to_others)
{
	static const struct job_wishes contents = {.contents = true};
	char ptx[8192] = HEAD "setp.lt.u32 %p1, %r0, 32;\nbar.sync 0;\n"
			      "mov.u32 %r18, %clock;\n@%p1 bra SLEEP;\n";
	const uint32_t *cycles;
	struct ran r;
	uint32_t i;

	for (i = 0; i < SUMS; i++)
		strcat(ptx, "mad.lo.u32 %r5, %r5, %r5, %r0;\n");
	strcat(ptx,
		"bra.uni END;\nSLEEP: nanosleep.u32 3000;\n"
		"END: mov.u32 %r19, %clock;\nsub.u32 %r19, %r19, %r18;\n"
		"st.global.u32 [%d3], %r5;\nst.global.u32 [%d4], %r19;\n" TAIL);
	kernel_run(NULL, &r, ptx, BUFFERS, "grid=1 block=512", &contents);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cycles = (const uint32_t *)(const void *)r.result.contents[1];
	cr_expect_gt(cycles[0], 5000);
	for (i = 1; i < WARPS; i++)
		cr_expect_lt(cycles[32 * i], 1000, "warp %u: %u cycles", i,
			cycles[32 * i]);
	kernel_end(&r);
}
