/*
 * The first level of the model: L1 and texture caches as Kepler had them, on
 * gk110, and L1's eviction priorities, on the default machine.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/machine/machine.h"
#include "harness/program/legality/legality.h"
#include "tests/unit/model_fixture.h"
#include "tests/support/program_random.h"
#include "harness/program/text/text.h"

TestSuite(first_level, .timeout = 120);

#define HEAD      "nearfar-program 1\nname test\nseed 1\n"
#define L2_READS  "lts__t_sectors_op_read.sum"
#define L1_FILLS  "l1tex__m_xbar2l1tex_read_sectors.sum"
#define L1_HITS   "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
#define TEXTURE   "nearfar__texture_sectors.sum"
#define TEX_HITS  "nearfar__texture_sectors_hit.sum"
#define REPLAYS   "nearfar__replays.sum"
#define KEPLER    "gk110"
#define HOPPER    "h200-sxm"
#define LINE_SIZE 128

/* A counter after `body` has run on SM 0. */
static double count(const char *machine, const char *name, unsigned threads,
	unsigned blocks, const char *body)
{
	struct result r = {0};
	double value;

	model_run_added(machine, &r,
		HEAD "buffer data bytes=8MiB\nlaunch one\n"
		     "role first sms=0:1 threads=%u per_sm=%u\n%s",
		threads, blocks, body);
	value = model_counter(&r, name);
	result_free(&r);
	return value;
}

/* ---- promotion ---- */

/* Sectors read from L2 for a word of each of 256 lines. */
static double sectors_for_words(const char *machine, const char *load)
{
	char body[160];

	snprintf(body, sizeof(body),
		"repeat 8\n%s [data + lane*128 + loop0*4KiB]\nend\n", load);
	return count(machine, L2_READS, 32, 1, body);
}

Test(first_level, a_cached_miss_is_promoted_to_its_line)
{
	model_set("l2_partitions=1");
	cr_expect_eq(sectors_for_words(KEPLER, "ld.global.b32"), 4 * 256);
	cr_expect_eq(sectors_for_words(KEPLER, "ld.global.ca.b32"), 4 * 256);
	cr_expect_eq(sectors_for_words(HOPPER, "ld.global.ca.b32"), 256);
}

Test(first_level, an_uncached_miss_fetches_its_sectors)
{
	cr_expect_eq(sectors_for_words(KEPLER, "ld.global.cg.b32"), 256);
	cr_expect_eq(sectors_for_words(KEPLER, "ld.global.cv.b32"), 256);
}

Test(first_level, a_texture_cache_fetches_its_sectors)
{
	model_set("l2_partitions=1");
	cr_expect_eq(sectors_for_words(KEPLER, "ld.global.nc.b32"), 256);
	cr_expect_eq(sectors_for_words(HOPPER, "ld.global.nc.b32"), 256);
}

/* Another word of a promoted line is there; of a texture line it is not. */
Test(first_level, the_rest_of_a_promoted_line_hits)
{
	static const char body[] = "repeat 4\n%s [data + loop0*32]\nend\n";
	char text[160];

	snprintf(text, sizeof(text), body, "ld.global.ca.b32");
	cr_expect_eq(count(KEPLER, L1_HITS, 32, 1, text), 3);
	cr_expect_eq(count(HOPPER, L1_HITS, 32, 1, text), 0);
	snprintf(text, sizeof(text), body, "ld.global.nc.b32");
	cr_expect_eq(count(KEPLER, TEX_HITS, 32, 1, text), 0);
}

/* ---- four texture caches ---- */

/* Every warp reads the same 4 KiB. */
static const char same_data[] =
	"repeat 8\nld.global.%s.v4.b32 [data + lane*16 + loop0*512]\nend\n";

static double sectors_for_warps(
	const char *load, unsigned warps, unsigned blocks)
{
	char body[160];

	snprintf(body, sizeof(body), same_data, load);
	return count(KEPLER, L2_READS, 32 * warps, blocks, body);
}

