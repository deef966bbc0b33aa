/*
 * Stores and reductions of one SM: which of them travel, what their loops take,
 * and how the fences behind them wait for each other. The figures are an
 * H200's.
 */
#include <criterion/criterion.h>

#include "tests/unit/model_fixture.h"

#define MACHINE "h200-sxm"
#define HEAD    "nearfar-program 1\nname test\nseed 1\nbuffer data bytes=1MiB\n"
#define REGION  "time=region region=measure\n"

static struct result run(unsigned blocks, unsigned warps, unsigned lanes,
	unsigned count, const char *body)
{
	struct result r = {0};

	model_run(MACHINE, &r,
		HEAD "launch one\nrole all sms=0:1 per_sm=%u threads=%u "
		     "lanes=%u\nrepeat %u " REGION "%s\nend\n",
		blocks, 32 * warps, lanes, count, body);
	return r;
}

static double sectors_of(unsigned warps, unsigned count, const char *body)
{
	struct result r = run(1, warps, 32, count, body);
	double sectors = model_counter(&r, "lts__t_sectors_op_write.sum");

	result_free(&r);
	return sectors;
}

/* In 64 iterations, of which none is the first. */
static double sectors_written(unsigned warps, const char *body)
{
	return sectors_of(warps, 128, body) - sectors_of(warps, 64, body);
}

static double span(unsigned blocks, unsigned warps, unsigned lanes,
	unsigned count, const char *body)
{
	struct result r = run(blocks, warps, lanes, count, body);
	double cycles = r.spans[0].cycles;

	result_free(&r);
	return cycles;
}

/* Of one slice, with 16 sets, which may be all dirty. */
static void make_l2_small(void)
{
	model_set("l2_partitions=1");
	model_set("l2_slices_used=1");
	model_set("l2_slices=1");
	model_set("l2_bytes=64KiB");
	model_set("l2_ways=32");
	model_set("l2_dirty_ways=32");
}

#define LINE  "[data + lane*4 + warp*128 + block*4096]"
#define OTHER "[data + lane*4 + warp*128 + block*4096 + 64KiB]"
#define STORE "st.global.b32 " LINE "\n"

#define V4     "st.global.v4.b32 [data + lane*16 + warp*512]\n"
#define SHARED "st.global.b32 [data + lane*4]\n"

/* An SM's last 28 lines can be joined, by any warp, in any iteration; few warps
   come too late for it. */
Test(stores, the_same_bytes_travel_once)
{
	double once = sectors_written(28, STORE);

	cr_expect_lt(once, 0.05 * 28 * 64 * 4);
	cr_expect_leq(sectors_written(30, SHARED), 0.5 * once);
	cr_expect_gt(sectors_written(16, STORE "st.global.b32 " OTHER "\n"),
		10 * once);
}

/* Not after a pause, nor behind another access, nor with other sectors, nor
   with other bytes of another warp. */
Test(stores, what_is_apart_travels_each_time)
{
	double once = sectors_written(16, STORE STORE "delay 100");

	cr_expect_eq(once, 16 * 64 * 4);
	cr_expect_eq(sectors_written(16, STORE "ld.global.cg.b32 " OTHER
					       "\n" STORE "delay 100"),
		2 * once);
	cr_expect_eq(sectors_written(4,
			     "st.global.b8 [data + lane*1 + warp*128]\n"
			     "st.global.b8 [data + lane*1 + warp*128 + 32]"
			     "\ndelay 100"),
		4 * 64 * 2);
	cr_expect_eq(
		sectors_written(
			2, "st.global.b32 [data + lane*8 + warp*4]\ndelay 100"),
		2 * 64 * 8);
}

#define HALVES                                                                 \
	"st.global.b64 [data + lane*16 + warp*512]\n"                          \
	"st.global.b64 [data + lane*16 + warp*512 + 8]\n"

/* An H200: 16 warps that store halves of sectors, one after the other, take as
   long as with whole ones. */
Test(stores, parts_of_sectors_by_one_warp_travel_together)
{
	double sent = sectors_written(8, HALVES "delay 1000");

	cr_expect_eq(sent, 8 * 64 * 16, "%g", sent);
}

/* They leave no part of a sector that DRAM would have to add to: neither do 64
   iterations more than 32. */
Test(stores, parts_that_travel_together_are_whole)
{
	static const char halves[] =
		"st.global.b64 [data + lane*16 + warp*512 + loop0*8192]\n"
		"st.global.b64 [data + lane*16 + warp*512 + loop0*8192 + 8]";
	struct result few, many;

	make_l2_small();
	few = run(1, 16, 32, 32, halves);
	many = run(1, 16, 32, 64, halves);
	cr_expect_gt(model_counter(&many, "dram__sectors_write.sum"),
		1000 + model_counter(&few, "dram__sectors_write.sum"));
	cr_expect_eq(model_counter(&many, "dram__sectors_read.sum"),
		model_counter(&few, "dram__sectors_read.sum"));
	result_free(&few);
	result_free(&many);
}

