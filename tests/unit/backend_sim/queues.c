/*
 * Who waits for what in a loaded model, on the default machine: each mechanism
 * by the difference that it makes, as an H200 showed it.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/model_fixture.h"

TestSuite(queues, .timeout = 120);

/* ---- atomics ---- */

/* Until 64 reductions of each warp of `sms`, all lanes on `words` words of a
   line, have arrived. */
static double reduction(const char *sms, unsigned words)
{
	return model_cycles(NULL,
		"buffer words bytes=128\nlaunch go\n"
		"role r sms=%s threads=1024\n"
		"repeat 64 time=region region=measure\n"
		"red.global.add.u32 [words + lane*4 wrap %u]\nend\n",
		sms, 4 * words);
}

/* Eight words in four passes against four words in eight: half the passes, and
   each of them quicker. */
Test(queues, an_atomic_on_a_whole_sector_merges_nothing)
{
	double whole, part;

	model_set("atomic_kept_cycles=1.5");
	model_set("atomic_whole_cycles=1.2");
	whole = reduction("0:32", 8);
	part = reduction("0:32", 4);
	cr_expect_lt(whole, 0.45 * part, "%g, %g", whole, part);
	model_set("atomic_whole_cycles=1.5");
	whole = reduction("0:32", 8);
	cr_expect_float_eq(
		whole, 0.5 * part, 0.02 * part, "%g, %g", whole, part);
}

/* SMs 0 and 1 are on one side, SMs 0 and 2 on two. */
Test(queues, an_atomic_unit_has_a_way_in_from_each_side)
{
	double one = reduction("0:2", 8), two = reduction("0:2:2", 8);

	cr_expect_float_eq(two, 0.5 * one, 0.05 * one, "%g, %g", one, two);
	model_set("atomic_flit_cycles=0");
	one = reduction("0:2", 8);
	two = reduction("0:2:2", 8);
	cr_expect_float_eq(two, one, 0.02 * one, "%g, %g", one, two);
}

/* A warp instruction's cycles, of 16 of each of an SM's 32 warps on 4 KiB of
   its own, with lanes `apart` bytes apart. */
static double each_of(const char *insn, unsigned apart)
{
	return model_cycles(NULL,
		       "buffer words bytes=128KiB\nlaunch go\n"
		       "role r sms=0:1 threads=1024\n"
		       "repeat 16 time=region region=measure\n"
		       "%s.global.add.u32 [words + lane*%u + warp*4096 wrap "
		       "131072]\n"
		       "end\n",
		       insn, apart) /
	       512;
}

/* 8 lines with a head and 4 sectors each, 16 with 2 sectors, 32 lanes alone. */
Test(queues, an_atomics_lines_have_heads_where_they_have_several_operands)
{
	double four = each_of("red", 32), two = each_of("red", 64);
	double alone = each_of("red", 128);

	cr_expect_float_eq(four, 40, 2.5, "%g", four);
	cr_expect_float_eq(two, 48, 3, "%g", two);
	cr_expect_float_eq(alone, 32, 2.5, "%g", alone);
}

/* 24 lines, of which every third has two operands, and the others heads for
   it: 24 heads and 32 sectors. One pair in 31 lines gives three more of them
   heads. */
Test(queues, lines_behind_one_of_several_operands_have_heads)
{
	double pairs = each_of("red", 96), pair = each_of("red", 124);

	cr_expect_float_eq(pairs, 56, 3.5, "%g", pairs);
	cr_expect_float_eq(pair, 37, 2, "%g", pair);
}

/* Values at the same place of their lines are a row each, at all places of
   theirs 32 lanes are one, at four places eight. */
Test(queues, single_values_come_back_in_rows)
{
	double same = each_of("atom", 128), four = each_of("atom", 160);
	double once;

	cr_expect_float_eq(same, 64, 4, "%g", same);
	cr_expect_float_eq(four, 40, 5, "%g", four);
	model_set("atomic_reply_join_cycles=0");
	once = each_of("atom", 160);
	cr_expect_float_eq(once, same, 0.05 * same, "%g, %g", once, same);
}

/* Sectors at random in 2 MiB, by a chip: what returns values takes the units
   longer. */
static double random_sectors(const char *insn)
{
	return model_cycles(NULL,
		"buffer words bytes=2MiB\nlaunch go\n"
		"role r sms=all threads=512\n"
		"repeat 8 time=region region=measure\n"
		"%s.global.add.u32 [words random slot=32]\nend\n",
		insn);
}

Test(queues, values_take_an_atomic_unit_longer)
{
	double red = random_sectors("red"), atom = random_sectors("atom");

	cr_expect_gt(atom, 1.2 * red, "%g, %g", red, atom);
	model_set("atomic_return_cycles=0");
	model_set("atomic_return_value_cycles=0");
	/* half of the values cross it */
	model_set("bridge_bytes_per_cycle=4096");
	atom = random_sectors("atom");
	cr_expect_lt(atom, 1.15 * red, "%g, %g", red, atom);
}

/* Cycles of 16 accesses of each warp of 100 SMs, each lane to a sector of its
   own of 16 MiB, beside 32 SMs that reduce on one word. */
