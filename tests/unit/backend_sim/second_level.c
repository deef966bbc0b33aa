/*
 * The model beyond L1, mechanism by mechanism, on the default machine: what
 * an H200 showed, as numbers that can be counted by hand.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/memory/cache.h"
#include "tests/unit/model_fixture.h"
#include "harness/program/text/text.h"

TestSuite(second_level, .timeout = 120);

#define HEAD        "nearfar-program 1\nname test\nseed 1\n"
#define DRAM_READS  "dram__sectors_read.sum"
#define DRAM_WRITES "dram__sectors_write.sum"
#define L2_READS    "lts__t_sectors_op_read.sum"
#define L2_MISSES   "lts__t_sectors_lookup_miss.sum"
#define BRIDGE      "nearfar__bridge_sectors.sum"
#define TLB_MISSES  "nearfar__tlb_misses.sum"
#define TLB2_MISSES "nearfar__tlb2_misses.sum"

/* A counter after a program, the head of which is given. */
static double count(const char *name, const char *text)
{
	struct result r = {0};
	double value;

	model_run_added(NULL, &r, HEAD "%s", text);
	value = model_counter(&r, name);
	result_free(&r);
	return value;
}

/* ---- what survives ---- */

#define HOT_BYTES (768u << 10)

/* The share of a hot set that a stream of four times the L2 leaves. L2 is
   3 MiB here, 1.5 MiB a side. Host actions come before the hot set is read and
   between that and the stream. */
static double survivors_of(const char *before, const char *policy,
	const char *load, const char *between, const char *stream)
{
	static const char format[] =
		HEAD "buffer hot bytes=768KiB\nbuffer other bytes=12MiB\n"
		     "%s"
		     "launch warm\nrole w sms=0:1 threads=1024\n%srepeat 96\n"
		     "%s [hot + lane*16 + warp*512 + loop0*16KiB]%s\nend\n"
		     "%slaunch stream\nrole s sms=0:1 threads=1024\n%srepeat "
		     "768\n%s [other + lane*16 + warp*512 + loop0*16KiB]%s\n"
		     "end\n"
		     "%s";
	static const char again[] =
		"launch again\nrole a sms=0:1 threads=1024\nrepeat 48\n"
		"ld.global.cg.v4.b32 [hot + lane*16 + warp*512 + "
		"loop0*16KiB]\nend\n";
	struct result r = {0};
	double reads[2];
	int i;

	if (!model_is_set())
		model_set("l2_bytes=3MiB");
	for (i = 0; i < 2; i++) {
		model_run_added(NULL, &r, format, before, policy, load,
			*policy ? ", p0" : "", between,
			strstr(stream, "hint")
				? "createpolicy.fractional.L2::evict_first.b64 "
				  "p0\n"
				: "",
			stream, strstr(stream, "hint") ? ", p0" : "",
			i ? again : "");
		reads[i] = model_counter(&r, DRAM_READS);
		result_free(&r);
	}
	return 1 - (reads[1] - reads[0]) * 32 / HOT_BYTES;
}

static double survivors(const char *before, const char *policy,
	const char *load, const char *stream)
{
	return survivors_of(before, policy, load, "", stream);
}

#define PLAIN  "ld.global.cg.v4.b32"
#define HINTED "ld.global.L2::cache_hint.v4.b32"
#define LAST   "createpolicy.fractional.L2::evict_last.b64 p0\n"

Test(second_level, a_stream_takes_normal_lines)
{
	cr_expect_lt(survivors("", "", PLAIN, PLAIN), 0.02);
}

/* A sixteenth of L2 without a carve-out; its share, rounded up, with one. */
Test(second_level, evict_last_keeps_what_the_carve_out_gives)
{
	double without = survivors("", LAST, HINTED, PLAIN);
	double some = survivors("carveout 384KiB\n", LAST, HINTED, PLAIN);
	double all = survivors("carveout 1MiB\n", LAST, HINTED, PLAIN);

	cr_expect_float_eq(without, 0.25, 0.03, "%g", without);
	cr_expect_float_eq(some, 0.5, 0.03, "%g", some);
	cr_expect_gt(all, 0.98, "%g", all);
}

