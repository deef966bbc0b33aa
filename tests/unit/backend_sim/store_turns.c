/* Who goes next on the way of a side's stores to the slices. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/model_fixture.h"

TestSuite(store_turns, .timeout = 60);

/* The last warp's cycles of two SMs, where so many SMs from SM `first` on store
   lines of their own. */
static void store(
	unsigned first, unsigned sms, const unsigned sm[2], double cycles[2])
{
	struct result r = {0};
	char text[512];
	size_t i;
	unsigned k;

	snprintf(text, sizeof(text),
		"nearfar-program 1\nname test\nseed 1\n"
		"buffer b bytes=12MiB\nlaunch l\n"
		"role r sms=%u:%u threads=512\n"
		"repeat 64 time=region region=m\n"
		"st.global.v4.b32 [b + lane*16 + warp*512 + block*64KiB + "
		"loop0*8KiB wrap 12MiB]\nend\n",
		first, sms);
	model_run("h200-sxm", &r, text);
	cycles[0] = cycles[1] = 0;
	for (i = 0; i < r.sample_count; i++)
		for (k = 0; k < 2; k++)
			if (r.samples[i].sm == sm[k] &&
				r.samples[i].cycles > cycles[k])
				cycles[k] = r.samples[i].cycles;
	result_free(&r);
}

/* Of GPC 1, SM 2 has six SMs in its CPC, SM 34 has four. */
Test(store_turns, cpcs_of_a_gpc_take_turns)
{
	double cycles[2];

	store(2, 94, (const unsigned[]){2, 34}, cycles);
	cr_expect_lt(
		cycles[1], 0.85 * cycles[0], "%g %g", cycles[0], cycles[1]);
}

/* GPC 7 has twelve SMs, GPC 1 of its side fourteen, and CPCs of four. */
Test(store_turns, gpcs_of_a_side_take_turns)
{
	double cycles[2];

	store(2, 94, (const unsigned[]){34, 14}, cycles);
	cr_expect_float_eq(
		cycles[1] / cycles[0], 1, 0.05, "%g %g", cycles[0], cycles[1]);
}

/* Of 80 SMs 42 are on the side of SM 2, 38 on that of SM 4. */
Test(store_turns, each_side_has_its_own)
{
	double cycles[2];

	store(0, 80, (const unsigned[]){2, 8}, cycles);
	cr_expect_lt(
		cycles[1], 0.93 * cycles[0], "%g %g", cycles[0], cycles[1]);
}
