/* Counters that a launch has beside sectors. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(kernel_counters, .timeout = 120);

#define WAVEFRONTS "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
#define CONFLICTS  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
#define BARRIERS_  "nearfar__barrier_wait_cycles.sum"

static const struct job_wishes profiled = {.profile = true};

/* A store and a load of each lane, 4 << shift bytes from the next one's. */
static void strided(unsigned shift, struct ran *r)
{
	char ptx[2048];

	snprintf(ptx, sizeof(ptx),
		"%s.shared .align 16 .b8 s[4096];\n"
		"mov.u32 %%r5, s;\nshl.b32 %%r6, %%r0, %u;\n"
		"add.u32 %%r5, %%r5, %%r6;\n"
		"st.shared.u32 [%%r5], %%r0;\n"
		"ld.shared.u32 %%r7, [%%r5];\n"
		"st.global.u32 [%%d4], %%r7;\n%s",
		HEAD, shift + 2, TAIL);
	kernel_run(NULL, r, ptx, BUFFERS, "grid=1 block=32", &profiled);
	cr_assert_eq(r->code, 0, "%s", r->error.text);
}

Test(kernel_counters, lanes_on_a_bank_take_passes_of_their_own)
{
	static const unsigned passes[] = {1, 2, 4, 8, 16, 32};
	unsigned shift;

	for (shift = 0; shift < 6; shift++) {
		struct ran r;

		strided(shift, &r);
		cr_expect_eq(kernel_counter(&r, WAVEFRONTS), 2 * passes[shift]);
		cr_expect_eq(
			kernel_counter(&r, CONFLICTS), 2 * (passes[shift] - 1));
		cr_expect_eq(kernel_counter(&r, BARRIERS_), 0);
		kernel_end(&r);
	}
}

/* Of two warps one comes later: the wait is that of the profile. */
Test(kernel_counters, warps_wait_at_a_barrier)
{
	static const char ptx[] =
		HEAD "setp.lt.u32 %p0, %r0, 32;\nmov.u32 %r5, 0;\n"
		     "@%p0 bra L;\nbra E;\nL:\nadd.u32 %r5, %r5, 1;\n"
		     "ld.global.u32 %r6, [%d3];\nadd.u32 %r5, %r5, %r6;\n"
		     "st.global.u32 [%d4], %r5;\n"
		     "E:\nbar.sync 0;\n" TAIL;
	struct ran r;
	double waited;

	kernel_run(NULL, &r, ptx, BUFFERS, "grid=3 block=64", &profiled);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	waited = kernel_counter(&r, BARRIERS_);
	cr_expect_gt(waited, 3 * 100);
	cr_expect_eq(waited,
		r.result.launches[0].profile->wait_cycles[JOB_WAIT_BARRIER]);
	kernel_end(&r);
}