/* Lines that a policy or a window made persisting are normal again. */
Test(second_level, a_reset_ends_persistence)
{
	static const char window[] = "carveout 1MiB\nwindow hot bytes=768KiB "
				     "ratio=1 hit=persisting\n";
	double left =
		survivors_of("carveout 1MiB\n", LAST, HINTED, "reset\n", PLAIN);

	cr_expect_lt(left, 0.02, "a policy, %g", left);
	left = survivors_of(window, "", PLAIN, "reset\n", PLAIN);
	cr_expect_lt(left, 0.02, "a window, %g", left);
}

Test(second_level, a_window_persists)
{
	double left = survivors("carveout 1MiB\nwindow hot bytes=768KiB "
				"ratio=1 hit=persisting\n",
		"", PLAIN, PLAIN);

	cr_expect_gt(left, 0.98, "%g", left);
	left = survivors("carveout 1MiB\nwindow hot bytes=768KiB ratio=0.5 "
			 "hit=persisting\n",
		"", PLAIN, PLAIN);
	cr_expect_float_eq(left, 0.5, 0.05, "half of it, %g", left);
}

Test(second_level, an_evict_first_stream_leaves_normal_lines_alone)
{
	cr_expect_gt(survivors("", "", PLAIN, HINTED), 0.98);
	cr_expect_gt(survivors("", "", PLAIN, "ld.global.cs.v4.b32"), 0.98);
}

Test(second_level, evict_first_lines_go_before_normal_ones)
{
	cr_expect_lt(survivors("", "", "ld.global.cs.v4.b32", PLAIN), 0.02);
}

/* The primary range persists, what lies beside it has the secondary class. */
Test(second_level, a_range_has_its_classes)
{
	double left = survivors("carveout 1MiB\n",
		"createpolicy.range.global.L2::evict_last.b64 p0, [hot], "
		"384KiB, 768KiB\n",
		HINTED, PLAIN);

	cr_expect_float_eq(left, 0.5, 0.03, "%g", left);
}

/* ---- what is fetched, and where it stays ---- */

#define LINES "buffer lines bytes=4608KiB\n"
#define ONE(name, sm, body)                                                    \
	"launch " name "\nrole r sms=" sm ":1 threads=1 lanes=1\n"             \
	"repeat 1024\n" body " [lines + loop0*4608]\nend\n"

/* Of 1024 lines half are at home on either side. */
Test(second_level, an_atomic_from_afar_brings_one_sector)
{
	cr_expect_float_eq(
		count(DRAM_READS, LINES ONE("a", "0", "atom.global.add.u32")),
		1.5 * 1024, 40);
	cr_expect_float_eq(
		count(DRAM_READS, LINES ONE("a", "0", "ld.global.cg.b32")),
		2 * 1024, 0);
}

/* One sector is too little to send over the bridge: the rest is fetched. */
Test(second_level, a_load_from_afar_wants_what_a_miss_brings)
{
	double both =
		count(DRAM_READS, LINES ONE("a", "0", "atom.global.add.u32")
					  ONE("b", "0", "ld.global.cg.b32"));

	cr_expect_float_eq(both, 2 * 1024, 0);
}

/* The second of two neighbours waits for what the first one brings. */
Test(second_level, a_near_miss_waits_for_the_sector_beside_it)
{
	static const char both[] =
		LINES "launch a\nrole r sms=0:1 threads=1 lanes=1\nrepeat "
		      "1024\nld.global.cg.b32 [lines + loop0*4608]\n"
		      "ld.global.cg.b32 [lines + 32 + loop0*4608]\nend\n";

	/* near or far home, 2 or 2 + 2 */
	cr_expect_float_eq(count(L2_READS, both), 3 * 1024, 100);
	cr_expect_float_eq(count(BRIDGE, both), 1024, 40);
}

/* What its copy has of a line a side does not ask for again. */
Test(second_level, a_side_asks_for_what_its_copy_lacks)
{
	static const char text[] = LINES ONE(
		"a", "0", "ld.global.cg.b32") "launch b\n"
					      "role r sms=0:1\nrepeat 1024\n"
					      "ld.global.cg.b32 [lines + "
					      "lane*4 + loop0*4608]\nend\n";

	cr_expect_float_eq(count(BRIDGE, text), 4 * 512, 80);
	/* near or far home, 1 + 4 or 1 + 2 + 4 + 2 */
	cr_expect_float_eq(count(L2_READS, text), 7 * 1024, 150);
}

