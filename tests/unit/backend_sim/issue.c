/*
 * What an SM's own work takes: addresses, iterations, data on its way to the
 * registers; how L1 spreads strides over its sets; how long a line before an
 * atomic unit lets others wait. The figures are an H200's.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/program/launch.h"
#include "harness/program/address.h"
#include "tests/unit/model_fixture.h"
#include "harness/program/text/text.h"

#define HEAD    "nearfar-program 1\nname test\nseed 1\n"
#define MACHINE "h200-sxm"
#define REGION  "time=region region=measure\n"

/* The mean over the warps of the region's cycles, of a launch on SM 0. */
static double region_cycles(const char *buffer, unsigned warps,
	const char *before, const char *body)
{
	struct result r = {0};
	double sum = 0;
	size_t i;

	model_run(MACHINE, &r,
		HEAD "buffer data %s\nlaunch one\nrole all sms=0:1 "
		     "threads=%u\n%s%s",
		buffer, 32 * warps, before, body);
	cr_assert_eq(r.sample_count, warps);
	for (i = 0; i < r.sample_count; i++)
		sum += r.samples[i].cycles;
	result_free(&r);
	return sum / warps;
}

/* ---- passes through L1 ---- */

/* Of a warp load in a loop of 32 warps whose lanes all load the same. */
static double alike(const char *type)
{
	char body[2][256];
	unsigned i;

	for (i = 0; i < 2; i++)
		snprintf(body[i], sizeof(body[i]),
			"repeat %u " REGION "repeat 8 unroll=8\n"
			"ld.global.ca.%s [data]\nend\nend\n",
			16 << i, type);
	return (region_cycles("bytes=4KiB", 32, "", body[1]) -
		       region_cycles("bytes=4KiB", 32, "", body[0])) /
	       (16 * 8 * 32);
}

/* An H200: 2.1 and 4.2 cycles, as if they lay side by side. */
Test(issue, lanes_that_load_the_same_get_it_one_line_a_pass)
{
	double two = alike("b64"), four = alike("v4.b32");

	cr_expect_float_eq(two, 2.14, 0.1, "%g", two);
	cr_expect_float_eq(four, 4.28, 0.1, "%g", four);
}

/* ---- L1's sets ---- */

/* Cycles of a load in a chase round `lines` lines, a slot apart. */
static double chase(unsigned lines, unsigned slot_bytes)
{
	char buffer[96], before[96], body[128];

	snprintf(buffer, sizeof(buffer),
		"bytes=%u fill=ring slot=%u order=shuffle seed=1",
		lines * slot_bytes, slot_bytes);
	snprintf(before, sizeof(before),
		"repeat %u\nld.global.ca.b64 [data chase]\nend\n", 3 * lines);
	snprintf(body, sizeof(body),
		"repeat 4096 " REGION "ld.global.ca.b64 [data chase]\nend\n");
	return region_cycles(buffer, 1, before, body) / 4096;
}

/* All of 1920 lines but some, for a kernel's own. */
Test(issue, every_power_of_two_fills_all_of_l1)
{
	unsigned slot;

	for (slot = 128; slot <= 64 << 10; slot *= 2) {
		cr_expect_lt(
			chase(1916, slot), chase(64, slot) + 2, "%u B", slot);
	}
}

/* The same of one lane, whose misses do not hide each other. */
static double lone_chase(unsigned lines, const char *order)
{
	struct result r = {0};
	double cycles;

	model_run(MACHINE, &r,
		HEAD "buffer data bytes=%u fill=ring slot=128 order=%s "
		     "seed=1\nlaunch one\nrole all sms=0:1 threads=1 lanes=1\n"
		     "repeat %u\nld.global.ca.b64 [data chase]\nend\n"
		     "repeat 4096 " REGION
		     "ld.global.ca.b64 [data chase]\nend\n",
		128 * lines, order, 3 * lines);
	cycles = r.samples[0].cycles / 4096;
	result_free(&r);
	return cycles;
}