Test(first_level, the_same_data_comes_to_each_texture_cache)
{
	cr_expect_eq(sectors_for_warps("nc", 1, 1), 128);
	cr_expect_eq(sectors_for_warps("nc", 2, 1), 2 * 128);
	cr_expect_eq(sectors_for_warps("nc", 4, 1), 4 * 128);
	cr_expect_eq(sectors_for_warps("nc", 16, 1), 4 * 128);
	cr_expect_eq(sectors_for_warps("nc", 1, 4), 4 * 128); /* 4 blocks */
	cr_expect_eq(sectors_for_warps("ca", 16, 1), 128);
}

Test(first_level, l1_and_texture_do_not_serve_each_other)
{
	static const char body[] =
		"repeat 1\nld.global.ca.b32 [data + lane*4]\nend\n"
		"repeat 1\nld.global.nc.b32 [data + lane*4]\nend\n"
		"repeat 1\nld.global.ca.b32 [data + lane*4]\nend\n";

	cr_expect_eq(count(KEPLER, L2_READS, 32, 1, body), 2 * 4);
	cr_expect_eq(count(KEPLER, L1_HITS, 32, 1, body), 4);
	cr_expect_eq(count(KEPLER, TEX_HITS, 32, 1, body), 0);
	cr_expect_eq(count(HOPPER, L2_READS, 32, 1, body), 4);
}

/* Each of four warps reads `bytes`, `apart` from the last one's, twice. */
static double hits_in_two_passes(unsigned bytes, unsigned apart)
{
	char body[200];

	snprintf(body, sizeof(body),
		"repeat 2\nrepeat %u\nld.global.nc.v4.b32 [data + lane*16 + "
		"warp*%u + loop1*512]\nend\nend\n",
		bytes / 512, apart);
	return count(KEPLER, TEX_HITS, 128, 1, body) /
	       count(KEPLER, TEXTURE, 128, 1, body);
}

Test(first_level, different_addresses_use_all_texture_caches)
{
	cr_expect_eq(hits_in_two_passes(12 << 10, 12 << 10), 0.5);
	cr_expect_eq(hits_in_two_passes(48 << 10, 0), 0);
}

/* ---- stores ---- */

static const char load_store_load[] =
	"repeat 1\nld.global.%s.b32 [data + lane*4]\nend\n"
	"st.global.b32 [data + lane*4]\n"
	"repeat 1\nld.global.%s.b32 [data + lane*4]\nend\n";

static double hits_after_store(
	const char *machine, const char *load, const char *name)
{
	char body[200];

	snprintf(body, sizeof(body), load_store_load, load, load);
	return count(machine, name, 32, 1, body);
}

Test(first_level, a_texture_cache_does_not_see_a_store)
{
	cr_expect_eq(hits_after_store(KEPLER, "nc", TEX_HITS), 4);
}

Test(first_level, a_store_evicts_its_line_from_the_older_l1)
{
	cr_expect_eq(hits_after_store(KEPLER, "ca", L1_HITS), 0);
	cr_expect_eq(hits_after_store(HOPPER, "ca", L1_HITS), 4);
}

/* Measured on an H200: a store leaves its bytes; not so on older machines. */
Test(first_level, a_store_leaves_its_bytes)
{
	static const char body[] = "st.global.b32 [data + lane*4]\n"
				   "delay 2000\n"
				   "repeat 1\nld.global.ca.b32 "
				   "[data + lane*4]\nend\n";

	cr_expect_eq(count(KEPLER, L1_HITS, 32, 1, body), 0);
	cr_expect_eq(count(HOPPER, L1_HITS, 32, 1, body), 4);
}

