/* Who goes next where a link to far memory is full. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/model_fixture.h"

TestSuite(far_turns, .timeout = 60);

/* The last warp's cycles of two SMs, where so many SMs from SM 2 on store lines
   of their own to the peer. */
static void store(unsigned sms, const unsigned sm[2], double cycles[2])
{
	struct result r = {0};
	char text[512];
	size_t i;
	unsigned k;

	snprintf(text, sizeof(text),
		"nearfar-program 1\nname test\nseed 1\n"
		"buffer b bytes=8448KiB memory=peer\nlaunch l\n"
		"role r sms=2:%u threads=512\n"
		"repeat 64 time=region region=m\n"
		"st.global.v4.b32 [b + lane*16 + warp*512 + block*64KiB + "
		"loop0*8KiB wrap 8448KiB]\nend\n",
		sms);
	model_run("h200-sxm-x2", &r, text);
	cycles[0] = cycles[1] = 0;
	for (i = 0; i < r.sample_count; i++)
		for (k = 0; k < 2; k++)
			if (r.samples[i].sm == sm[k] &&
				r.samples[i].cycles > cycles[k])
				cycles[k] = r.samples[i].cycles;
	result_free(&r);
}

/* Of GPC 1, SM 2 shares its CPC with SM 50, and SM 34 has its own alone. */
Test(far_turns, cpcs_of_a_gpc_take_turns)
{
	double cycles[2];

	store(64, (const unsigned[]){2, 34}, cycles);
	cr_expect_lt(
		cycles[1], 0.75 * cycles[0], "%g %g", cycles[0], cycles[1]);
}

/* Seven TPCs of the second side, and five of the first. */
Test(far_turns, sides_take_turns)
{
	double cycles[2];

	store(24, (const unsigned[]){2, 12}, cycles);
	cr_expect_float_eq(cycles[1] / cycles[0], 5. / 7, 0.08, "%g %g",
		cycles[0], cycles[1]);
}