/* As many lines as fit for each scheduler: 7 of 28. */
Test(stores, of_a_store_with_many_lines_none_pairs)
{
#define SEVEN "st.global.b32 [data + lane*28 + warp*8192"
#define EIGHT "st.global.b32 [data + lane*32 + warp*8192"
	double seven = sectors_written(8, SEVEN "]\ndelay 2000");
	double eight = sectors_written(8, EIGHT "]\ndelay 2000"), two;

	cr_expect_eq(
		sectors_written(8, SEVEN "]\n" SEVEN "]\ndelay 2000"), seven);
	two = sectors_written(8, EIGHT "]\n" EIGHT " + 4]\ndelay 2000");
	cr_expect_gt(two, 1.2 * eight, "%g, %g", eight, two);
}

/* An H200: four and eight in a row by 8 warps travel once, by 16 warps each
   second one does. */
Test(stores, all_in_a_row_of_few_warps_travel_together)
{
	static const char four[] = V4 V4 V4 V4;
	double few = sectors_written(8, four), many = sectors_written(16, four);

	cr_expect_lt(few, 1.3 * 8 * 64 * 16, "%g", few);
	cr_expect_gt(many, 1.9 * 16 * 64 * 16, "%g", many);
}

/* An H200 sends 28 of 28 lines once, and 30 of 30 each time. */
Test(stores, one_line_too_many_and_all_of_them_go)
{
	cr_expect_gt(sectors_written(30, STORE), 0.8 * 30 * 64 * 4);
}

/* Stores of 16 bytes a lane go out one in 17 cycles, which is no pause. */
Test(stores, those_that_wait_for_the_port_join)
{
	double sent = sectors_written(
		7, "st.global.v4.b32 [data + lane*16 + warp*512]");

	cr_expect_lt(sent, 0.3 * 7 * 64 * 16, "%g", sent);
}

static double sectors_apart(void)
{
	struct result r = run(1, 32, 32, 16,
		"repeat 8 unroll=8\n"
		"st.global.b32 [data + lane*64 + warp*512 + loop1*16KiB]\nend");
	double count = model_counter(&r, "lts__t_sectors_op_write.sum");

	result_free(&r);
	return count / (32 * 16 * 8 * 32);
}

/* 32 warps store to every second sector, each to 12 of the 16 lines of the one
   before it; the way out of the SM is far behind, and an H200 joins 2 of 100.
   Of those to the other side, a half, L2 counts two. */
Test(stores, none_joins_where_the_pipe_waits_for_the_port)
{
	double sent = sectors_apart();

	cr_expect_float_eq(sent, 1.5, 0.05, "%g", sent);
}

/* Of two in a row by each of 32 warps, which is too many lines, one goes on an
   H200; of the model's some that come late find one of their own. */
Test(stores, two_in_a_row_of_a_warp_go_together)
{
	double sent = sectors_written(32, STORE STORE);

	cr_expect_float_eq(sent, 32 * 64 * 4, 0.3 * sent, "%g", sent);
}

/* An H200: 5.65 to 5.96 cycles for 16 bytes a lane, 3.15 to 3.5 for 8; the
   model's take four lines' turns of the pipe alone. */
Test(stores, further_data_of_a_store_take_the_pipe)
{
	double once = span(1, 8, 32, 32, V4 V4 V4 V4);
	double twice = span(1, 8, 32, 96, V4 V4 V4 V4);

	cr_expect_float_eq((twice - once) / (64 * 4 * 8), 4.25, 0.1, "%g",
		(twice - once) / (64 * 4 * 8));
}

/* 10 cycles of a scheduler for a reduction and the end of its iteration. */
Test(stores, an_iteration_without_values_takes_fewer_slots)
{
	static const char red[] = "red.global.add.u32 [data + warp*128]";
	static const char load[] = "ld.global.ca.b32 [data + warp*128]";
	double slots =
		(span(1, 32, 1, 96, red) - span(1, 32, 1, 32, red)) / (64 * 8);
	double loads = (span(1, 32, 1, 96, load) - span(1, 32, 1, 32, load)) /
		       (64 * 8);

	cr_expect_float_eq(slots, 10, 1.1, "%g", slots);
	cr_expect_gt(loads, slots + 2.5, "%g", loads);
}

/* 8 bytes a lane are two lines, each as long as a line of 4 bytes a lane. */
Test(stores, operands_of_8_bytes_take_the_port_twice_as_long)
{
	double narrow = span(
		1, 8, 32, 64, "red.global.add.u32 [data + lane*4 + warp*128]");
	double wide = span(
		1, 8, 32, 64, "red.global.add.u64 [data + lane*8 + warp*256]");

	cr_expect_gt(wide, 1.7 * narrow, "%g, %g", wide, narrow);
}

