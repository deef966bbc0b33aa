/* Stores of parts of sectors: a request takes its slice one sector's time more,
   however many parts it has. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/backend_sim/kernel/fixture.h"

TestSuite(parts, .timeout = 120);

/* 1024 threads store a word each, so many bytes apart, to slices that take 32
   cycles for a sector. */
static double cycles_of(unsigned bytes_apart)
{
	const struct job_wishes wishes = {.max_cycles = 0};
	struct ran r;
	char ptx[2048];
	double cycles;

	snprintf(ptx, sizeof(ptx),
		"%smul.wide.u32 %%d5, %%r3, %u;\nadd.s64 %%d5, %%d1, %%d5;\n"
		"st.global.u32 [%%d5], %%r3;\n%s",
		HEAD, bytes_apart, TAIL);
	kernel_run("slice_write_bytes_per_cycle=1", &r, ptx,
		"buffer a bytes=4KiB type=u32\n"
		"buffer b bytes=128KiB type=u32\n",
		"grid=8 block=128", &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cycles = r.result.launches[0].cycles;
	kernel_end(&r);
	return cycles;
}

/* Four parts in a request: five sectors' time; one: two. */
Test(parts, of_one_request_share_what_they_cost_more)
{
	double four = cycles_of(32), one = cycles_of(128);

	cr_expect_gt(four, 0.5 * one, "%g and %g cycles", four, one);
	cr_expect_lt(four, 0.8 * one, "%g and %g cycles", four, one);
}
