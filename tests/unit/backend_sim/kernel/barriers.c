/* What barriers cost: an SM takes the arrivals of warps one after another. The
   figures are an H200's. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/backend_sim/kernel/fixture.h"
#include "tests/unit/model_fixture.h"

/* Cycles of `count` barriers in a row of blocks of so many warps, on 8 SMs. */
static double in_a_row(unsigned blocks, unsigned warps, unsigned count)
{
	const struct job_wishes wishes = {.max_cycles = 100000};
	char ptx[8192] = HEAD, launch[64];
	struct ran r;
	double cycles;

	for (; count; count--)
		strcat(ptx, "bar.sync 0;\n");
	strcat(ptx, TAIL);
	snprintf(
		launch, sizeof(launch), "grid=%u block=%u", blocks, 32 * warps);
	kernel_run(NULL, &r, ptx, BUFFERS, launch, &wishes);
	cr_assert_eq(r.code, 0, "%s", r.error.text);
	cycles = r.result.launches[0].cycles;
	kernel_end(&r);
	return cycles;
}

static double cycles_each(unsigned blocks, unsigned warps)
{
	return (in_a_row(blocks, warps, 128) - in_a_row(blocks, warps, 64)) /
	       64;
}

Test(kernel_barriers, each_warp_adds_two_cycles)
{
	cr_expect_float_eq(cycles_each(1, 1), 14.8, 1, "%g", cycles_each(1, 1));
	cr_expect_float_eq(cycles_each(1, 8), 28.9, 1, "%g", cycles_each(1, 8));
	cr_expect_float_eq(
		cycles_each(1, 32), 77.2, 1, "%g", cycles_each(1, 32));
}

/* It is the SM that takes them, not the block. */
Test(kernel_barriers, blocks_of_an_sm_wait_for_each_other)
{
	cr_expect_gt(cycles_each(16, 16), 60);
}