/* Of 512 sets of four ways L1 fills 1920 places: another line costs its set's
   four, in whatever order they are read, and 2560 lines miss always. An H200
   misses 0, 7, 25, 67 and 100 % of these chases in shuffled order, and 78 % of
   the fourth in sequential order. */
Test(issue, a_line_beyond_those_of_l1_costs_four_misses)
{
	static const char *const orders[] = {"shuffle", "sequential"};
	double hit = lone_chase(64, "shuffle");
	double miss = lone_chase(4096, "shuffle") - hit;
	size_t i;

	cr_expect_float_eq(
		lone_chase(1952, "shuffle"), hit + 0.07 * miss, 0.02 * miss);
	for (i = 0; i < 2; i++) {
		cr_expect_float_eq(lone_chase(1920, orders[i]), hit, 1);
		cr_expect_float_eq(lone_chase(2048, orders[i]),
			hit + 0.25 * miss, 0.05 * miss);
		cr_expect_float_eq(lone_chase(2304, orders[i]),
			hit + 0.67 * miss, 0.05 * miss);
		cr_expect_float_eq(
			lone_chase(2560, orders[i]), hit + miss, 0.02 * miss);
	}
}

Test(issue, other_strides_lose_some_of_it)
{
	static const unsigned lines_apart[] = {3, 5, 12, 33};
	size_t i;

	for (i = 0; i < 4; i++) {
		unsigned slot = 128 * lines_apart[i];
		double all = chase(512, slot);

		cr_expect_lt(all, chase(64, slot) + 2, "%u B", slot);
		cr_expect_gt(chase(1792, slot), 1.5 * all, "%u B", slot);
	}
}

/* ---- slots and registers ---- */

/* 8 warps of an H200 that store 240 lines each are done with it 200 to 380
   cycles before an SM's port, at 31.8 B a cycle, is. */
Test(issue, stores_wait_where_they_leave_the_sm)
{
	static const char lines[] = "repeat 240 unroll=4 " REGION
				    "st.global.b32 [data + lane*4 + warp*128 "
				    "+ loop0*1024]\nend\n";
	double port = 240 * 8 * 128 / 31.8;
	double stored = region_cycles("bytes=1MiB", 8, "", lines), free;

	cr_expect_lt(stored, port - 150, "%g, %g", stored, port);
	cr_expect_gt(stored, port - 450, "%g, %g", stored, port);
	model_set("store_queue_cycles=65536");
	free = region_cycles("bytes=1MiB", 8, "", lines);
	cr_expect_lt(free, stored - 250, "%g, %g", free, stored);
}

/* A scheduler's registers take 36 B a cycle: one warp reads L1 at a quarter of
   what four do. */
Test(issue, warps_of_four_schedulers_read_l1_side_by_side)
{
	static const char body[] =
		"repeat 64 unroll=16\nld.global.ca.v4.b32 "
		"[data + lane*16 + loop0*512]\nend\n"
		"repeat 512 unroll=16 " REGION
		"ld.global.ca.v4.b32 [data + lane*16 + loop0*512]\nend\n";
	double alone = region_cycles("bytes=32KiB", 1, "", body);
	double four = region_cycles("bytes=32KiB", 4, "", body);

	cr_expect_gt(alone / 512, 14, "%g", alone / 512);
	cr_expect_lt(four, 1.4 * alone, "%g, %g", four, alone);
}

/* Hits of 32 lines, four in an iteration: one warp takes 83 cycles for each,
   for its scheduler's registers take a line in two cycles; eight warps take 270
   for one each, a line in one cycle of L1. */
Test(issue, passes_of_a_hit_take_the_way_to_the_registers)
{
	static const char body[] =
		"repeat 4\nld.global.ca.b32 [data + lane*128]"
		"\nend\nrepeat 64 unroll=4 " REGION
		"ld.global.ca.b32 [data + lane*128]\nend\n";
	double alone = region_cycles("bytes=4KiB", 1, "", body) / 64;
	double eight = region_cycles("bytes=4KiB", 8, "", body) / 64;

	cr_expect_gt(alone, 75, "%g", alone);
	cr_expect_lt(alone, 91, "%g", alone);
	cr_expect_gt(eight, 215, "%g", eight);
	cr_expect_lt(eight, 285, "%g", eight);
}