/* The words that a store left are there, the sector's others are not. */
Test(first_level, a_store_leaves_words)
{
	static const char one[] = "@lane0 st.global.b32 [data]\n"
				  "delay 2000\nrepeat 1\n"
				  "@lane0 ld.global.ca.b32 [data]\nend\n";
	static const char other[] = "@lane0 st.global.b32 [data]\n"
				    "delay 2000\nrepeat 1\n"
				    "@lane0 ld.global.ca.b32 [data + 4]\n"
				    "end\n";

	cr_expect_eq(count(HOPPER, L1_HITS, 32, 1, one), 1);
	cr_expect_eq(count(HOPPER, L1_HITS, 32, 1, other), 0);
}

/* What goes past L1, or acquires, takes lines out of it. */
Test(first_level, bypasses_and_acquires_drop_lines)
{
	static const struct {
		const char *between;
		double hits;
	} rows[] = {
		{"", 4},
		{"ld.global.cg.b32 [data + lane*4]", 0},
		{"ld.global.cg.nc.b32 [data + lane*4]", 8},
		{"ld.relaxed.gpu.global.b32 [data + lane*4]", 0},
		{"ld.relaxed.cta.global.b32 [data + lane*4]", 8},
		{"atom.global.add.u32 [data + lane*4]", 0},
		{"@lane0 discard.global.L2 [data], 128", 0},
		{"prefetch.global.L1 [data]", 4},
		{"fence.acq_rel.gpu", 0},
		{"fence.acq_rel.cta", 4},
		{"fence.release.gpu", 4},
	};
	char body[512];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(body, sizeof(body),
			"ld.global.ca.b32 [data + lane*4]\ndelay 2000\n%s\n"
			"delay 2000\nrepeat 1\n"
			"ld.global.ca.b32 [data + lane*4]\nend\n",
			rows[i].between);
		cr_expect_eq(count(HOPPER, L1_HITS, 32, 1, body), rows[i].hits,
			"%s: %g", rows[i].between,
			count(HOPPER, L1_HITS, 32, 1, body));
	}
}

/* ---- replays ---- */

static double replays(const char *machine, const char *instruction)
{
	char body[160];

	snprintf(body, sizeof(body),
		"repeat 2\n%s [data + lane*128]\nend\n"
		"%s [data + lane*4]\n",
		instruction, instruction);
	return count(machine, REPLAYS, 32, 1, body);
}

/* Misses and hits alike: the first pass misses. */
Test(first_level, each_further_line_is_replayed)
{
	cr_expect_eq(replays(KEPLER, "ld.global.ca.b32"), 2 * 31);
	cr_expect_eq(replays(KEPLER, "ld.global.cg.b32"), 2 * 31);
	cr_expect_eq(replays(KEPLER, "st.global.b32"), 2 * 31);
	cr_expect_eq(replays(KEPLER, "ld.global.nc.b32"), 0);
	cr_expect_eq(replays(HOPPER, "ld.global.ca.b32"), 0);
}

/*
 * Full warps load words of 32 lines each; a last warp has one lane, so none
 * of its loads is replayed. Its cycles, with a scheduler for itself or, after
 * four full warps, with that of one of them.
 */
static double beside_loads(
	const char *machine, const char *body, const char *load, unsigned full)
{
	struct result r = {0};
	char text[256];
	double cycles;

	snprintf(text, sizeof(text), body, load);
	model_run(machine, &r,
		HEAD "buffer data bytes=1MiB\nlaunch one\n"
		     "role all sms=0:1 threads=%u shared=1KiB\n%s",
		32 * full + 1, text);
	cr_assert_eq(r.sample_count, full + 1);
	cycles = r.samples[full].cycles;
	result_free(&r);
	return cycles;
}

#define ALONE 3
#define WITH  4

/* The pipes are made too fast to be what the last warp waits for. */
static void speed_pipes_up(void)
{
	model_set("lsu_cycles=0.0625");
	model_set("l1_line_cycles=0.0625");
	model_set("texture_line_cycles=0.0625");
}

#define REGION "repeat 1 time=region region=measure\n"

