/*
 * Properties of the model, through backend.h only: programs from text and
 * random legal programs, on the default machine.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/contract/backend.h"
#include "harness/program/legality/legality.h"
#include "tests/unit/model_fixture.h"
#include "tests/support/program_random.h"
#include "harness/program/text/text.h"

TestSuite(engine, .timeout = 120);

#define RANDOM_PROGRAMS 400

/* The default machine with few SMs. */
static struct backend *open_small(void)
{
	static const char *const set = "sm_count=8";
	const struct backend_config config = {.sets = &set, .set_count = 1};
	struct backend *model = NULL;
	struct error error = {""};

	cr_assert_eq(
		0, backend_sim.open(&model, &config, &error), "%s", error.text);
	return model;
}

static struct device device_of(struct backend *model)
{
	struct device device;
	struct facts facts = {0};
	struct error error;

	cr_assert_eq(backend_sim.describe(model, &device, &facts, &error), 0);
	facts_free(&facts);
	return device;
}

static double mean_cycles(const struct result *result)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < result->sample_count; i++)
		sum += result->samples[i].cycles;
	return sum / (double)result->sample_count;
}

static void expect_same(
	const struct result *a, const struct result *b, const char *what)
{
	size_t i;

	cr_assert_eq(a->sample_count, b->sample_count, "%s", what);
	for (i = 0; i < a->sample_count; i++) {
		const struct sample *x = &a->samples[i], *y = &b->samples[i];

		cr_assert(x->cycles == y->cycles && x->warp == y->warp &&
				  x->iteration == y->iteration &&
				  x->sm == y->sm && x->region == y->region,
			"sample %zu of %s", i, what);
	}
	cr_assert_eq(a->counter_count, b->counter_count);
	for (i = 0; i < a->counter_count; i++)
		cr_assert_eq(a->counters[i].value, b->counters[i].value,
			"%s of %s", a->counters[i].name, what);
	for (i = 0; i < PROGRAM_REGIONS_MAX; i++)
		cr_assert_eq(a->spans[i].cycles, b->spans[i].cycles,
			"span %zu of %s", i, what);
}

#define HEAD "nearfar-program 1\nname test\nseed 1\n"

/* ---- the end of the clock ---- */

static int run_delays(unsigned iterations, struct error *error)
{
	struct backend *model = open_small();
	struct result result = {0};
	struct program p;
	char text[400];
	int code;

	snprintf(text, sizeof(text),
		HEAD "buffer data bytes=4KiB\nlaunch measure\n"
		     "role probe sms=0:1 threads=1 lanes=1\n"
		     "repeat %u\ndelay 4294967295\nend\n"
		     "repeat 8 time=each region=measure\n"
		     "ld.global.ca.b32 [data]\nend\n",
		iterations);
	cr_assert_eq(
		0, program_parse(text, "test", &p, error), "%s", error->text);
	code = backend_sim.run(model, &p, &result, error);
	if (!code)
		cr_expect_gt(result.samples[7].cycles, 20);
	result_free(&result);
	backend_sim.close(model);
	return code;
}

/* Servers count ticks in 64 bits: beyond 2^56 cycles every load took 8. */
Test(engine, a_launch_beyond_the_clock_is_refused)
{
	struct error error = {""};

	cr_expect_eq(0, run_delays(1 << 18, &error), "%s", error.text);
	cr_expect_eq(ERR_FAILED, run_delays(1 << 20, &error));
	cr_expect_str_eq(error.text,
		"launch 'measure' of program 'test' takes more than 2^52 "
		"cycles, which the model does not count");
}

/* ---- latency ---- */

static double chase(const char *spelling, unsigned long long bytes)
{
	struct result result = {0};
	double cycles;
	unsigned long long warm = bytes / 128 * 2;

	if (warm > 1 << 20)
		warm = 1 << 20;
	model_run(NULL, &result,
		HEAD "buffer ring bytes=%llu fill=ring slot=128 order=shuffle "
		     "seed=1\n"
		     "launch chase\nrole chase sms=0:1 lanes=1\n"
		     "repeat %llu unroll=16\n%s [ring chase]\nend\n"
		     "repeat 4 time=each region=measure\n"
		     "repeat 512 unroll=16\n%s [ring chase]\nend\nend\n",
		bytes, warm, spelling, spelling);
	cycles = mean_cycles(&result) / 512;
	result_free(&result);
	return cycles;
}

