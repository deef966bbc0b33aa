/* When the blocks of a plain grid start. */
#include <criterion/criterion.h>

#include "tests/unit/model_fixture.h"

TestSuite(starts, .timeout = 60);

#define LAUNCH                                                                 \
	"launch l\n"                                                           \
	"role r blocks=%u threads=%u shared=4096\n"                            \
	"repeat 1 time=region region=m\n"                                      \
	"ld.shared.b32 [shared + lane*4]\nend\n"
#define HEAD "nearfar-program 1\nname test\nseed 1\n"

/* From the first start of a grid's blocks to their last end. */
static double span_in(const char *text, unsigned blocks, unsigned warps)
{
	struct result r = {0};
	double cycles;

	model_run("h200-sxm", &r, text, blocks, 32 * warps);
	cycles = r.spans[0].cycles;
	result_free(&r);
	return cycles;
}

static double span_of(unsigned blocks, unsigned warps)
{
	return span_in(HEAD LAUNCH, blocks, warps);
}

/* With its code in caches. */
static double warm_span_of(unsigned blocks, unsigned warps)
{
	return span_in(HEAD
		"launch w\nrole r blocks=1 threads=32 shared=4096\n"
		"repeat 1\nld.shared.b32 [shared + lane*4]\nend\n" LAUNCH,
		blocks, warps);
}

/* The same, with a parameter that is not 0, less the same with 0. */
static double adds(
	const char *zero, const char *value, unsigned blocks, unsigned warps)
{
	double without;

	model_set(zero);
	without = span_of(blocks, warps);
	model_set(value);
	return span_of(blocks, warps) - without;
}

Test(starts, first_blocks_are_later_by_each_sm)
{
	const char *zero = "launch_begin_block_cycles=0";
	const char *one = "launch_begin_block_cycles=1";

	model_set("launch_begin_warps_cycles=0");
	cr_expect_eq(adds(zero, one, 1, 2), 0);
	cr_expect_eq(adds(zero, one, 60, 8), 60);
	cr_expect_eq(adds(zero, one, 132, 2), 132);
}

Test(starts, first_blocks_are_later_by_the_doubling_of_their_warps)
{
	const char *zero = "launch_begin_warps_cycles=0";
	const char *one = "launch_begin_warps_cycles=1";

	cr_expect_eq(adds(zero, one, 60, 1), 0);
	cr_expect_eq(adds(zero, one, 60, 2), 60);
	cr_expect_eq(adds(zero, one, 60, 8), 180);
	cr_expect_eq(adds(zero, one, 60, 32), 180);
}

/* The first block of all other SMs is late, and so are those behind it. */
Test(starts, a_first_block_of_an_sm_is_early)
{
	model_set("launch_spread_cycles=1000");
	cr_expect_geq(span_of(132, 1), 1000);
	cr_expect_geq(span_of(1056, 1), 1000);
	cr_expect_geq(span_of(2112, 1), 1000);
}

/* Each of the first eight has a GPC to itself, further ones share one. */
Test(starts, blocks_with_a_gpc_each_start_soon)
{
	model_set("launch_spread_cycles=1000");
	model_set("launch_spread_gpc_cycles=0");
	cr_expect_lt(span_of(8, 1), 100);
	cr_expect_geq(span_of(16, 1), 700);
	model_set("launch_spread_cycles=0");
	model_set("launch_spread_gpc_cycles=1000");
	cr_expect_geq(span_of(8, 1), 700);
}

Test(starts, first_blocks_do_not_wait_for_their_gpc)
{
	const char *zero = "launch_gpc_block_cycles=0";
	const char *some = "launch_gpc_block_cycles=60";

	cr_expect_eq(adds(zero, some, 132, 1), 0);
	cr_expect_geq(adds(zero, some, 264, 1), 500);
}

/* What each cycle of launch_fetch_cycles adds to a warm grid's span. */
static double fetch_adds(unsigned blocks, unsigned warps)
{
	double one;

	model_set("launch_spread_cycles=0");
	model_set("launch_spread_gpc_cycles=0");
	model_set("launch_begin_block_cycles=0");
	model_set("launch_begin_warps_cycles=0");
	model_set("launch_fetch_cycles=10");
	one = warm_span_of(blocks, warps);
	model_set("launch_fetch_cycles=20");
	return (warm_span_of(blocks, warps) - one) / 10;
}

/* The GPCs have up to 18 SMs; the first warp of an SM waits for nothing. */
Test(starts, schedulers_get_first_instructions_one_after_another)
{
	cr_expect_eq(fetch_adds(132, 1), 0);
	cr_expect_eq(fetch_adds(264, 1), 2 * 18);
	cr_expect_eq(fetch_adds(528, 1), 4 * 18);
	cr_expect_eq(fetch_adds(1056, 1), 4 * 18);
	cr_expect_eq(fetch_adds(264, 2), 4 * 18);
}

Test(starts, schedulers_of_a_block_ask_for_first_instructions_together)
{
	cr_expect_eq(fetch_adds(132, 2), 9);
	cr_expect_eq(fetch_adds(132, 4), 27);
	cr_expect_eq(fetch_adds(132, 8), 27);
	cr_expect_eq(fetch_adds(8, 4), 3);
}

/* Where the code comes from memory, it comes to all. */
Test(starts, cold_grids_have_no_turns_of_schedulers)
{
	const char *zero = "launch_fetch_cycles=0";

	cr_expect_eq(adds(zero, "launch_fetch_cycles=20", 528, 1), 0);
}