/* The lines are there before the loads are timed. */
static const char loads_only[] =
	"repeat 1\n%1$s [data + lane*128]\nend\n" REGION
	"repeat 64 unroll=64\n%1$s [data + lane*128]\nend\nend\n";
Test(first_level, replays_take_the_slots_of_their_scheduler)
{
	static const char cached[] = "ld.global.ca.b32";
	static const char texture[] = "ld.global.nc.b32";
	double alone, with;

	speed_pipes_up();
	alone = beside_loads(KEPLER, loads_only, cached, ALONE);
	with = beside_loads(KEPLER, loads_only, cached, WITH);
	cr_expect_gt(with, 4 * alone, "%g, %g", with, alone);
	alone = beside_loads(KEPLER, loads_only, texture, ALONE);
	with = beside_loads(KEPLER, loads_only, texture, WITH);
	cr_expect_lt(with, 1.5 * alone, "%g, %g", with, alone);
}

/* Counting a loop is arithmetic, which waits for slots too: an empty loop
   after a store that three warps of the scheduler replay, or none. */
Test(first_level, replays_cost_arithmetic_its_slots)
{
	static const char body[] =
		"%s [data + lane*128]\n" REGION "repeat 8\ndelay 1\nend\nend\n";
	static const char store[] = "st.global.b32";
	double alone, with;

	speed_pipes_up();
	model_set("delay_cycles=0");
	model_set("delay_warp_cycles=0");
	model_set("launch_stagger_cycles=0"); /* all start at once */
	model_set("loop_issue_cycles=0");
	model_set("nest_issue_cycles=0");
	alone = beside_loads(KEPLER, body, store, ALONE);
	with = beside_loads(KEPLER, body, store, 3 * WITH);
	cr_expect_geq(with, alone + 20, "%g, %g", with, alone);
	cr_expect_eq(beside_loads(HOPPER, body, store, ALONE),
		beside_loads(HOPPER, body, store, 3 * WITH));
}

Test(first_level, without_replays_schedulers_do_not_matter)
{
	speed_pipes_up();
	model_set("l1_pass_cycles=0.0625");
	cr_expect_lt(beside_loads(HOPPER, loads_only, "ld.global.ca.b32", WITH),
		1.5 * beside_loads(
			      HOPPER, loads_only, "ld.global.ca.b32", ALONE));
}

Test(first_level, replays_take_the_load_store_pipe_from_shared_memory)
{
	static const char body[] =
		REGION "repeat 64 unroll=4\n%s [data + lane*128]\n"
		       "ld.shared.b32 [shared + lane*4]\nend\nend\n";
	double cached, texture;

	speed_pipes_up();
	model_set("lsu_cycles=1");
	cached = beside_loads(KEPLER, body, "ld.global.ca.b32", ALONE);
	texture = beside_loads(KEPLER, body, "ld.global.nc.b32", ALONE);
	cr_expect_gt(cached, 1.2 * texture, "%g, %g", cached, texture);
}

/* ---- the way to L2 ---- */

/* Cycles of reading 256 KiB each by loads past L1, by texture, or both. */
static double cycles_of(unsigned global, unsigned texture)
{
	struct result r = {0};
	double cycles;

	model_run(KEPLER, &r,
		HEAD "buffer data bytes=1MiB\n"
		     "launch warm\nrole all sms=0:1 threads=512\nrepeat 64\n"
		     "ld.global.cg.v4.b32 [data + lane*16 + warp*512 + "
		     "loop0*8KiB]\nend\n"
		     "launch one\nrole first sms=0:1 threads=512\n"
		     "repeat 1 time=region region=measure\n"
		     "repeat %u unroll=8\nld.global.cg.v4.b32 [data + lane*16 "
		     "+ warp*512 + loop1*8KiB]\nend\n"
		     "repeat %u unroll=8\nld.global.nc.v4.b32 [data + 256KiB + "
		     "lane*16 + warp*512 + loop1*8KiB]\nend\nend\n",
		global, texture);
	cycles = r.spans[0].cycles;
	result_free(&r);
	return cycles;
}