/* A second load finds the copy that the first left: nothing crosses. */
Test(second_level, a_far_line_leaves_a_copy)
{
	double once = count(BRIDGE, LINES ONE("a", "0", "ld.global.cg.b32"));
	double twice = count(BRIDGE, LINES ONE("a", "0", "ld.global.cg.b32")
					     ONE("b", "0", "ld.global.cg.b32"));

	cr_expect_float_eq(once, 1024, 40);
	cr_expect_eq(once, twice);
}

/* Whole sectors that a store sends home are near from then on. */
Test(second_level, a_store_leaves_a_copy)
{
	static const char store[] =
		LINES "launch a\nrole r sms=0:1 threads=8 lanes=8\nrepeat "
		      "1024\nst.global.b32 [lines + lane*4 + loop0*4608]\n"
		      "end\n";
	char text[512];
	double before = count(BRIDGE, store);

	snprintf(text, sizeof(text), "%s%s", store,
		ONE("b", "0", "ld.global.cg.b32"));
	cr_expect_eq(before, count(BRIDGE, text));
	cr_expect_eq(0, count(DRAM_READS, text));
}

/* Where sides keep no copies, each load of a far line crosses, with what it
   asks for, and what a store sends home is not near. */
Test(second_level, without_copies_each_load_crosses)
{
	static const char text[] = LINES ONE("a", "0", "ld.global.cg.b32")
		ONE("b", "0", "ld.global.cg.b32");
	static const char stored[] =
		LINES "launch a\nrole r sms=0:1 threads=8 lanes=8\nrepeat "
		      "1024\nst.global.b32 [lines + lane*4 + loop0*4608]\n"
		      "end\n" ONE("b", "0", "ld.global.cg.b32");
	double copied;

	copied = count(BRIDGE, stored);
	model_set("l2_uncopied=1");
	cr_expect_float_eq(count(BRIDGE, text), 1024, 40);
	cr_expect_float_eq(count(BRIDGE, stored), copied + 512, 30);
	cr_expect_float_eq(count(DRAM_READS, text), 2 * 1024, 0);
}

/* Sectors that go to DRAM when a stream takes the place of lines that `access`
   has asked for. */
static double written_back(const char *access, const char *then)
{
	static const char format[] =
		"buffer lines bytes=4608KiB\nbuffer other bytes=12MiB\n"
		"launch a\nrole r sms=0:1 threads=32\nrepeat 1024\n"
		"%s [lines + lane*4 + loop0*4608]\nend\n%s"
		"launch c\nrole r sms=0:1 threads=1024\nrepeat 768\n"
		"ld.global.cg.v4.b32 [other + lane*16 + warp*512 + "
		"loop0*16KiB]\nend\n";
	char text[1024];

	snprintf(text, sizeof(text), format, access, then);
	return count(DRAM_WRITES, text);
}

/* A discarded line is not written back when the stream takes its place. */
Test(second_level, a_discard_saves_the_write_back)
{
	static const char discard[] =
		"launch b\nrole r sms=0:1 threads=1 lanes=1\nrepeat 1024\n"
		"discard.global.L2 [lines + loop0*4608], 128\nend\n";
	static const char load[] = "ld.global.cg.b32";

	model_set("l2_bytes=3MiB");
	cr_expect_eq(written_back("st.global.b32", "") - written_back(load, ""),
		4 * 1024);
	cr_expect_eq(written_back("st.global.b32", discard),
		written_back(load, discard));
}

/* ---- counting ---- */

/* As Nsight Compute does on an H200: the far half of all sectors passes two
   slices, an atomic counts in each of its passes, and a miss as what it
   brings. */