static void expect_rising(const char *spelling)
{
	unsigned long long bytes;
	double before = 0;

	for (bytes = 4096; bytes <= 256ull << 20; bytes *= 4) {
		double cycles = chase(spelling, bytes);

		cr_expect_geq(cycles, before * 0.98, "%s at %llu: %g after %g",
			spelling, bytes, cycles, before);
		before = cycles;
	}
	cr_expect_gt(before, 2 * chase("ld.global.ca.b64", 4096));
}

Test(engine, latency_never_falls_as_the_footprint_grows_ca)
{
	expect_rising("ld.global.ca.b64");
}

Test(engine, latency_never_falls_as_the_footprint_grows_cg)
{
	expect_rising("ld.global.cg.b64");
}

Test(engine, levels_are_apart)
{
	double l1 = chase("ld.global.ca.b64", 16 << 10);
	double l2 = chase("ld.global.cg.b64", 4 << 20);
	double dram = chase("ld.global.cg.b64", 512 << 20);

	cr_expect_lt(l1, 60);
	cr_expect(l2 > 150 && l2 < 400, "%g", l2);
	cr_expect(dram > 1.5 * l2, "%g", dram);
	cr_expect_float_eq(chase("ld.global.cg.b64", 16 << 10), l2, 0.2 * l2);
}

static int by_cycles(const void *left, const void *right)
{
	double a = ((const struct sample *)left)->cycles;
	double b = ((const struct sample *)right)->cycles;

	return (a > b) - (a < b);
}

/* An atomic acts at its line's home: near for half of the lines. */
Test(engine, atomics_have_two_modes)
{
	struct result result = {0};
	double low, high, middle;
	size_t i, count, below = 0, between = 0;

	model_run(NULL, &result,
		HEAD "buffer ring bytes=1MiB fill=ring slot=128 order=shuffle "
		     "seed=1\n"
		     "launch chase\nrole chase sms=0:1 lanes=1\n"
		     "repeat 8192 unroll=16\n"
		     "atom.global.add.u64 [ring chase]\nend\n"
		     "repeat 8192 time=each region=measure\n"
		     "atom.global.add.u64 [ring chase]\nend\n");
	count = result.sample_count;
	qsort(result.samples, count, sizeof(*result.samples), by_cycles);
	low = result.samples[count / 10].cycles;
	high = result.samples[count - count / 10].cycles;
	middle = (low + high) / 2;
	for (i = 0; i < count; i++) {
		double cycles = result.samples[i].cycles;

		below += cycles < middle;
		between += fabs(cycles - middle) < (high - low) / 10;
	}
	cr_expect_gt(high, 1.3 * low);
	cr_expect(below > count / 4, "%zu near", below);
	cr_expect(below < count / 4 * 3, "%zu near", below);
	cr_expect(between < count / 50, "%zu between", between);
	result_free(&result);
}

/* ---- samples ---- */

Test(engine, every_timed_iteration_has_a_sample)
{
	struct result r = {0};
	size_t i;

	model_run(NULL, &r,
		HEAD "buffer data bytes=1MiB\n"
		     "launch one\nrole first sms=2:3 per_sm=2 threads=96\n"
		     "repeat 5 time=each region=each\n"
		     "ld.global.b32 [data + lane*4]\nend\n"
		     "repeat 7 time=region region=whole\n"
		     "ld.global.b32 [data + lane*4]\nend\n"
		     "launch two\nrole second blocks=4 threads=33\n"
		     "repeat 2 time=each region=last\n"
		     "ld.global.b32 [data + lane*4]\nend\n");
	/* 18 warps of 5, 18 of 1, 8 of 2 */
	cr_assert_eq(r.sample_count, 18u * 5 + 18 + 8 * 2);
	for (i = 0; i < 90; i++) {
		cr_expect_eq(r.samples[i].region, 0);
		cr_expect_eq(r.samples[i].warp, i / 5);
		cr_expect_eq(r.samples[i].iteration, i % 5);
		cr_expect_eq(r.samples[i].sm, 2 + i / 5 / 6);
	}
	for (i = 0; i < 18; i++) {
		cr_expect_eq(r.samples[90 + i].region, 1);
		cr_expect_eq(r.samples[90 + i].warp, i);
		cr_expect_eq(r.samples[90 + i].iteration, 0);
	}
	for (i = 0; i < 16; i++) {
		cr_expect_eq(r.samples[108 + i].region, 2);
		cr_expect_eq(r.samples[108 + i].warp, i / 2);
	}
	for (i = 0; i < r.sample_count; i++)
		cr_expect_gt(r.samples[i].cycles, 0);
	for (i = 0; i < 3; i++) {
		cr_expect_gt(r.spans[i].cycles, 0);
		cr_expect_float_eq(r.spans[i].ns,
			r.spans[i].cycles / r.clock_hz * 1e9, 1e-6);
	}
	result_free(&r);
}