/* The reply port of the SM, 64 B a cycle, is what both wait for. */
Test(first_level, l1_and_texture_share_the_way_to_l2)
{
	double bytes = 256 << 10;

	cr_expect_geq(cycles_of(32, 8), bytes * 1.25 / 64);
	cr_expect_geq(cycles_of(8, 32), bytes * 1.25 / 64);
	cr_expect_geq(cycles_of(32, 32), bytes * 2 / 64);
	cr_expect_lt(cycles_of(32, 32), bytes * 2.5 / 64);
}

/* ---- latency ---- */

static double chase(const char *machine, const char *spelling, unsigned bytes,
	unsigned shared)
{
	struct result r = {0};
	double cycles;

	model_run(machine, &r,
		HEAD "buffer ring bytes=%u fill=ring slot=128 order=shuffle "
		     "seed=1\n"
		     "launch chase\nrole chase sms=0:1 lanes=1 shared=%u\n"
		     "repeat %u\n%s [ring chase]\nend\n"
		     "repeat 1 time=region region=measure\n"
		     "repeat 512 unroll=16\n%s [ring chase]\nend\nend\n",
		bytes, shared, bytes / LINE_SIZE * 2, spelling, spelling);
	cycles = r.samples[0].cycles / 512;
	result_free(&r);
	return cycles;
}

Test(first_level, a_texture_hit_is_slower_than_an_l1_hit)
{
	double l1 = chase(KEPLER, "ld.global.ca.b64", 8 << 10, 0);
	double texture = chase(KEPLER, "ld.global.nc.b64", 8 << 10, 0);
	double l2 = chase(KEPLER, "ld.global.cg.b64", 8 << 10, 0);

	cr_expect_float_eq(l1, 35, 2, "%g", l1);
	cr_expect_gt(texture, 2 * l1, "%g", texture);
	cr_expect_gt(l2, texture, "%g", l2);
	cr_expect_gt(chase(KEPLER, "ld.global.nc.b64", 16 << 10, 0), l2 + 20);
}

/* ---- shared memory takes from L1 ---- */

Test(first_level, shared_memory_leaves_l1_what_it_does_not_use)
{
	static const char load[] = "ld.global.ca.b64";

	/* the kernel's own, and on Hopper the driver's, count as well */
	cr_expect_lt(chase(KEPLER, load, 40 << 10, 15 << 10), 60);
	cr_expect_gt(chase(KEPLER, load, 40 << 10, 16 << 10), 60);
	cr_expect_lt(chase(KEPLER, load, 24 << 10, 31 << 10), 60);
	cr_expect_gt(chase(KEPLER, load, 24 << 10, 32 << 10), 60);
	cr_expect_lt(chase(KEPLER, load, 12 << 10, 47 << 10), 60);
	cr_expect_lt(chase(HOPPER, load, 200 << 10, 14 << 10), 60);
	cr_expect_gt(chase(HOPPER, load, 200 << 10, 63 << 10), 60);
	cr_expect_lt(chase(HOPPER, load, 128 << 10, 96 << 10), 60);
	/* 32 of 1024 lines have no room, and each keeps its set in motion */
	cr_expect_gt(chase(HOPPER, load, 128 << 10, 130 << 10), 45);
	cr_expect_lt(chase(HOPPER, load, 16 << 10, 226 << 10), 60);
}

/* Cycles of a load in a chase beside shared memory, less those of a hit, as a
   share of what a miss takes more. */
static double missing(unsigned lines, unsigned shared_kib)
{
	static const char load[] = "ld.global.ca.b64";
	double hit = chase(HOPPER, load, 8 << 10, 0);
	double miss = chase(HOPPER, load, 512 << 10, 0);
	double here = chase(HOPPER, load, lines * 128, shared_kib << 10);

	return (here - hit) / (miss - hit);
}