static double beside_a_word(const char *insn)
{
	return model_cycles(NULL,
		"buffer word bytes=4096\nbuffer data bytes=16MiB\n"
		"launch warm\nrole warm sms=all threads=1024\nrepeat 8\n"
		"ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB "
		"+ loop0*2162688 wrap 16MiB]\nend\nlaunch go\n"
		"role others sms=32:100 threads=256\n"
		"repeat 16 time=region region=measure\n"
		"%s [data + lane*32 + warp*1024 + block*8192 + loop0*819200 "
		"wrap 16MiB]\nend\n"
		"role hot sms=0:32 threads=256 background\nrepeat 16\n"
		"red.global.add.u32 [word]\nend\n",
		insn);
}

/* An H200 takes 15,300 cycles for the loads beside one SM on a line and 33,000
   beside 32 on a word, which takes 190,000; the reductions 10,000 and 38,000.
 */
Test(queues, others_wait_once_for_those_in_line)
{
	double load = beside_a_word("ld.global.cg.b32");
	double red = beside_a_word("red.global.add.u32");

	cr_expect_lt(load, 45000, "%g", load);
	cr_expect_gt(load, 20000, "%g", load);
	cr_expect_lt(red, 60000, "%g", red);
	cr_expect_gt(red, 20000, "%g", red);
}

/* Cycles of 16 SMs that reduce on a line, beside 68 whose reductions miss. */
static double line_beside_misses(void)
{
	return model_cycles(NULL,
		"buffer hot bytes=4096\nbuffer data bytes=64MiB\nlaunch go\n"
		"role hot sms=0:16 threads=256\n"
		"repeat 128 time=region region=measure\n"
		"red.global.add.u32 [hot + lane*4]\nend\n"
		"role other sms=32:100 threads=256\nrepeat 8\n"
		"red.global.add.u32 [data + lane*32 + warp*1024 + block*8192 "
		"+ loop0*819200]\nend\n");
}

/* Twice as long, an H200 takes 164,900 cycles where they hit and 179,500 where
   they miss. */
Test(queues, what_stands_in_line_is_looked_at_when_data_come)
{
	double missed = line_beside_misses(), never;

	model_set("atomic_replay_cycles=0");
	never = line_beside_misses();
	cr_expect_float_eq(
		missed, 1.07 * never, 0.03 * never, "%g, %g", missed, never);
}

/* ---- beside others ---- */

/* The mean of so many loads of SM 0 that follow one another, in `ring`, while
   the first `writers` SMs of 2 and up write `data`. */
static double chase(
	const char *ring, const char *data, unsigned writers, unsigned loads)
{
	char text[640];

	snprintf(text, sizeof(text),
		"buffer ring bytes=%s fill=ring slot=128 order=shuffle seed=1\n"
		"buffer data bytes=%s\n"
		"launch go\nrole chase sms=0:1 threads=1 lanes=1\n"
		"repeat 64\nld.global.cg.b64 [ring chase]\nend\n"
		"repeat %u time=each region=measure\n"
		"ld.global.cg.b64 [ring chase]\nend\n"
		"role write sms=2:%u threads=1024 background\n"
		"repeat 64 unroll=4\nst.global.wb.v4.b32 [data + lane*16 + "
		"warp*512 + block*16KiB + loop0*2MiB wrap %s]\nend\n",
		ring, data, loads, writers, data);
	return model_mean(0, text);
}

/* Acknowledgements take nothing of the slices' data ports, so that a line of
   stores is none of loads, which wait for the writing itself only: half of them
   are found in L2 here. */
Test(queues, loads_do_not_wait_for_stores_in_line)
{
	double few = chase("32KiB", "16MiB", 1, 256);
	double many = chase("32KiB", "16MiB", 120, 256);

	cr_expect_lt(many, 1.1 * few, "%g, %g", few, many);
}

/* But for a few lines of them, at the slice. */
Test(queues, loads_wait_for_a_few_lines_of_stores)
{
	double some, few;

	model_set("slice_store_lines=8");
	some = chase("32KiB", "16MiB", 120, 96);
	model_set("slice_store_lines=1");
	few = chase("32KiB", "16MiB", 120, 96);
	cr_expect_gt(some, few + 10, "%g, %g", few, some);
}

/* 40 SMs write a third of what DRAM takes; their write-backs come at once, or
   in drains that a load may have to wait for. */
Test(queues, loads_from_dram_wait_for_drains)
{
	double drains = chase("1GiB", "512MiB", 40, 96), at_once;

	model_set("dram_drain_cycles=1");
	at_once = chase("1GiB", "512MiB", 40, 96);
	cr_expect_gt(drains, at_once + 40, "%g, %g", drains, at_once);
}

/* A refresh takes a bank out of service, not its channel: reads at two thirds
   of the peak are hardly held up; with whole channels it was 1.4 times. */
Test(queues, banks_refresh_one_after_the_other)
{
	static const char text[] =
		"buffer data bytes=512MiB\nlaunch go\n"
		"role read sms=0:32 threads=1024\n"
		"repeat 64 unroll=4 time=region region=measure\n"
		"ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB "
		"+ loop0*2112KiB]\nend\n";
	double with = model_mean(0, text), without;

	model_set("dram_refresh_interval_cycles=0");
	without = model_mean(0, text);
	cr_expect_lt(with, 1.25 * without, "%g, %g", with, without);
	cr_expect_gt(with, without, "%g, %g", with, without);
}

/* ---- warps ---- */