Test(engine, a_span_covers_its_samples)
{
	struct result r = {0};
	size_t i;

	model_run(NULL, &r,
		HEAD "buffer data bytes=64MiB\n"
		     "launch one\nrole first sms=all threads=256\n"
		     "repeat 8 time=region region=measure\n"
		     "ld.global.cg.v4.b32 [data + lane*16 + warp*512 + "
		     "block*4KiB + loop0*512KiB]\nend\n");
	for (i = 0; i < r.sample_count; i++)
		cr_assert_leq(r.samples[i].cycles, r.spans[0].cycles);
	result_free(&r);
}

/* ---- waiting ---- */

/* Cycles of one timed instruction after a store to cold memory. */
static double after_store(const char *instruction)
{
	struct result r = {0};
	double cycles;

	model_run(NULL, &r,
		HEAD "buffer data bytes=1MiB\n"
		     "launch one\nrole first sms=0:1\n"
		     "st.global.b32 [data + lane*128]\n"
		     "repeat 1 time=region region=measure\n%s\nend\n",
		instruction);
	cr_assert_eq(r.sample_count, 1);
	cycles = r.samples[0].cycles;
	result_free(&r);
	return cycles;
}

Test(engine, a_fence_waits_for_stores_and_a_delay_does_not)
{
	cr_expect_lt(after_store("delay 1"), 100);
	cr_expect_gt(after_store("fence.acq_rel.gpu"), 150);
}

/* A warp does not wait for what it stored; the span does, and so does what
   comes behind the region. */
Test(engine, a_span_ends_when_its_stores_have_arrived)
{
	struct result r = {0};

	model_run(NULL, &r,
		HEAD "buffer data bytes=1MiB\n"
		     "launch one\nrole first sms=0:1\n"
		     "repeat 1 time=region region=measure\n"
		     "st.global.b32 [data + lane*4]\nend\n");
	cr_expect_lt(r.samples[0].cycles, 50);
	cr_expect_gt(r.spans[0].cycles, 150);
	result_free(&r);
}

Test(engine, loads_overlap_until_they_are_needed)
{
	struct result one = {0}, eight = {0};

	model_run(NULL, &one,
		HEAD "buffer data bytes=1MiB\n"
		     "launch one\nrole first sms=0:1\n"
		     "repeat 1 time=region region=measure\n"
		     "ld.global.cg.b32 [data + lane*4]\nend\n");
	model_run(NULL, &eight,
		HEAD "buffer data bytes=1MiB\n"
		     "launch one\nrole first sms=0:1\n"
		     "repeat 8 unroll=8 time=region region=measure\n"
		     "ld.global.cg.b32 [data + lane*4 + loop0*4KiB]\nend\n");
	cr_expect_lt(eight.samples[0].cycles, 2 * one.samples[0].cycles);
	result_free(&one);
	result_free(&eight);
}

/* Cycles of warp 1 round a barrier that warp 0 reaches late. */
static double beside_a_late_warp(const char *barrier)
{
	struct result r = {0};
	double cycles;

	model_run(NULL, &r,
		HEAD "buffer data bytes=1MiB\n"
		     "launch one\nrole first sms=0:1 threads=64\n"
		     "repeat 1 time=region region=measure\n"
		     "repeat 4\n@thread0 ld.global.cg.b32 [data + "
		     "loop1*4KiB]\nend\n%s\nend\n",
		barrier);
	cr_assert_eq(r.sample_count, 2);
	cycles = r.samples[1].cycles;
	result_free(&r);
	return cycles;
}

Test(engine, a_barrier_waits_for_the_last_warp)
{
	cr_expect_lt(beside_a_late_warp("delay 1"), 300);
	cr_expect_gt(beside_a_late_warp("barrier"), 800);
}

