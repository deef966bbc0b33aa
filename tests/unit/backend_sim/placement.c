/* Where SMs are, and which of them have the blocks of a grid, on the default
   machine as on the H200s that it was measured on. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/model_fixture.h"

TestSuite(placement, .timeout = 60);

#define SMS 132

/* How many blocks each SM ran. */
static void place(unsigned blocks, unsigned threads, unsigned *of_sm)
{
	struct result r = {0};
	size_t i;

	model_run(NULL, &r,
		"nearfar-program 1\nname x\nseed 1\nlaunch go\n"
		"role r blocks=%u threads=%u\n"
		"repeat 1 time=region region=measure\ndelay 10\nend\n",
		blocks, threads);
	memset(of_sm, 0, SMS * sizeof(*of_sm));
	for (i = 0; i < r.sample_count; i += threads / 32)
		of_sm[r.samples[i].sm]++;
	result_free(&r);
}

/* SMs 124 to 131 come first, then an SM of each TPC, by number. */
Test(placement, a_grid_begins_on_the_sms_left_over)
{
	static const struct {
		unsigned blocks, last_even, last_odd; /* below 124; SMS: none */
	} rows[] = {{8, SMS, SMS}, {12, 6, SMS}, {48, 78, SMS}, {70, 122, SMS},
		{100, 122, 59}};
	unsigned of_sm[SMS], sm;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		place(rows[i].blocks, 1024, of_sm);
		for (sm = 0; sm < SMS; sm++) {
			unsigned last =
				sm % 2 ? rows[i].last_odd : rows[i].last_even;
			bool has = sm >= 124 || (last < SMS && sm <= last);

			cr_expect_eq(of_sm[sm], has, "%u blocks, SM %u: %u",
				rows[i].blocks, sm, of_sm[sm]);
		}
	}
}

Test(placement, full_rounds_reach_every_sm)
{
	unsigned of_sm[SMS], sm;

	place(2 * SMS + 4, 32, of_sm);
	for (sm = 0; sm < SMS; sm++)
		cr_expect_eq(of_sm[sm], 2u + (sm >= 124 && sm % 2 == 0));
}

/* Of two waves, a block an SM: how many blocks of the second one are on the SM
   of the same block of the first, which are dealt in order. */
static unsigned in_order(const char *round)
{
	struct result r = {0};
	unsigned count = 0, i;

	model_set(round);
	model_run(NULL, &r,
		"nearfar-program 1\nname x\nseed 1\nlaunch go\n"
		"role r blocks=%u threads=64 shared=120000\n"
		"repeat 1 time=region region=measure\ndelay 100\nend\n",
		2 * SMS);
	for (i = 0; i < SMS; i++)
		count += r.samples[2 * (SMS + i)].sm == r.samples[2 * i].sm;
	result_free(&r);
	return count;
}

/* All places that are free in a round are dealt GPC by GPC, by number. */
Test(placement, places_of_others_are_dealt_in_rounds)
{
	unsigned often = in_order("launch_round_cycles=4000");
	unsigned as_they_come = in_order("launch_round_cycles=0");

	cr_expect_eq(often, SMS, "%u", often);
	cr_expect_lt(as_they_come, SMS / 2, "%u", as_they_come);
}

/* A place of each SM a round: two of an SM that end together are not dealt to
   blocks that follow each other. */
Test(placement, an_sm_gets_one_block_a_round)
{
	struct result r = {0};
	unsigned i;

	model_set("launch_round_cycles=4000");
	model_run(NULL, &r,
		"nearfar-program 1\nname x\nseed 1\nlaunch go\n"
		"role r blocks=%u threads=1024\n"
		"repeat 1 time=region region=measure\ndelay 100\nend\n",
		3 * SMS);
	for (i = 2 * SMS + 1; i < 3 * SMS; i++)
		cr_expect_neq(r.samples[32 * i].sm, r.samples[32 * (i - 1)].sm);
	result_free(&r);
}

/* Cycles until `count` SMs from `first` on, `stride` apart, have each read 1
   MiB of L2. */
static double reads(unsigned first, unsigned count, unsigned stride)
{
	struct result r = {0};
	double cycles;

	model_run(NULL, &r,
		"nearfar-program 1\nname x\nseed 1\nbuffer data bytes=8MiB\n"
		"launch warm\nrole w sms=all threads=1024\nrepeat 8\n"
		"ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB "
		"+ loop0*2MiB wrap 8MiB]\nend\n"
		"launch go\nrole r sms=%u:%u:%u threads=1024\n"
		"repeat 64 unroll=4 time=region region=measure\n"
		"ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB "
		"+ loop0*128KiB wrap 8MiB]\nend\n",
		first, count, stride);
	cycles = r.spans[0].cycles;
	result_free(&r);
	return cycles;
}

/* Eight SMs of the GPC of the rest share its way from the crossbar; eight of
   as many GPCs do not. */
Test(placement, sms_of_a_gpc_share_its_rate)
{
	double apart = reads(0, 8, 2), left_over = reads(124, 8, 1);

	cr_expect_float_eq(
		left_over, 8 * 1048576 / 622., 1500, "%g", left_over);
	cr_expect_lt(apart, 0.8 * left_over, "%g, %g", apart, left_over);
}

/* SM, side: where the rotation of TPCs over GPCs has passed over the first. */
Test(placement, sms_are_on_the_sides_of_the_chip)
{
	static const struct {
		unsigned sm, far;
	} rows[] = {{1, 0}, {2, 1}, {62, 1}, {64, 1}, {70, 0}, {112, 0},
		{118, 1}, {120, 0}, {123, 1}, {124, 0}, {131, 0}};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512];
		double near, here;

		snprintf(text, sizeof(text),
			"buffer word bytes=128\n"
			"launch a\nrole r sms=0:1 threads=1 lanes=1\n"
			"repeat 16\natom.global.add.u32 [word]\nend\n"
			"repeat 16 time=each region=near\n"
			"atom.global.add.u32 [word]\nend\n"
			"launch b\nrole s sms=%u:1 threads=1 lanes=1\n"
			"repeat 16 time=each region=here\n"
			"atom.global.add.u32 [word]\nend\n",
			rows[i].sm);
		near = model_mean(0, text);
		here = model_mean(1, text);
		cr_expect_eq(here > near + 100 || here < near - 100,
			rows[i].far, "SM %u: %g, SM 0: %g", rows[i].sm, here,
			near);
	}
}
