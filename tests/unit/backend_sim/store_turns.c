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

/* A store of a line is four sectors and a header. */
Test(store_turns, a_store_has_a_header)
{
	double plain[2], doubled[2];
	const unsigned sms[2] = {2, 8};

	model_set("side_store_bytes_per_cycle=200");
	model_set("side_store_header_bytes=0");
	model_stores("h200-sxm", "", 0, 80, sms, plain);
	model_set("side_store_header_bytes=128");
	model_stores("h200-sxm", "", 0, 80, sms, doubled);
	cr_expect_float_eq(
		doubled[0] / plain[0], 2, 0.02, "%g %g", doubled[0], plain[0]);
}
