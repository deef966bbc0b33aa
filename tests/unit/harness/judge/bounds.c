/* What is possible passes, what is not does not: one case a bound, every point
   that was measured on silicon and committed, and points of the model. */
#include <criterion/criterion.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/least.h"
#include "harness/program/text/text.h"
#include "harness/judge/bounds.h"
#include "harness/run/registry.h"
#include "harness/run/runner.h"
#include "harness/series/io.h"
#include "tests/support/program_random.h"

TestSuite(bounds, .timeout = 240);

/* An H200, as its driver states it. */
static const struct device h200 = {
	.name = "H200",
	.sm_count = 132,
	.l2_bytes = 60 << 20,
	.clock_hz = 1.98e9,
	.limits = {1.98e9, 128, 64 * 132, 2 * 3.201e9 * 6144 / 8, 19, 96},
};

#define HEAD "nearfar-program 1\nname test\nseed 1\n"

static const char chase_text[] =
	HEAD "buffer ring bytes=8MiB fill=ring slot=128\n"
	     "launch measure\n"
	     "role chase sms=0:1 threads=32 lanes=1\n"
	     "repeat 256 region=measure time=region\n"
	     "ld.global.%s.b64 [ring chase]\n"
	     "end\n";

static const char stream_text[] =
	HEAD "buffer data bytes=1GiB\n"
	     "launch measure\n"
	     "role read sms=0:132 threads=1024\n"
	     "repeat 64 region=measure time=region\n"
	     "ld.global.%s.v4.b32 [data + lane*16 + warp*512 + block*16384 + "
	     "loop0*2162688]\n"
	     "end\n";

static void parse(const char *format, const char *cop, struct program *p)
{
	char text[700];
	struct error error = {""};

	snprintf(text, sizeof(text), format, cop);
	cr_assert_eq(
		0, program_parse(text, "test", p, &error), "%s", error.text);
}

/* One sample a warp, in a span that just holds it. */
struct run {
	struct program p;
	struct result result;
	struct sample samples[132];
};

static void make_run(struct run *r, const char *format, const char *cop,
	double cycles, uint32_t sms)
{
	uint32_t i;

	memset(r, 0, sizeof(*r));
	parse(format, cop, &r->p);
	r->result.samples = r->samples;
	r->result.sample_count = sms;
	r->result.clock_hz = 1.98e9;
	r->result.spans[0] = (struct span){cycles, cycles / 1.98, 0};
	for (i = 0; i < sms; i++)
		r->samples[i] =
			(struct sample){.cycles = cycles, .sm = (uint16_t)i};
}

static void make_chase(struct run *r, const char *cop, double cycles_a_link)
{
	make_run(r, chase_text, cop, 256 * cycles_a_link, 1);
}

static int check(const struct run *r, const char *words)
{
	struct error error = {""};
	int code = bounds_check(&r->p, &r->result, &h200, &error);

	if (code)
		cr_expect(words && strstr(error.text, words), "%s", error.text);
	return code;
}

static void expect_broken(const struct run *r, const char *words)
{
	cr_expect_eq(ERR_FAILED, check(r, words), "%s", words);
}

static void expect_possible(const struct run *r)
{
	cr_expect_eq(0, check(r, ""));
}

Test(bounds, a_chase_takes_the_latency_of_its_level)
{
	struct run r;

	make_chase(&r, "ca", 32);
	expect_possible(&r);
	make_chase(&r, "ca", 18);
	expect_broken(&r, "has a sample of 4608 cycles for 256 dependent "
			  "accesses, which take at least 19 each from L1");
	make_chase(&r, "cg", 270);
	expect_possible(&r);
	make_chase(&r, "cg", 32);
	expect_broken(&r, "at least 96 each past L1");
}