Test(second_level, a_far_home_counts_twice)
{
	static const char loads[] =
		LINES "launch a\nrole r sms=0:1\nrepeat 1024\n"
		      "ld.global.cg.b32 [lines + lane*4 + loop0*4608]\nend\n";
	static const char words[] =
		LINES "launch a\nrole r sms=0:1 threads=1 lanes=1\nrepeat "
		      "1024\nld.global.cg.b32 [lines + loop0*4608]\nend\n";
	static const char stores[] =
		LINES "launch a\nrole r sms=0:1\nrepeat 1024\n"
		      "st.global.b32 [lines + lane*4 + loop0*4608]\nend\n";
	static const char words_of_one[] =
		LINES "launch a\nrole r sms=0:1\nrepeat 1024\n"
		      "red.global.add.u32 [lines + loop0*4608]\nend\n";

	cr_expect_float_eq(count(L2_READS, loads), 1.5 * 4096, 200);
	cr_expect_float_eq(count(L2_MISSES, loads), 1.5 * 4096, 200);
	/* near or far home, 1 or 1 + 2; and 2 or 2 + 2 */
	cr_expect_float_eq(count(L2_READS, words), 2 * 1024, 100);
	cr_expect_float_eq(count(L2_MISSES, words), 3 * 1024, 150);
	cr_expect_float_eq(
		count("lts__t_sectors_op_write.sum", stores), 1.5 * 4096, 200);
	cr_expect_float_eq(count("lts__t_sectors_op_red.sum", words_of_one),
		1.5 * 32 * 1024, 2000);
}

/* ---- translation ---- */

/* 64 entries' worth of pages, twice. */
static double pages(const char *name)
{
	return count(name,
		"buffer lines bytes=2147491840\n"
		"launch a\nrole r sms=0:1 threads=1 lanes=1\nrepeat 128\n"
		"ld.global.cg.b32 [lines + loop0*33554560 wrap 2147491840]\n"
		"end\n");
}

Test(second_level, a_second_tlb_holds_what_the_first_loses)
{
	cr_expect_eq(pages(TLB2_MISSES), 64);
	cr_expect_gt(pages(TLB_MISSES), 100);
	model_set("tlb2_entries=16");
	model_set("tlb2_ways=16");
	cr_expect_eq(pages(TLB2_MISSES), pages(TLB_MISSES));
}

/* ---- time ---- */

/* Lanes on one bank take a pass each: 2.2 cycles, less what they overlap. */
Test(second_level, bank_conflicts_cost_passes)
{
	static const char format[] =
		"buffer lines bytes=64KiB\n"
		"launch a\nrole r sms=0:1 threads=32\nrepeat 2\n"
		"ld.global.ca.b32 [lines + lane*%u]\nend\n"
		"repeat 16 time=each region=measure\n"
		"ld.global.ca.b32 [lines + lane*%u]\nend\n";
	static const struct {
		unsigned stride, ways;
	} rows[] = {{4, 1}, {8, 2}, {12, 1}, {16, 4}, {32, 8}, {48, 4},
		{64, 16}, {128, 32}};
	char text[512];
	double one = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double now;

		snprintf(text, sizeof(text), format, rows[i].stride,
			rows[i].stride);
		now = model_mean(0, text);
		if (!i)
			one = now;
		cr_expect_float_eq(now - one, 2.2 * (rows[i].ways - 1), 1.5,
			"stride %u: %g", rows[i].stride, now - one);
	}
}

/* What acquires keeps what follows waiting. */
Test(second_level, an_acquire_is_waited_for)
{
	static const char format[] =
		LINES "launch a\nrole r sms=0:1 threads=1 lanes=1\n"
		      "repeat 2 time=each region=measure\n"
		      "%s [lines + loop0*4608]\n"
		      "ld.global.cg.b32 [lines + 128 + loop0*4608]\nend\n";
	char text[512];
	double loose, tied;

	model_set("dram_refresh_interval_cycles=0");
	snprintf(text, sizeof(text), format, "ld.relaxed.gpu.global.b32");
	loose = model_mean(0, text);
	snprintf(text, sizeof(text), format, "ld.acquire.gpu.global.b32");
	tied = model_mean(0, text);
	cr_expect_gt(tied, 1.6 * loose, "%g, %g", tied, loose);
}

