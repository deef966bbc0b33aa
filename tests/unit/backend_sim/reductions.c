/*
 * Reductions that miss L2 are answered before their data have come, as an
 * H200's are: by as many sectors as a slice holds. An SM's for whole lines wait
 * for each other.
 */
#include <criterion/criterion.h>

#include "tests/unit/model_fixture.h"

#define MACHINE "h200-sxm"

/* Cycles of a region in which `sms` SMs of `warps` warps reduce `count` lines
   a warp, each once. */
static double span(unsigned sms, unsigned warps, unsigned count,
	const char *form, const char *before)
{
	struct result r = {0};
	double cycles;

	model_run(MACHINE, &r,
		"nearfar-program 1\nname test\nseed 1\nbuffer data "
		"bytes=16MiB\n%slaunch l\nrole r sms=0:%u threads=%u\n"
		"repeat %u time=region region=m\n%s.global.add.u32 [data + "
		"lane*4 + warp*128 + block*%u + loop0*%u]\nend\n",
		before, sms, 32 * warps, count, form, 128 * warps,
		128 * warps * sms);
	cycles = r.spans[0].cycles;
	result_free(&r);
	return cycles;
}

#define WARM                                                                   \
	"launch w\nrole r sms=0:1 threads=1024\nrepeat 8\n"                    \
	"ld.global.cg.v4.b32 [data + lane*16 + warp*512 + loop0*16KiB]\nend\n"

Test(reductions, one_that_misses_ends_as_one_that_hits)
{
	double hits = span(1, 1, 4, "red", WARM);
	double misses = span(1, 1, 4, "red", "flush\n");

	cr_expect_lt(misses - hits, 120, "%g %g", misses, hits);
	cr_expect_gt(
		span(1, 1, 4, "atom", "flush\n") - span(1, 1, 4, "atom", WARM),
		800);
	model_set("slice_reduction_sectors=0");
	cr_expect_gt(span(1, 1, 4, "red", "flush\n") - misses, 50);
}

/* 180 sectors a slice are answered at once, 540 are not. */
Test(reductions, a_slice_holds_so_many)
{
	double few = span(132, 32, 1, "red", "flush\n");
	double many = span(132, 32, 3, "red", "flush\n");

	model_set("slice_reduction_sectors=600");
	cr_expect_eq(few, span(132, 32, 1, "red", "flush\n"));
	cr_expect_gt(many, 1.05 * span(132, 32, 3, "red", "flush\n"));
}

/* Cycles in which 32 warps of each of `sms` SMs reduce 48 times on a line of
   their own, a word each lane. */
static double own_lines(unsigned sms)
{
	struct result r = {0};
	double cycles;

	model_run(MACHINE, &r,
		"nearfar-program 1\nname test\nseed 1\nbuffer data "
		"bytes=1MiB\nlaunch w\nrole r sms=0:64 threads=1024\n"
		"ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB]"
		"\nlaunch l\nrole r sms=0:%u threads=1024\n"
		"repeat 48 time=region region=m\nred.global.add.u32 [data + "
		"lane*4 + warp*128 + block*4KiB]\nend\n",
		sms);
	cycles = r.spans[0].cycles;
	result_free(&r);
	return cycles;
}

/* No slice is full: at 64 SMs the fullest has 24 lines of 2048. Whoever waits
   there keeps what its SM sent behind it from other slices. */
Test(reductions, whole_lines_wait_for_those_of_their_sm)
{
	cr_expect_gt(own_lines(64), 1.25 * own_lines(1), "%g %g", own_lines(64),
		own_lines(1));
	cr_expect_lt(own_lines(16), 1.08 * own_lines(1));
}