/* ---- roles ---- */

Test(engine, background_roles_end_with_the_others)
{
	struct result alone = {0}, loaded = {0};
	static const char chaser[] =
		HEAD "buffer ring bytes=8MiB fill=ring slot=128 order=shuffle "
		     "seed=1\n"
		     "buffer data bytes=64MiB\n"
		     "launch one\nrole chase sms=0:1 lanes=1\n"
		     "repeat 256 time=each region=measure\n"
		     "ld.global.cg.b64 [ring chase]\nend\n%s";

	model_run(NULL, &alone, chaser, "");
	model_run(NULL, &loaded, chaser,
		"role load sms=others threads=512 background\n"
		"repeat 16\nst.global.v4.b32 [data + lane*16 + warp*512 + "
		"block*8KiB + loop0*1MiB]\nend\n");
	cr_expect_gt(
		model_counter(&loaded, "lts__t_sectors_op_write.sum"), 1e4);
	cr_expect_gt(mean_cycles(&loaded), mean_cycles(&alone));
	cr_expect_eq(loaded.sample_count, 256);
	result_free(&alone);
	result_free(&loaded);
}

static double sum_cycles(const struct result *r)
{
	return mean_cycles(r) * (double)r->sample_count;
}

Test(engine, turns_are_taken_one_at_a_time)
{
	static const char text[] =
		HEAD "buffer data bytes=1MiB\n"
		     "launch one%s\nrole first sms=0:8\n"
		     "repeat 16 time=region region=measure\n"
		     "ld.global.cg.b32 [data + lane*4]\nend\n";
	struct result together = {0}, turns = {0};
	size_t i;

	model_run(NULL, &together, text, "");
	model_run(NULL, &turns, text, " turns");
	cr_assert_eq(turns.sample_count, 8);
	for (i = 0; i < 8; i++)
		cr_expect_eq(turns.samples[i].sm, i);
	cr_expect_geq(turns.spans[0].cycles, sum_cycles(&turns));
	cr_expect_lt(together.spans[0].cycles, sum_cycles(&together) / 4);
	result_free(&together);
	result_free(&turns);
}

/* ---- state between steps ---- */

/* Mean cycles of chasing a 32 KiB ring after it was read and `between`. */
static double again(const char *spelling, const char *between)
{
	struct result r = {0};
	double cycles;

	model_run(NULL, &r,
		HEAD "buffer ring bytes=32KiB fill=ring slot=128 order=shuffle "
		     "seed=1\n"
		     "launch warm\nrole chase sms=0:1 lanes=1\n"
		     "repeat 512\n%s [ring chase]\nend\n%s"
		     "repeat 256 time=each region=measure\n%s [ring chase]\n"
		     "end\n",
		spelling, between, spelling);
	cycles = mean_cycles(&r);
	result_free(&r);
	return cycles;
}

Test(engine, l1_lasts_for_a_launch_and_l2_until_a_flush)
{
	static const char launch[] =
		"launch next\nrole chase sms=0:1 lanes=1\n";
	static const char flush[] =
		"flush\nlaunch next\nrole chase sms=0:1 lanes=1\n";
	double same = again("ld.global.ca.b64", "");
	double next = again("ld.global.ca.b64", launch);
	double cold = again("ld.global.ca.b64", flush);

	cr_expect_lt(same, 60);
	cr_expect(next > 2 * same && next < 400, "%g", next);
	cr_expect_gt(cold, next + 50, "%g", cold);
}

/* ---- conservation ---- */

#define STREAM_BYTES (16 << 20)

static void stream(struct result *r, const char *spelling)
{
	model_run_added(NULL, r,
		HEAD "buffer data bytes=16MiB\n"
		     "launch one\nrole first blocks=64 threads=512\n"
		     "repeat 32 time=region region=measure\n"
		     "%s [data + lane*16 + warp*512 + block*8KiB + "
		     "loop0*512KiB]\nend\n",
		spelling);
}