/* Zeros in compressible memory come faster; random data do not. */
Test(second_level, compressible_zeros_take_less_of_the_bus)
{
	static const char format[] =
		"buffer lines bytes=132MiB memory=%s%s\n"
		"launch a\nrole r sms=all threads=1024\n"
		"repeat 48 unroll=8 time=region region=measure\n"
		"ld.global.cg.v4.b32 [lines + lane*16 + warp*512 + "
		"block*16KiB + loop0*2112KiB]\nend\n";
	char text[512];
	double plain, zeros, random;

	snprintf(text, sizeof(text), format, "plain", "");
	plain = model_mean(0, text);
	snprintf(text, sizeof(text), format, "compressible", "");
	zeros = model_mean(0, text);
	snprintf(text, sizeof(text), format, "compressible",
		" fill=random seed=1");
	random = model_mean(0, text);
	cr_expect_lt(zeros, 0.85 * plain, "%g of %g", zeros, plain);
	cr_expect_eq(random, plain);
}

/* Two lines, 0 and 741, of one set of one way: each of the loads finds the half
   that its store left and sends for the other, while the other line takes the
   place. None of it is fetched twice. */
Test(second_level, lines_of_one_way_do_not_take_each_other_for_ever)
{
	model_set("l2_ways=1");
	model_set("l2_slices_used=2");
	model_set("l2_slices=2");
	model_set("l2_partitions=1");
	model_set("l2_bytes=64KiB");
	model_set("l2_fetch_bytes=32");
	cr_expect_eq(4, count(DRAM_READS,
				"buffer a bytes=128KiB\n"
				"launch go\n"
				"role r sms=0:1 threads=4 lanes=4\n"
				"ld.global.cg.b32 [a + 2048 + lane*4]\n"
				"ld.global.cg.b32 [a + 96896 + lane*4]\n"
				"delay 5000\n"
				"st.global.b64 [a + lane*8]\n"
				"delay 100\n"
				"ld.global.cg.v4.b32 [a + lane*16]\n"
				"st.global.b64 [a + 94848 + lane*8]\n"
				"delay 100\n"
				"ld.global.cg.v4.b32 [a + 94848 + lane*16]\n"));
}

/* Cycles of a load of each line of 64 KiB by SM 0, after one warp of SM `sm`
   has read them so. */
static double found(unsigned sm, const char *load)
{
	return model_cycles("h200-sxm",
		       "buffer hot bytes=64KiB\nflush\n"
		       "launch read\nrole r sms=%u:1 threads=32\n"
		       "repeat 128 unroll=4\n%s [hot + lane*16 + loop0*512]\n"
		       "end\nlaunch look\nrole r sms=0:1 threads=32 lanes=1\n"
		       "repeat 512 time=region region=m\n"
		       "ld.global.cg.b32 [hot + loop0*128]\nend\n",
		       sm, load) /
	       512;
}

/* Of lines at home on a side and copies between them one a set stays, which
   goes when another is looked for: an H200 finds 3 % of such lines near, half
   of them far and half in DRAM; of those that another side's SM has read half.
 */
Test(second_level, an_evict_first_line_takes_the_place_of_another)
{
	double normal = found(0, "ld.global.v4.b32");
	double first = found(0, "ld.global.lu.v4.b32");

	cr_expect_gt(first, normal + 150, "%g %g", first, normal);
}

/* A way that lost its line is free, be it not the last one. */
Test(second_level, an_evict_first_line_asks_full_sets_alone)
{
	struct cache c = {.first_ways = 1};
	cache_entry *entry, victim;

	cr_assert_eq(cache_init(&c, 1, 2, 0), 0);
	cache_insert(&c, 0, 1, CLASS_FIRST, 0, &victim);
	entry = cache_insert(&c, 0, 2, CLASS_NORMAL, 0, &victim);
	*entry = 0;
	cr_expect_eq(cache_ask(&c, 0), 0);
	cr_expect(cache_find(&c, 0, 1));
	cache_insert(&c, 0, 3, CLASS_NORMAL, 0, &victim);
	cr_expect_eq(ENTRY_LINE(cache_ask(&c, 0)), 1);
	cr_expect_not(cache_find(&c, 0, 1));
	cache_free(&c);
}
