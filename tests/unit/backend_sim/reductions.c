/*
 * Reductions that miss L2 are answered before their data have come, as an
 * H200's are: by as many sectors as a slice holds. An SM's of several passes
 * wait for each other.
 */
#include <criterion/criterion.h>

#include "tests/unit/model_fixture.h"

#define MACHINE "h200-sxm"

/* Cycles of a region in which `sms` SMs of `warps` warps reduce `count` lines
   a warp, each once. */
static double span(unsigned sms, unsigned warps, unsigned count,
	const char *form, const char *before)
{
	return model_cycles(MACHINE,
		"buffer data bytes=16MiB\n%slaunch l\nrole r sms=0:%u "
		"threads=%u\n"
		"repeat %u time=region region=m\n%s.global.add.u32 [data + "
		"lane*4 + warp*128 + block*%u + loop0*%u]\nend\n",
		before, sms, 32 * warps, count, form, 128 * warps,
		128 * warps * sms);
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

/* 180 sectors a slice are answered at once, 720 are not. */
Test(reductions, a_slice_holds_so_many)
{
	double few = span(132, 32, 1, "red", "flush\n");
	double many = span(132, 32, 4, "red", "flush\n");

	model_set("slice_reduction_sectors=600");
	cr_expect_eq(few, span(132, 32, 1, "red", "flush\n"));
	cr_expect_gt(many, 1.1 * span(132, 32, 4, "red", "flush\n"));
}

/* Cycles in which 32 warps of each of `sms` SMs reduce 48 times on a line of
   their own: all lanes on a word, or a word each. */
static double own_lines(unsigned sms, const char *lanes)
{
	return model_cycles(MACHINE,
		"buffer data bytes=1MiB\n"
		"launch w\nrole r sms=0:64 threads=1024\n"
		"ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB]"
		"\nlaunch l\nrole r sms=0:%u threads=1024\n"
		"repeat 48 time=region region=m\nred.global.add.u32 [data + "
		"%swarp*128 + block*4KiB]\nend\n",
		sms, lanes);
}

/* No slice is full: at 64 SMs the fullest has 24 lines of 2048. Whoever waits
   there with several passes keeps what its SM sent behind it from other slices:
   an H200 takes 2.2 times as long as by one SM, by 4 SMs 1.1 times. Whole lines
   do not wait in the model, though they take 1.7 times as long there. */
Test(reductions, those_of_several_passes_wait_for_those_of_their_sm)
{
	double one = own_lines(1, ""), many = own_lines(64, "");

	cr_expect_gt(many, 1.5 * one, "%g %g", many, one);
	cr_expect_lt(own_lines(4, ""), 1.15 * one);
	cr_expect_lt(
		own_lines(64, "lane*4 + "), 1.1 * own_lines(1, "lane*4 + "));
}

/* Cycles of four atomics of each warp of an SM, while `others` SMs reduce on
   the same words, whose lanes are wrapped at `bytes`. */
static double beside(unsigned others, unsigned bytes)
{
	return model_cycles(MACHINE,
		"buffer data bytes=4KiB\nlaunch l\n"
		"role r sms=0:1 threads=1024\nrepeat 4 time=region region=m\n"
		"atom.global.add.u32 [data + lane*4 wrap %u]\nend\n"
		"role o sms=1:%u threads=1024 background\nrepeat 4\n"
		"red.global.add.u32 [data + lane*4 wrap %u]\nend\n",
		bytes, others, bytes);
}

/* An H200's atomics beside 7 SMs that reduce on the words of a line take 1,080
   cycles each: their SM has its turns. */
Test(reductions, an_sm_has_its_turn_however_many_others_have_sent)
{
	double cycles = beside(7, 128);

	cr_expect_lt(cycles, 4 * 1750.0, "%g", cycles);
	model_set("atomic_room_cycles=65536");
	cr_expect_gt(beside(7, 128), 3 * cycles);
}

/* On the words of a sector 2,930 beside 15. */
Test(reductions, an_sm_has_so_many_under_way)
{
	double cycles = beside(15, 32);

	cr_expect_lt(cycles, 4 * 3500.0, "%g", cycles);
	model_set("sm_inflight_reductions=1048576");
	cr_expect_gt(beside(15, 32), 1.5 * cycles);
}

/* Cycles in which a warp of each of 8 SMs reduces 32 times on one word. */
static double one_word(const char *form)
{
	return model_cycles(MACHINE,
		"buffer data bytes=4KiB\nlaunch w\nrole r sms=0:1 "
		"threads=1024\n"
		"ld.global.cg.b32 [data + lane*4 + warp*128]\n"
		"launch l\nrole r sms=0:8 threads=32\n"
		"repeat 32 time=region region=m\nred.global.%s [data]\nend\n",
		form);
}

/* An H200 takes 3.48 cycles for each addition, and 1.45. */
Test(reductions, a_sum_of_floats_waits_for_the_one_before)
{
	double floats = one_word("add.f32");

	cr_expect_gt(floats, 3.2 * 8 * 32 * 32, "%g", floats);
	cr_expect_lt(floats, 3.6 * 8 * 32 * 32, "%g", floats);
	cr_expect_lt(one_word("add.u32"), 1.6 * 8 * 32 * 32);
	model_set("atomic_float_cycles=0");
	cr_expect_lt(one_word("add.f32"), 1.6 * 8 * 32 * 32);
}

/* Sectors that DRAM reads for an atomic on one word that L2 does not hold. */
static double read_for(const char *form)
{
	struct result r = {0};
	double sectors;

	model_run_added(MACHINE, &r,
		"nearfar-program 1\nname test\nseed 1\n"
		"buffer data bytes=4KiB\nflush\nlaunch l\nrole r sms=0:1 "
		"threads=1 lanes=1\natom.global.%s [data]\n",
		form);
	sectors = model_counter(&r, "dram__sectors_read.sum");
	result_free(&r);
	return sectors;
}

Test(reductions, a_sum_of_floats_brings_no_line_more)
{
	double whole = read_for("add.u32");

	cr_expect_gt(whole, 0);
	cr_expect_leq(whole, 4);
	cr_expect_eq(read_for("add.f32"), whole);
}