Test(engine, a_cold_stream_reads_every_sector_from_dram)
{
	static const char *const spellings[] = {
		"ld.global.ca.v4.b32", "ld.global.cg.v4.b32"};
	double sectors = (double)STREAM_BYTES / 32, peak;
	size_t i;

	model_set("l2_partitions=1");
	for (i = 0; i < 2; i++) {
		struct result r = {0};
		double dram;

		stream(&r, spellings[i]);
		dram = model_counter(&r, "dram__sectors_read.sum");
		cr_expect_geq(dram, sectors);
		cr_expect_leq(dram, 1.1 * sectors);
		cr_expect_eq(sectors,
			model_counter(&r,
				"l1tex__t_sectors_pipe_lsu_mem_global_op_"
				"ld.sum"));
		cr_expect_eq(sectors,
			model_counter(&r, "lts__t_sectors_op_read.sum"));
		/* Faster than DRAM cannot be: 4.8 TB/s at 1.98 GHz. */
		peak = dram * 32 / r.spans[0].cycles;
		cr_expect_lt(peak, 4.9e12 / r.clock_hz, "%g", peak);
		result_free(&r);
	}
}

/* Where each sector is looked for once: the second pass of two hits. */
Test(engine, l2_lookups_hit_or_miss)
{
	struct result r = {0};

	model_set("l2_partitions=1");
	model_run_added(NULL, &r,
		HEAD "buffer data bytes=1MiB\n"
		     "launch one\nrole first blocks=16 threads=128\n"
		     "repeat 2 time=region region=measure\nrepeat 32\n"
		     "ld.global.cg.v4.b32 [data + lane*16 + warp*512 + "
		     "block*2KiB + loop1*32KiB]\nend\nend\n");
	cr_expect_eq(model_counter(&r, "lts__t_sectors_op_read.sum"), 65536);
	cr_expect_eq(
		model_counter(&r, "lts__t_sectors_lookup_miss.sum"), 32768);
	cr_expect_eq(model_counter(&r, "lts__t_sectors_lookup_hit.sum"), 32768);
	result_free(&r);
}