Test(bounds, samples_and_spans_can_be_counted)
{
	struct run r;

	make_chase(&r, "cg", 270);
	r.samples[0].sm = 132;
	expect_broken(&r, "has a sample of SM 132, but the device has 132 SMs");
	make_chase(&r, "cg", 270);
	r.samples[0].cycles = -1;
	expect_broken(&r, "has a sample of -1 cycles");
	r.samples[0].cycles = 1.8e19; /* from a stop before its start */
	expect_broken(&r, "has a sample of 1.8e+19 cycles");
	r.samples[0].cycles = NAN;
	expect_broken(&r, "has a sample of nan cycles");
	make_chase(&r, "cg", 270);
	r.result.spans[0].cycles = -5;
	expect_broken(&r, "took -5 cycles, which no run takes");
	make_chase(&r, "cg", 270);
	r.result.spans[0].ns = INFINITY;
	expect_broken(&r, "which no run takes");
	make_chase(&r, "cg", 270);
	r.samples[0].cycles = 90000;
	expect_broken(&r, "took 69120 cycles from its first entry to its last "
			  "exit, but a sample in it 90000");
}

Test(bounds, the_clock_is_one_that_the_device_has)
{
	static const double wrong_hz[] = {1e23, 4e9, 2.1e9, 1e7, 0, -1};
	struct run r;
	size_t i;

	make_chase(&r, "cg", 270);
	for (i = 0; i < sizeof(wrong_hz) / sizeof(wrong_hz[0]); i++) {
		r.result.clock_hz = wrong_hz[i];
		expect_broken(&r, "ran at a clock of ");
	}
	r.result.clock_hz = 3.45e8;
	expect_possible(&r);
}

/* 132 SMs read 132 MiB, every byte once: 1024 KiB of each. */
Test(bounds, no_more_bytes_than_there_are)
{
	struct run r;

	make_run(&r, stream_text, "cg", 33000, 132);
	expect_possible(&r);
	make_run(&r, stream_text, "cg", 24000, 132);
	expect_broken(&r, "but DRAM gives at most 2483 a cycle");
	make_run(&r, stream_text, "cg", 9000, 132);
	expect_broken(&r, "but L2 gives at most 8448 a cycle");
	make_run(&r, stream_text, "ca", 3000, 132);
	expect_broken(&r, "but its SMs have at most ");
}

/* ---- what was measured ---- */

/* A sample for each region of a point whose samples were not kept: of the span,
   or of its latency. */
static void add_samples(const struct series *series, const struct point *point,
	const struct program *p, struct result *result)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t count = program_regions(p, regions), i;
	int latency = program_region(p, "latency");

	if (latency < 0)
		latency = program_region(p, "measure");
	for (i = 0; i < count; i++) {
		struct sample s = {.cycles = result->spans[i].cycles,
			.region = (uint16_t)i};
		struct least least;

		least_region(p, i, h200.sm_count, &least);
		if ((int)i == latency && least.links > 0 &&
			series->metrics & 1u << METRIC_LATENCY_CYCLES)
			s.cycles =
				least.links *
				point_summary(point, METRIC_LATENCY_CYCLES)->p5;
		else if (regions[i].repeat->timing == TIMING_EACH)
			s.cycles /= (double)regions[i].repeat->count;
		for (s.sm = 0; s.sm < h200.sm_count; s.sm++)
			cr_assert_eq(0, result_add(result, &s));
	}
}

static void check_point(const struct series *series, const struct point *point,
	const char *path)
{
	struct program p;
	struct result result = {.clock_hz = point->clock_hz};
	struct error error = {""};
	size_t i;

	if (point->skipped || !point->program || !point->span_count)
		return;
	cr_assert_eq(0, program_parse(point->program, path, &p, &error), "%s",
		error.text);
	for (i = 0; i < point->span_count; i++)
		if (point->spans[i].repeat == 0)
			result.spans[point->spans[i].region] = (struct span){
				point->spans[i].cycles, point->spans[i].ns, 0};
	add_samples(series, point, &p, &result);
	cr_expect_eq(0, bounds_check(&p, &result, &h200, &error),
		"%s at %g: %s", path, point->x, error.text);
	result_free(&result);
}

