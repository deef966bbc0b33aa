/* Who goes next on the way of a side's stores to the slices. */
#include <criterion/criterion.h>

#include "tests/unit/model_fixture.h"

TestSuite(store_turns, .timeout = 60);

/* Of GPC 1, SM 2 has six SMs in its CPC, SM 34 has four. */
Test(store_turns, cpcs_of_a_gpc_take_turns)
{
	double cycles[2];

	model_stores("h200-sxm", "", 2, 94, (const unsigned[]){2, 34}, cycles);
	cr_expect_lt(
		cycles[1], 0.85 * cycles[0], "%g %g", cycles[0], cycles[1]);
}

/* GPC 7 has twelve SMs, GPC 1 of its side fourteen, and CPCs of four. */
Test(store_turns, gpcs_of_a_side_take_turns)
{
	double cycles[2];

	model_stores("h200-sxm", "", 2, 94, (const unsigned[]){34, 14}, cycles);
	cr_expect_float_eq(
		cycles[1] / cycles[0], 1, 0.05, "%g %g", cycles[0], cycles[1]);
}

/* Of 80 SMs 42 are on the side of SM 2, 38 on that of SM 4. */
Test(store_turns, each_side_has_its_own)
{
	double cycles[2];

	model_stores("h200-sxm", "", 0, 80, (const unsigned[]){2, 8}, cycles);
	cr_expect_lt(
		cycles[1], 0.93 * cycles[0], "%g %g", cycles[0], cycles[1]);
}

static double cycles_of(const char *sms, const char *access)
{
	return model_cycles("h200-sxm",
		"buffer b bytes=12MiB\nlaunch l\n"
		"role r sms=%s threads=512\n"
		"repeat 64 time=region region=m\n%s\nend\n",
		sms, access);
}

/* Parts of sectors have a head, and several operands; whole sectors and a
   single operand need none. */
Test(store_turns, parts_and_operands_have_a_head)
{
	const char *lines = "red.global.add.u32 [b + lane*4 + warp*128]";
	const char *single = "red.global.add.u32 [b + lane*128 + warp*4KiB]";
	const char *part = "st.global.b32 [b + lane*128 + warp*4KiB]";
	const char *whole = "st.global.b8 [b + lane*1 + warp*128]";
	double parts[2], wholes[2], reduced[2], singles[2];

	model_set("side_store_bytes_per_cycle=4");
	model_set("side_store_head_bytes=0");
	parts[0] = cycles_of("0:2", part);
	wholes[0] = cycles_of("0:2", whole);
	reduced[0] = cycles_of("0:2", lines);
	singles[0] = cycles_of("0:2", single);
	model_set("side_store_head_bytes=96");
	parts[1] = cycles_of("0:2", part);
	wholes[1] = cycles_of("0:2", whole);
	reduced[1] = cycles_of("0:2", lines);
	singles[1] = cycles_of("0:2", single);
	cr_expect_float_eq(
		parts[1] / parts[0], 4, 0.05, "%g %g", parts[1], parts[0]);
	cr_expect_float_eq(reduced[1] / reduced[0], 1.75, 0.05, "%g %g",
		reduced[1], reduced[0]);
	cr_expect_float_eq(wholes[1], wholes[0], 0.001 * wholes[0]);
	cr_expect_float_eq(singles[1], singles[0], 0.001 * singles[0]);
}

/* SMs 2 and 50 are of one CPC, 2 and 18 of two of the same GPC. */
Test(store_turns, sms_of_a_cpc_share_its_rate)
{
	const char *lines =
		"st.global.v4.b32 [b + lane*16 + warp*512 + block*8KiB]";
	double one, two;

	model_set("cpc_request_bytes_per_cycle=25");
	one = cycles_of("2:2:48", lines);
	two = cycles_of("2:2:16", lines);
	cr_expect_float_eq(one / two, 2, 0.1, "%g %g", one, two);
}