/* An H200 misses from 64 lines before on; here the lines of 132 and of 228 KiB
   of shared memory, and 64 and 32 fewer; a kernel has some of its own, too. */
Test(first_level, l1_has_64_lines_fewer_than_shared_memory_leaves)
{
	cr_expect_float_eq(missing(928, 128), 0, 0.01);
	cr_expect_float_eq(missing(960, 128), 0.07, 0.04);
	cr_expect_float_eq(missing(992, 128), 0.17, 0.04);
	cr_expect_float_eq(missing(152, 220), 0, 0.01);
	cr_expect_gt(missing(168, 220), 0.02);
	cr_expect_gt(missing(192, 220), 0.1);
}

/* Sectors that come into L1 where blocks of a warp go round 64 KiB twice. */
static double rounds_of(unsigned blocks)
{
	struct result r = {0};
	double value;

	model_run_added(HOPPER, &r,
		HEAD "buffer data bytes=64MiB\nlaunch one\n"
		     "role go blocks=%u threads=32\nrepeat 2\nrepeat 128\n"
		     "ld.global.ca.v4.b32 [data + lane*16 + block*65536 + "
		     "loop1*512]\nend\nend\n",
		blocks);
	value = model_counter(&r, L1_FILLS);
	result_free(&r);
	return value;
}

/* 32 blocks of a warp would fit, and take 64 KiB of the 256. */
Test(first_level, a_grid_takes_the_shared_memory_of_the_blocks_that_an_sm_gets)
{
	const unsigned sms = 132, sectors = 64 << 10 >> 5;

	cr_expect_lt(rounds_of(3 * sms), 1.01 * 3 * sms * sectors);
	cr_expect_gt(rounds_of(4 * sms), 1.1 * 4 * sms * sectors);
}

/* ---- eviction priorities ---- */

#define SET_BYTES (64u << 10) /* of 240 KiB */

/* Adds a pass of one warp over `bytes` at `base`. */
static void add_pass(char *body, size_t size, const char *load, unsigned base,
	unsigned bytes)
{
	size_t length = strlen(body);

	snprintf(body + length, size - length,
		"repeat %u\n%s [data + %u + lane*16 + loop0*512]\nend\n",
		bytes / 512, load, base);
}

/*
 * A set of lines is read by `first`, again by `then` (NULL: not), `bytes` of
 * other memory by `stream`, and the set again: the share of it that hits.
 */
static double survivors(
	const char *first, const char *then, const char *stream, unsigned bytes)
{
	static const char probe[] = "ld.global.ca.v4.b32";
	char body[1024] = "";
	double before;

	add_pass(body, sizeof(body), first, 0, SET_BYTES);
	if (then)
		add_pass(body, sizeof(body), then, 0, SET_BYTES);
	add_pass(body, sizeof(body), stream, 1 << 20, bytes);
	before = count(HOPPER, L1_HITS, 32, 1, body);
	add_pass(body, sizeof(body), probe, 0, SET_BYTES);
	return (count(HOPPER, L1_HITS, 32, 1, body) - before) /
	       (SET_BYTES / 32.0);
}

#define PLAIN     "ld.global.ca.v4.b32"
#define STREAM    "ld.global.cs.v4.b32"
#define FIRST     "ld.global.L1::evict_first.v4.b32"
#define NORMAL    "ld.global.L1::evict_normal.v4.b32"
#define LAST      "ld.global.L1::evict_last.v4.b32"
#define UNCHANGED "ld.global.L1::evict_unchanged.v4.b32"
#define NOT       "ld.global.L1::no_allocate.v4.b32"

Test(first_level, evict_first_goes_before_normal)
{
	cr_expect_eq(survivors(PLAIN, NULL, FIRST, 512 << 10), 1);
	cr_expect_eq(survivors(PLAIN, NULL, STREAM, 512 << 10), 1);
	cr_expect_eq(survivors(NORMAL, NULL, FIRST, 512 << 10), 1);
	cr_expect_eq(survivors(PLAIN, NULL, PLAIN, 512 << 10), 0);
	cr_expect_eq(survivors(FIRST, NULL, FIRST, 512 << 10), 0);
}

