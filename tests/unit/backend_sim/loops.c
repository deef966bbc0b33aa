/*
 * What loops cost beside their accesses: a loop within a loop, links that
 * atomics return, the way from L1 to the registers. The figures are an H200's.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/model_fixture.h"

#define MACHINE "h200-sxm"
#define HEAD    "nearfar-program 1\nname test\nseed 1\n"

/* Cycles of an iteration of the outer loop, of 24, that loads words from L1. */
static double outer_iteration(
	unsigned warps, unsigned count, unsigned unroll, const char *load)
{
	static const char loop[] = "repeat %u unroll=%u\n%s\nend\n";
	struct result r = {0};
	char first[128], inner[128];
	double cycles;

	snprintf(first, sizeof(first), loop, count, unroll, load);
	strstr(first, "loop1")[4] = '0'; /* not in the other loop */
	snprintf(inner, sizeof(inner), loop, count, unroll, load);
	model_run(MACHINE, &r,
		HEAD "buffer data bytes=1MiB\nlaunch l\nrole r sms=0:1 "
		     "threads=%u\n%sbarrier\nrepeat 24 time=region "
		     "region=m\n%send\n",
		32 * warps, first, inner);
	cycles = r.spans[0].cycles / 24;
	result_free(&r);
	return cycles;
}

#define WORDS "ld.global.ca.b32 [data + lane*4 + warp*128 + loop1*4096]"
#define PAIRS "ld.global.ca.b64 [data + lane*8 + warp*256 + loop1*8192]"
#define FOURS "ld.global.ca.v4.b32 [data + lane*16 + warp*512 + loop1*16384]"

/* 100 and 166 cycles; 252 for 8 warps of each scheduler. */
Test(loops, an_inner_loop_is_made_anew)
{
	double one = outer_iteration(1, 1, 1, WORDS);
	double two = outer_iteration(1, 2, 1, WORDS);

	cr_expect_float_eq(one, 100, 8, "%g", one);
	cr_expect_float_eq(two, 166, 14, "%g", two);
	cr_expect_gt(outer_iteration(32, 1, 1, WORDS), 215);
	model_set("nest_cycles=0");
	cr_expect_float_eq(one - outer_iteration(1, 1, 1, WORDS), 18, 1e-9);
}

/* What comes before a loop costs it nothing: only what is inside does. */
Test(loops, loops_in_a_row_do_not_nest)
{
	static const char text[] =
		"buffer data bytes=1MiB\nlaunch l\nrole r sms=0:1 threads=32\n"
		"repeat 4\nld.global.ca.b32 [data + lane*4]\nend\n"
		"repeat 8 time=region region=m\n"
		"ld.global.ca.b32 [data + lane*4]\nend\n";
	double before = model_mean(0, text);

	model_set("nest_cycles=200");
	cr_expect_eq(before, model_mean(0, text));
}

/* 1.09 cycles a load of an SM where 8 are in an iteration. */
Test(loops, hits_take_the_pipe_a_cycle_each)
{
	double load = outer_iteration(32, 32, 8, WORDS) / (32 * 32);

	cr_expect_float_eq(load, 1.1, 0.1, "%g", load);
}

/* 3.8 cycles a load of 4 or 8 B a lane, 13.5 of 16 B. */
Test(loops, narrow_loads_come_one_after_the_other)
{
	double words = outer_iteration(1, 8, 8, WORDS);
	double pairs = outer_iteration(1, 8, 8, PAIRS);
	double fours = outer_iteration(1, 8, 8, FOURS);

	cr_expect_lt(pairs - words, 10, "%g %g", pairs, words);
	cr_expect_gt(fours - words, 60, "%g %g", fours, words);
}

/* Cycles of an iteration with one load from L2 by each of 32 warps, at whose
   end so many slots are needed. */
static double from_l2(const char *slots)
{
	struct result r = {0};
	double cycles;

	model_set(slots);
	model_run(MACHINE, &r,
		HEAD "buffer data bytes=1MiB\nlaunch w\nrole w sms=0:1 "
		     "threads=1024\n"
		     "ld.global.cg.b32 [data + lane*4 + warp*128]\n"
		     "launch l\nrole r sms=0:1 threads=1024\n"
		     "repeat 64 time=region region=m\n"
		     "ld.global.cg.b32 [data + lane*4 + warp*128]\nend\n");
	cycles = r.spans[0].cycles / 64;
	result_free(&r);
	return cycles;
}

/* What a warp issues at the end of an iteration delays its own next load, and
   not the loads of the seven others of its scheduler. */
Test(loops, accesses_go_before_the_ends_of_iterations)
{
	double few = from_l2("value_issue_cycles=0");
	double many = from_l2("value_issue_cycles=12");

	cr_expect_lt(many, few + 30, "%g %g", many, few);
}

/* Cycles of an iteration of two loads by 32 warps of one SM, whose addresses
   wrap at `span`. */
static double wrapping(const char *set, unsigned span)
{
	struct result r = {0};
	double cycles;

	model_set(set);
	model_run(MACHINE, &r,
		HEAD "buffer data bytes=64KiB\nlaunch l\nrole r sms=0:1 "
		     "threads=1024\nrepeat 4\nld.global.ca.b32 [data + lane*4 "
		     "+ warp*128 + loop0*4096]\nend\nrepeat 64 unroll=2 "
		     "time=region region=m\nld.global.ca.b32 [data + lane*4 + "
		     "warp*128 + loop0*4096 wrap %u]\nend\n",
		span);
	cycles = r.spans[0].cycles / 32;
	result_free(&r);
	return cycles;
}