static size_t check_files(const char *pattern)
{
	glob_t files;
	size_t i, k, n, points = 0;

	cr_assert_eq(0, glob(pattern, 0, NULL, &files), "%s", pattern);
	for (i = 0; i < files.gl_pathc; i++) {
		struct series_list list = {0};
		struct error error = {""};

		cr_assert_eq(0, series_read(files.gl_pathv[i], &list, &error),
			"%s", error.text);
		for (k = 0; k < list.count; k++)
			for (n = 0; n < list.items[k].point_count; n++) {
				check_point(&list.items[k],
					&list.items[k].points[n],
					files.gl_pathv[i]);
				points++;
			}
		series_list_free(&list);
	}
	globfree(&files);
	return points;
}

/* A bound that silicon breaks is no bound. */
Test(bounds, silicon_keeps_them)
{
	cr_expect_gt(check_files("results/h200-sxm/*.json.gz"), 1000);
	cr_expect_gt(check_files("results/held-out/h200-sxm/*.json.gz"), 200);
}

/* Runs a bench on the default machine and checks its points. */
static void check_model(const char *bench, const char *sweep)
{
	struct opened opened;
	struct run_config config = {
		.opened = &opened, .jobs = 1, .repeats.count = 1, .seed = 1};
	struct facts facts = {0};
	struct series_list list = {0};
	struct run_report report;
	struct plan plan;
	struct error error = {""};
	size_t i;

	cr_assert_eq(opened_open(&opened, backend_find("sim"), &config.backend,
			     &error),
		0);
	cr_assert_eq(plan_bench(&plan, bench_find(bench), NULL, 0, sweep,
			     &opened.device, &error),
		0, "%s", error.text);
	cr_assert_eq(
		runner_run(&config, &plan, 1, &list, &facts, &report, &error),
		0, "%s", error.text);
	cr_expect_gt(list.items[0].point_count, 0);
	for (i = 0; i < list.items[0].point_count; i++)
		check_point(&list.items[0], &list.items[0].points[i], bench);
	series_list_free(&list);
	facts_free(&facts);
	plan_free(&plan);
	opened_close(&opened);
}

Test(bounds, the_model_keeps_them_of_the_silicon)
{
	check_model("pointer-chase", "16KiB,1MiB,40MiB");
	check_model("bandwidth", "1,16");
	check_model("coalescing", "4,128");
	check_model("atomic-contention", "1,%S");
	check_model("tlb-reach", "8,64");
}

/* Nor does the model break its own, whatever it runs. */
Test(bounds, random_programs_keep_them)
{
	static const char *const set = "sm_count=8";
	const struct backend_config config = {.sets = &set, .set_count = 1};
	struct program_random knobs = program_random_default;
	struct backend *model = NULL;
	struct result result = {0};
	struct facts facts = {0};
	struct error error = {""};
	struct device device;
	struct program p;

	cr_assert_eq(0, backend_sim.open(&model, &config, &error));
	cr_assert_eq(0, backend_sim.describe(model, &device, &facts, &error));
	knobs.sms = device.sm_count;
	for (knobs.seed = 1; knobs.seed <= 400; knobs.seed++) {
		program_random(&p, &knobs);
		if (backend_sim.run(model, &p, &result, &error))
			continue;
		cr_expect_eq(0, bounds_check(&p, &result, &device, &error),
			"seed %u: %s", knobs.seed, error.text);
	}
	result_free(&result);
	facts_free(&facts);
	backend_sim.close(model);
}

/* One warp: how far warps are apart says nothing. */
Test(bounds, a_term_of_one_step_does_not_count)
{
	static const char text[] = "nearfar-program 1\nname one\nseed 1\n"
				   "buffer buf bytes=1MiB\nlaunch a\n"
				   "role r sms=0:1 threads=32 lanes=32\n"
				   "repeat 64 time=region region=measure\n"
				   "ld.global.cg.v4.b32 [buf + lane*16 + "
				   "warp*4 + loop0*512]\nend\n";
	struct program p;
	struct least least;
	struct error error = {""};

	cr_assert_eq(
		0, program_parse(text, "one", &p, &error), "%s", error.text);
	least_region(&p, 0, 132, &least);
	cr_expect_eq(
		least.distinct_bytes, 64 * 512, "%g", least.distinct_bytes);
}