Test(first_level, evict_last_survives_a_stream)
{
	cr_expect_eq(survivors(LAST, NULL, PLAIN, 512 << 10), 1);
	cr_expect_eq(survivors(LAST, NULL, NORMAL, 2 << 20), 1);
	cr_expect_eq(survivors(LAST, NULL, LAST, 512 << 10), 0);
}

Test(first_level, no_allocate_leaves_nothing_and_may_hit)
{
	char body[512] = "";

	add_pass(body, sizeof(body), NOT, 0, SET_BYTES);
	add_pass(body, sizeof(body), NOT, 0, SET_BYTES);
	cr_expect_eq(count(HOPPER, L1_HITS, 32, 1, body), 0);
	add_pass(body, sizeof(body), PLAIN, 0, SET_BYTES);
	cr_expect_eq(count(HOPPER, L1_HITS, 32, 1, body), 0);
	add_pass(body, sizeof(body), NOT, 0, SET_BYTES);
	cr_expect_eq(count(HOPPER, L1_HITS, 32, 1, body), SET_BYTES / 32.0);
	cr_expect_eq(survivors(PLAIN, NULL, NOT, 512 << 10), 1);
}

/* A miss by evict_unchanged leaves a normal line. */
Test(first_level, evict_unchanged_allocates_as_normal)
{
	cr_expect_eq(survivors(UNCHANGED, NULL, FIRST, 512 << 10), 1);
	cr_expect_eq(survivors(UNCHANGED, NULL, PLAIN, 512 << 10), 0);
}

Test(first_level, evict_unchanged_keeps_the_class)
{
	cr_expect_eq(survivors(LAST, UNCHANGED, PLAIN, 512 << 10), 1);
	cr_expect_eq(survivors(FIRST, UNCHANGED, FIRST, 512 << 10), 0);
}

/* The set, then other lines, then the set again by `then`, which makes it the
   most recent or not, then more lines than fit: who goes is the oldest. */
static double refreshed(const char *then)
{
	char body[1024] = "";
	double before;

	add_pass(body, sizeof(body), PLAIN, 0, SET_BYTES);
	add_pass(body, sizeof(body), PLAIN, 1 << 20, 96 << 10);
	add_pass(body, sizeof(body), then, 0, SET_BYTES);
	add_pass(body, sizeof(body), PLAIN, 2 << 20, 128 << 10);
	before = count(HOPPER, L1_HITS, 32, 1, body);
	add_pass(body, sizeof(body), UNCHANGED, 0, SET_BYTES);
	return (count(HOPPER, L1_HITS, 32, 1, body) - before) /
	       (SET_BYTES / 32.0);
}

Test(first_level, evict_unchanged_does_not_refresh)
{
	cr_expect_gt(refreshed(PLAIN), 0.8, "%g", refreshed(PLAIN));
	cr_expect_gt(refreshed(NORMAL), 0.8);
	cr_expect_lt(refreshed(UNCHANGED), 0.6, "%g", refreshed(UNCHANGED));
}

Test(first_level, a_priority_changes_the_class_on_a_hit)
{
	cr_expect_eq(survivors(PLAIN, LAST, PLAIN, 512 << 10), 1);
	cr_expect_eq(survivors(LAST, NORMAL, PLAIN, 512 << 10), 1);
	cr_expect_eq(survivors(LAST, FIRST, PLAIN, 512 << 10), 0);
	cr_expect_eq(survivors(FIRST, NORMAL, FIRST, 512 << 10), 1);
	cr_expect_eq(survivors(PLAIN, FIRST, FIRST, 512 << 10), 0);
}