/* Eight warps of a scheduler: slots of the iteration's end where the span is a
   whole number of iterations; else those of each address by itself. */
Test(loops, what_wraps_between_iterations_takes_slots_at_their_ends)
{
	const char *none = "loop_wrap_issue_cycles=0";
	const char *some = "loop_wrap_issue_cycles=50";

	cr_expect_float_eq(
		wrapping(some, 16384) - wrapping(none, 16384), 400, 40);
	cr_expect_eq(wrapping(some, 12288), wrapping(none, 12288));
}

/* Slots of an iteration of the inner loop, for eight warps of a scheduler. */
static double slots_of(const char *load)
{
	return (outer_iteration(32, 4, 1, load) -
		       outer_iteration(32, 2, 1, load)) /
	       (2 * 8);
}

/* 15.4 for 4 B a lane, 20.7 for 8. */
Test(loops, wide_values_take_more_slots)
{
	double words = slots_of(WORDS), pairs = slots_of(PAIRS);

	cr_expect_float_eq(words, 15.4, 1, "%g", words);
	cr_expect_float_eq(pairs, 20.7, 2.5, "%g", pairs);
}

/* Slots at an outer loop's end: of a loop whose addresses have two terms, and
   of one with three. */
Test(loops, each_term_of_an_inner_address_is_made_anew)
{
	double two = outer_iteration(32, 1, 1, WORDS);
	double three = outer_iteration(32, 1, 1,
		"ld.global.ca.b32 [data + lane*4 + warp*128 + block*4096 + "
		"loop1*4096]");

	cr_expect_float_eq(three - two, 8 * 4.2, 6, "%g %g", three, two);
}

/* A link of a chase, in cycles. */
static double link(const char *access, unsigned unroll)
{
	struct result r = {0};
	double cycles;

	model_run(MACHINE, &r,
		HEAD "buffer ring bytes=64KiB fill=ring slot=128 "
		     "order=shuffle seed=1\nlaunch l\nrole r sms=0:1 "
		     "threads=32 lanes=1\nrepeat 512\n%s [ring chase]\nend\n"
		     "repeat 512 unroll=%u time=region region=m\n"
		     "%s [ring chase]\nend\n",
		access, unroll, access);
	cycles = r.spans[0].cycles / 512;
	result_free(&r);
	return cycles;
}

/* The branch comes behind the link that an atomic returns: 30 cycles a link
   that is not unrolled. */
Test(loops, atomics_bring_their_links_before_the_branch)
{
	double each = link("atom.global.add.u64", 1);
	double some = link("atom.global.add.u64", 16);

	cr_expect_float_eq(each - some, 30 * 15 / 16., 2, "%g %g", each, some);
	cr_expect_float_eq(
		link("ld.global.cg.b64", 1), link("ld.global.cg.b64", 16), 1);
}

/* ---- what a kernel stores of its regions ---- */

/* Cycles of blocks of one warp that read a line of L1, where a store takes the
   load/store pipe as long as is set. An SM has one at once. */
static double with_records(unsigned blocks, const char *set)
{
	model_set(set);
	return model_cycles("h200-sxm",
		"buffer data bytes=4KiB\nlaunch one\n"
		"role all blocks=%u threads=32 shared=200KiB\nrepeat 1 "
		"time=region region=measure\nrepeat 4\n"
		"ld.global.ca.b32 [data + lane*4]\nend\nend\n",
		blocks);
}

/* A block that comes later stores twice before its region, which its loads wait
   for, beyond its first instructions; of four waves those of the last one do,
   not those of the two between. */
Test(loops, records_take_the_load_store_pipe)
{
	static const char slow[] = "lsu_store_cycles=62";
	static const char fast[] = "lsu_store_cycles=2";
	double two = with_records(2 * 132, slow) - with_records(2 * 132, fast);
	double four = with_records(4 * 132, slow) - with_records(4 * 132, fast);

	cr_expect_float_eq(two, 120, 40, "%g", two);
	cr_expect_float_eq(four, two, 40, "%g, %g", four, two);
}

/* ---- warps in each other's way ---- */

/* Cycles of a load of 4 B a lane from L1, one in an iteration. */
static double one_of(unsigned warps)
{
	return model_cycles(MACHINE,
		       "buffer data bytes=64KiB\nlaunch l\nrole r sms=0:1 "
		       "threads=%u\nrepeat 4\n"
		       "ld.global.ca.b32 [data + lane*4 + warp*128]\nend\n"
		       "barrier\nrepeat 64 time=region region=m\n"
		       "ld.global.ca.b32 [data + lane*4 + warp*128]\nend\n",
		       32 * warps) /
	       64;
}

/* Each takes 15 slots of its scheduler. Long before slots are full the warps
   that share them get in each other's way, on an H200, too
   (results/probes/sm_warps.tsv). */
Test(loops, warps_of_a_scheduler_are_late)
{
	static const unsigned of_each[] = {1, 2, 4, 5, 8};
	static const double cycles[] = {65, 66, 74, 81, 117};
	double model;
	size_t i;

	for (i = 0; i < 5; i++) {
		model = one_of(4 * of_each[i]);
		cr_expect_float_eq(model, cycles[i], 0.05 * cycles[i],
			"%u: %g for %g", of_each[i], model, cycles[i]);
	}
}