/* Those that begin together end together; eight blocks do not. */
Test(stores, fences_of_many_blocks_wait_for_each_other)
{
	double one = span(1, 1, 32, 1, STORE), four = span(4, 1, 32, 1, STORE);
	double eight = span(8, 1, 32, 1, STORE);

	cr_expect_lt(four, one + 60, "%g, %g", one, four);
	cr_expect_gt(eight, four + 250, "%g, %g", four, eight);
}

/* Blocks that start one by one, each behind the launch of the one before. */
static double free_span(unsigned blocks, unsigned warps)
{
	struct result r = {0};
	double cycles;

	model_run(MACHINE, &r,
		HEAD "launch one start=free\nrole all sms=0:1 per_sm=%u "
		     "threads=%u\nrepeat 1 " REGION STORE "end\n",
		blocks, 32 * warps);
	cycles = r.spans[0].cycles;
	result_free(&r);
	return cycles;
}

/* One that begins long after the first does not join it. */
Test(stores, a_fence_joins_one_that_has_just_begun)
{
	double one = free_span(1, 1), two = free_span(2, 1);
	double large = free_span(1, 16), further = free_span(2, 16);

	cr_expect_lt(two, one + 100, "%g, %g", one, two);
	cr_expect_gt(further, large + 200, "%g, %g", large, further);
}

/* Five blocks an SM at a time: cycles for the grid, beside a role or not. */
static double grid_span(unsigned blocks, const char *beside)
{
	struct result r = {0};
	double cycles;

	model_run(MACHINE, &r,
		HEAD "launch one\nrole all blocks=%u threads=32 lanes=1 "
		     "shared=40KiB\nrepeat 1 " REGION
		     "st.global.b32 [data + block*128 wrap 1MiB]\nend\n"
		     "delay 10\n%s",
		blocks, beside);
	cycles = r.spans[0].cycles;
	result_free(&r);
	return cycles;
}

/* Of blocks that follow each other only the last ones wait for each other's
   fences; where another role is beside them, all do. */
Test(stores, a_grid_fences_at_its_end)
{
	static const char role[] = "role b sms=0:1 threads=32\ndelay 10\n";
	double waves = 15;
	double alone = grid_span(16 * 660, "") - grid_span(660, "");
	double beside = grid_span(16 * 660, role) - grid_span(660, role);

	cr_expect_lt(alone / waves, 1350, "%g", alone / waves);
	cr_expect_gt(beside, alone + 200 * waves, "%g, %g", beside, alone);
}

/* A word of each of `lines` lines; then the region loads the first one. */
static struct result in_part(unsigned lines)
{
	struct result r = {0};

	model_run(MACHINE, &r,
		HEAD "launch one\nrole all sms=0:1 threads=32 lanes=1\n"
		     "repeat %u\nst.global.b32 [data + loop0*128]\nend\n"
		     "delay 9000\nrepeat 1 time=each region=measure\n"
		     "ld.global.cg.b32 [data]\nend\n",
		lines);
	return r;
}

/* What 128 lines count and 64 do not. */
static double further(
	const struct result *many, const struct result *few, const char *name)
{
	return model_counter(many, name) - model_counter(few, name);
}

/* Of an L2 of 16 sets two lines of each stay in part; of more the first are
   read and written. */
Test(stores, few_lines_of_a_set_stay_in_part)
{
	struct result one, few, many;

	make_l2_small();
	one = in_part(1);
	few = in_part(64);
	many = in_part(128);
	cr_expect_gt(one.samples[0].cycles, many.samples[0].cycles + 100);
	cr_expect_eq(model_counter(&one, "dram__sectors_write.sum"), 0);
	cr_expect_gt(model_counter(&few, "dram__sectors_write.sum"), 0);
	cr_expect_eq(further(&many, &few, "dram__sectors_write.sum"), 64);
	cr_expect_eq(further(&many, &few, "dram__sectors_read.sum"), 64);
	cr_expect_eq(further(&many, &few, "lts__t_sectors_op_write.sum"), 128);
	result_free(&one);
	result_free(&few);
	result_free(&many);
}

static double written_back(unsigned lines, const char *then)
{
	struct result r = {0};
	double sectors;

	model_run(MACHINE, &r,
		HEAD "launch one\nrole all sms=0:1 threads=32 lanes=1\n"
		     "repeat %u\nst.global.v4.b32 [data + loop0*128]\n"
		     "%s\nend\ndelay 9000\n"
		     "repeat 1 time=each region=measure\n"
		     "ld.global.cg.b32 [data]\nend\n",
		lines, then);
	sectors = model_counter(&r, "dram__sectors_write.sum");
	result_free(&r);
	return sectors;
}

/* Two halves of a sector are a whole one, which may stay. */
Test(stores, a_second_part_completes_a_sector)
{
	static const char rest[] = "st.global.v4.b32 [data + loop0*128 + 16]";

	make_l2_small();
	cr_expect_eq(
		written_back(128, "delay 1") - written_back(64, "delay 1"), 64);
	cr_expect_eq(written_back(128, rest), 0);
}