/* ---- a line before an atomic unit ---- */

/* Cycles of an atomic, or a load, on SM 0 beside SMs that reduce. */
static double beside_flood(unsigned sms, const char *victim, const char *flood)
{
	struct result r = {0};
	double cycles;

	model_run(MACHINE, &r,
		HEAD "buffer data bytes=2MiB\nlaunch one\n"
		     "role victim sms=0:1 threads=32 lanes=1\n"
		     "repeat 16\n%s\nend\nrepeat 16 " REGION "%s\nend\n"
		     "role flood sms=1:%u threads=1024 background\n"
		     "repeat 16\n%s\nend\n",
		victim, victim, sms, flood);
	cr_assert_eq(r.sample_count, 1);
	cycles = r.samples[0].cycles / 16;
	result_free(&r);
	return cycles;
}

#define ATOM "atom.global.add.u32 [data]"
#define LOAD "ld.global.cg.b32 [data + 512]" /* of the same slice */

Test(issue, beside_a_flood_others_wait_so_long_and_no_longer)
{
	static const char word[] = "red.global.add.u32 [data]";
	static const char own[] =
		"red.global.add.u32 "
		"[data + 4096 + lane*4 + warp*128 + block*4KiB]";

	cr_expect_float_eq(beside_flood(131, ATOM, word), 7460, 300);
	cr_expect_float_eq(beside_flood(64, ATOM, word), 7430, 300);
	cr_expect_float_eq(beside_flood(16, ATOM, word), 3550, 700);
	cr_expect_float_eq(beside_flood(131, LOAD, word), 7400, 300);
	cr_expect_lt(beside_flood(64, ATOM, own), 600);
}

/* ---- the kernel's own shared memory ---- */

Test(issue, a_kernel_says_how_much_shared_memory_it_takes_itself)
{
	struct error error = {""};
	struct program p;

	cr_assert_eq(
		0, program_parse(HEAD "buffer data bytes=1MiB\nlaunch one\n"
				      "role a sms=0:1 threads=64\n"
				      "repeat 100 time=each region=x\n"
				      "ld.global.b32 [data]\nend\n"
				      "role b sms=1:1 threads=256\n"
				      "repeat 8\nld.global.b32 [data]\nend\n",
			   "test", &p, &error));
	cr_expect_eq(launch_threads(&p, &p.steps[0]), 256);
	cr_expect_eq(launch_static_bytes(&p, &p.steps[0]),
		LAUNCH_CLAIM_BYTES + 8 * 256 + 4 * 100 * 2);
}

/* Of 8 KiB five blocks of a warp have their share, and not six. */
Test(issue, shared_memory_comes_in_units)
{
	cr_expect_eq(launch_block_shared(0, 1024), 1024);
	cr_expect_eq(launch_block_shared(272, 1024), 1408);
	cr_expect_eq(launch_block_shared(384, 1024), 1408);
	cr_expect_eq(launch_block_shared(385, 1024), 1536);
}

/* Many warps that load once or twice at drawn addresses: their first and last
   instructions and draws take an H200's two blocks of 32 warps 2,290 cycles. */
Test(issue, what_a_kernel_issues_beside_the_program_takes_slots)
{
	struct result r = {0};

	model_run("h200-sxm", &r,
		HEAD "buffer data bytes=8MiB\nlaunch warm\n"
		     "role warm sms=all threads=1024\nrepeat 4\n"
		     "ld.global.cg.v4.b32 [data + lane*16 + warp*512 + "
		     "block*16KiB + loop0*2162688 wrap 8MiB]\nend\n"
		     "launch one\nrole all blocks=264 threads=1024\n"
		     "repeat 2 unroll=2 " REGION
		     "ld.global.cg.b32 [data random slot=64 per=warp]\nend\n");
	cr_expect_float_eq(
		r.spans[0].cycles, 2290, 600, "%g", r.spans[0].cycles);
	result_free(&r);
}