/* Without a priority a hit leaves the class: operators say how to allocate. */
Test(first_level, an_operator_leaves_the_class_on_a_hit)
{
	cr_expect_eq(survivors(LAST, PLAIN, PLAIN, 512 << 10), 1);
	cr_expect_eq(survivors(PLAIN, STREAM, FIRST, 512 << 10), 1);
}

/* ---- random programs ---- */

Test(first_level, random_programs_end_and_repeat)
{
	struct backend_config config = {.machine = KEPLER};
	struct backend *model = NULL;
	struct result a = {0}, b = {0};
	struct device device;
	struct facts facts = {0};
	struct error error = {""};
	uint32_t seed;
	size_t i;

	cr_assert_eq(0, backend_sim.open(&model, &config, &error));
	cr_assert_eq(backend_sim.describe(model, &device, &facts, &error), 0);
	facts_free(&facts);
	for (seed = 1; seed < 150; seed++) {
		struct program_random knobs = program_random_default;
		struct program p;
		int code;

		knobs.seed = seed;
		knobs.sm_arch = 35;
		program_random(&p, &knobs);
		if (program_fits(&p, &device, &error))
			continue;
		code = backend_sim.run(model, &p, &a, &error);
		cr_assert(!code || code == ERR_SKIPPED, "%s", error.text);
		cr_assert_eq(code, backend_sim.run(model, &p, &b, &error));
		cr_assert(code || a.sample_count == b.sample_count);
		for (i = 0; !code && i < a.sample_count; i++)
			cr_assert_eq(a.samples[i].cycles, b.samples[i].cycles,
				"sample %zu of seed %u", i, seed);
	}
	result_free(&a);
	result_free(&b);
	backend_sim.close(model);
}

/* ---- the machine ---- */

/* Its base is a fitted chip: nothing of it may shine through. */
Test(first_level, gk110_claims_no_measurement)
{
	struct machine m;
	struct error error = {""};
	int i;

	cr_assert_eq(0, machine_load(KEPLER, &m, &error), "%s", error.text);
	for (i = 0; i < PARAMETER_COUNT; i++)
		cr_expect(!strncmp(m.origin[i], "published", 9) ||
				  !strncmp(m.origin[i], "assumed", 7),
			"%s of %s is '%s'; state it in gk110.yaml",
			parameters[i].name, m.name, m.origin[i]);
}

/* A change in each of these is refused with the rule. */
Test(first_level, rules_between_its_parameters)
{
	static const char *const wrong[] = {"texture_caches=3",
		"texture_cache_bytes=10000", "l1_cache_bytes=96KiB",
		"l1_cache_min_bytes=96KiB"};
	struct machine m;
	struct error error = {""};
	size_t i;

	cr_assert_eq(0, machine_load(KEPLER, &m, &error), "%s", error.text);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect_eq(ERR_USAGE, machine_set(&m, wrong[i], &error), "%s",
			wrong[i]);
	cr_expect_eq(0, machine_set(&m, "texture_caches=2", &error));
}

/* Of a load that others were to bring sectors for, which L1 lost again, no
   second translation: of one page there is one miss. */
Test(first_level, what_has_left_the_sm_is_translated)
{
	struct result r = {0};

	model_set("sm_count=1");
	model_set("l1_ways=1");
	model_set("l2_partitions=1");
	model_run("h200-sxm", &r,
		"nearfar-program 1\nname test\nseed 2786520166\n"
		"buffer data bytes=12KiB seed=3\nlaunch l\n"
		"role r sms=0:1 per_sm=2 threads=54 lanes=8\n"
		"repeat 12 time=each region=m\nrepeat 2\n"
		"ld.volatile.global.f64 [data random slot=8 wrap 256]\n"
		"ld.global.b32 [data random slot=4 wrap 256]\n"
		"end\nend\n");
	cr_expect_eq(model_counter(&r, "nearfar__tlb_misses.sum"), 1);
	result_free(&r);
}