Test(engine, a_second_pass_in_l1_asks_nothing_of_l2)
{
	struct result r = {0};
	double asked, found;

	model_run_added(NULL, &r,
		HEAD "buffer data bytes=16KiB\n"
		     "launch one\nrole first sms=0:1 threads=512\n"
		     "repeat 4 time=region region=measure\n"
		     "ld.global.ca.b32 [data + lane*4 + warp*128]\nend\n");
	asked = model_counter(
		&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
	found = model_counter(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_"
				  "lookup_hit.sum");
	cr_expect_eq(asked, 4 * 16 * 4);
	cr_expect_eq(model_counter(&r, "lts__t_sectors_op_read.sum"), 16 * 4);
	cr_expect_eq(asked - found, 16 * 4);
	result_free(&r);
}

static double stored(unsigned mib, const char *name)
{
	struct result r = {0};
	double count;

	model_run(NULL, &r,
		HEAD "buffer data bytes=24MiB\n"
		     "launch one\nrole first sms=0:128 threads=512\n"
		     "repeat %u time=region region=measure\n"
		     "st.global.v4.b32 [data + lane*16 + warp*512 + "
		     "block*8KiB + loop0*1MiB]\nend\n",
		mib);
	count = model_counter(&r, name);
	result_free(&r);
	return count;
}

/* What comes when L2 is full is as much as what goes. */
Test(engine, writes_come_to_dram_when_l2_is_full)
{
	static const char l2[] = "lts__t_sectors_op_write.sum";
	static const char dram[] = "dram__sectors_write.sum";
	const double sectors = (double)(12 << 20) / 32;

	model_set("l2_partitions=1");
	model_set("l2_bytes=6MiB");
	cr_expect_eq(stored(24, l2) - stored(12, l2), sectors);
	cr_expect_float_eq(
		stored(24, dram) - stored(12, dram), sectors, 0.01 * sectors);
}

Test(engine, atomics_count_in_each_pass)
{
	struct result r = {0};

	model_set("l2_partitions=1");
	model_run_added(NULL, &r,
		HEAD "buffer data bytes=1MiB\n"
		     "launch one\nrole first sms=all threads=64\n"
		     "repeat 4 time=region region=measure\n"
		     "red.global.add.u32 [data]\n"
		     "atom.global.add.u32 [data + lane*32]\nend\n");
	cr_expect_eq(model_counter(&r, "lts__t_sectors_op_red.sum"),
		132 * 2 * 4 * 32);
	cr_expect_eq(model_counter(&r, "lts__t_sectors_op_atom.sum"),
		132 * 2 * 4 * 32);
	result_free(&r);
}

/* ---- repetition ---- */

/* Whether the device can run it. */
static bool make_random(
	struct program *p, const struct device *device, uint32_t seed)
{
	struct program_random knobs = program_random_default;
	struct error error;

	knobs.seed = seed;
	knobs.sm_arch = 90;
	program_random(p, &knobs);
	return !program_fits(p, device, &error);
}

/* One instance runs everything twice; another one starts at each program. */
static void run_random(uint32_t first, uint32_t last)
{
	struct backend *model = open_small();
	const struct device device = device_of(model);
	struct result a = {0}, b = {0}, c = {0};
	uint32_t seed;

	for (seed = first; seed < last; seed++) {
		struct backend *fresh;
		struct error error = {""};
		struct program p;
		char *text;
		int code;

		if (!make_random(&p, &device, seed))
			continue;
		fresh = open_small();
		text = program_text(&p);
		code = backend_sim.run(model, &p, &a, &error);
		cr_assert(!code || code == ERR_SKIPPED, "%s\n%s", error.text,
			text);
		cr_assert_eq(code, backend_sim.run(model, &p, &b, &error));
		cr_assert_eq(code, backend_sim.run(fresh, &p, &c, &error));
		if (!code) {
			expect_same(&a, &b, text);
			expect_same(&a, &c, text);
		}
		free(text);
		backend_sim.close(fresh);
	}
	result_free(&a);
	result_free(&b);
	result_free(&c);
	backend_sim.close(model);
}

Test(engine, random_programs_end_and_repeat)
{
	run_random(1, RANDOM_PROGRAMS / 2);
}

Test(engine, more_random_programs_end_and_repeat)
{
	run_random(RANDOM_PROGRAMS / 2, RANDOM_PROGRAMS);
}

/* Each timed repeat of a random program has the samples it promises. */
Test(engine, random_programs_have_all_their_samples)
{
	struct backend *model = open_small();
	const struct device device = device_of(model);
	struct result r = {0};
	uint32_t seed;

	for (seed = 1; seed < RANDOM_PROGRAMS; seed++) {
		struct region regions[PROGRAM_REGIONS_MAX];
		struct error error = {""};
		struct program p;
		size_t counts[PROGRAM_REGIONS_MAX] = {0}, i;

		if (!make_random(&p, &device, seed))
			continue;
		if (backend_sim.run(model, &p, &r, &error))
			continue;
		for (i = 0; i < r.sample_count; i++)
			counts[r.samples[i].region]++;
		for (i = 0; i < program_regions(&p, regions); i++) {
			const struct insn *repeat = regions[i].repeat;

			cr_expect_gt(counts[i], 0, "seed %u", seed);
			if (repeat->timing == TIMING_EACH)
				cr_expect_eq(counts[i] % repeat->count, 0,
					"seed %u", seed);
		}
	}
	result_free(&r);
	backend_sim.close(model);
}

/* A launch that is too large is left out, and nothing of it stays. */
Test(engine, too_many_warps_are_skipped)
{
	static const char head[] = "nearfar-program 1\nname many\nseed 1\n"
				   "buffer data bytes=4096\nlaunch all\n";
	static const char body[] =
		"    repeat 1 time=region region=one\n"
		"      ld.global.cg.b32 [data + lane*4]\n    end\n";
	struct backend *model = open_small(), *fresh = open_small();
	struct result a = {0}, b = {0};
	struct error error = {""};
	struct program p;
	char text[512];

	snprintf(text, sizeof(text),
		"%s  role go blocks=131073 threads=1024\n%s", head, body);
	cr_assert_eq(
		0, program_parse(text, "test", &p, &error), "%s", error.text);
	cr_assert_eq(ERR_SKIPPED, backend_sim.run(model, &p, &a, &error));
	cr_expect_str_eq(
		error.text, "launch 'all' has more than 4194304 warps");
	snprintf(text, sizeof(text), "%s  role go blocks=100 threads=32\n%s",
		head, body);
	cr_assert_eq(
		0, program_parse(text, "test", &p, &error), "%s", error.text);
	cr_assert_eq(0, backend_sim.run(model, &p, &a, &error));
	cr_assert_eq(0, backend_sim.run(fresh, &p, &b, &error));
	expect_same(&a, &b, text);
	result_free(&a);
	result_free(&b);
	backend_sim.close(fresh);
	backend_sim.close(model);
}
