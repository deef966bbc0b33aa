/* From what kernels leave in memory to samples, spans and the clock. */
#include <criterion/criterion.h>

#include "harness/lower/samples.h"

#define WARPS      2
#define ITERATIONS 3
/* The timer counts from 1970: too long for a double. */
#define NOW_NS UINT64_C(1795326066543147735)

/* One launch with a timed region and one that times each iteration. */
struct fixture {
	struct program program;
	struct ptx_kernel kernel;
	struct {
		struct ptx_warp_record whole[WARPS], each[WARPS];
		uint32_t cycles[WARPS][ITERATIONS];
		struct ptx_block_record whole_blocks[WARPS], blocks[WARPS];
	} bytes;
	struct samples_output output;
};

static void make(struct fixture *f)
{
	const struct ptx_region each = {
		.region = 1,
		.record_offset = offsetof(__typeof__(f->bytes), each),
		.sample_offset = offsetof(__typeof__(f->bytes), cycles),
		.block_offset = offsetof(__typeof__(f->bytes), blocks),
		.warps = WARPS,
		.blocks = WARPS,
		.samples = ITERATIONS,
	};
	const struct ptx_region whole = {
		.region = 0,
		.block_offset = offsetof(__typeof__(f->bytes), whole_blocks),
		.warps = WARPS,
		.blocks = WARPS,
	};
	struct role *role;
	uint32_t w, i;

	memset(f, 0, sizeof(*f));
	program_init(&f->program, "probe", 1);
	program_launch(&f->program, "measure");
	role = program_role(&f->program, "reader");
	role->threads = WARPS * PROGRAM_WARP_LANES;
	program_timed(&f->program, 8, TIMING_REGION, "whole");
	program_end(&f->program);
	program_timed(&f->program, ITERATIONS, TIMING_EACH, "each");
	program_end(&f->program);
	f->kernel.regions[0] = each; /* the order of regions is not theirs */
	f->kernel.regions[1] = whole;
	f->kernel.region_count = 2;
	for (w = 0; w < WARPS; w++) {
		f->bytes.whole[w] =
			(struct ptx_warp_record){1000 + w, 201000 + w};
		f->bytes.whole_blocks[w] = (struct ptx_block_record){
			5, 0, 800, NOW_NS + 6900, 202000, NOW_NS + 107500};
		/* the second SM's clock is 1000 behind */
		f->bytes.each[w] = (struct ptx_warp_record){
			300000 - 1000 * w, 301000 - 1000 * w};
		f->bytes.blocks[w] = (struct ptx_block_record){5 + w, 0,
			299000 - 1000 * w, NOW_NS + 109500, 303000 - 1000 * w,
			NOW_NS + 111500};
		for (i = 0; i < ITERATIONS; i++)
			f->bytes.cycles[w][i] = 100 * w + i;
	}
	f->output.kernel = &f->kernel;
	f->output.bytes = (const unsigned char *)&f->bytes;
}

Test(samples, orders_region_warp_iteration)
{
	struct fixture f;
	struct result result = {.clock_hz = 2e9};
	struct error error;
	uint32_t i;

	make(&f);
	cr_assert_eq(samples_collect(&f.output, 1, &result, &error), 0);
	cr_assert_eq(result.sample_count, WARPS + WARPS * ITERATIONS);
	cr_assert_eq(result.samples[1].cycles, 200000);
	cr_assert_eq(result.samples[1].region, 0);
	for (i = 0; i < WARPS * ITERATIONS; i++) {
		const struct sample *s = &result.samples[WARPS + i];

		cr_assert_eq(s->region, 1);
		cr_assert_eq(s->warp, i / ITERATIONS);
		cr_assert_eq(s->iteration, i % ITERATIONS);
		cr_assert_eq(s->sm, 5 + s->warp);
		cr_assert_eq(s->cycles, 100 * s->warp + s->iteration);
	}
	result_free(&result);
}

/* On one SM by its clock; on two, whose clocks are 1000 cycles apart, by the
   timer that both were read beside. */
Test(samples, spans_on_one_sm_and_on_several)
{
	struct fixture f;
	struct result result = {.clock_hz = 2e9};
	struct error error;

	make(&f);
	cr_assert_eq(samples_collect(&f.output, 1, &result, &error), 0);
	cr_assert_eq(result.spans[0].cycles, 200001);
	cr_assert_float_eq(result.spans[0].ns, 100000.5, 1e-6);
	cr_assert_float_eq(result.spans[1].cycles, 1000, 1e-3);
	cr_assert_float_eq(result.spans[1].ns, 500, 1e-3);
	result_free(&result);
}

/* Both launches' warps are shown by one clock: that of the timer. */
Test(samples, warps_begin_and_end_in_a_timeline)
{
	struct fixture f;
	struct timeline t;
	struct result result = {.clock_hz = 2e9, .timeline = &t};
	uint32_t i;

	make(&f);
	timeline_init(&t);
	samples_timeline(&f.program, &f.output, 1, &result);
	cr_assert_eq(t.count, 2 * WARPS + 1);
	for (i = 0; i < WARPS; i++) {
		const struct timeline_span *each = &t.spans[i];
		const struct timeline_span *whole = &t.spans[WARPS + i];

		/* 102600 ns and 1000 cycles behind the first reading */
		cr_assert_float_eq(each->begin, 206200, 1e-6);
		cr_assert_float_eq(each->end, 207200, 1e-6);
		cr_assert_str_eq(each->name, "each");
		cr_assert_eq(each->place, 5 + i);
		cr_assert_float_eq(whole->begin, 200 + i, 1e-6);
		cr_assert_float_eq(whole->end, 200200 + i, 1e-6);
		cr_assert_str_eq(whole->name, "whole");
		cr_assert_eq(whole->warp, i);
	}
	cr_assert_str_eq(t.spans[2 * WARPS].name, "measure");
	cr_assert_float_eq(t.spans[2 * WARPS].end, 207200, 1e-6);
	timeline_free(&t);
}

/* What is asked for alone. */
Test(samples, a_timeline_has_the_warps_that_are_asked_for)
{
	struct fixture f;
	struct timeline t;
	struct result result = {.clock_hz = 2e9, .timeline = &t};

	make(&f);
	timeline_init(&t);
	t.some_sms = true;
	t.sms[0] = 1 << 6;
	t.from = 206300;
	t.until = 206400;
	samples_timeline(&f.program, &f.output, 1, &result);
	cr_assert_eq(t.count, 2);
	cr_assert_eq(t.spans[0].place, 6);
	cr_assert_eq(t.spans[0].begin, 206300);
	cr_assert_eq(t.spans[0].end, 206400);
	cr_assert_eq(t.spans[1].what, TIMELINE_LAUNCH);
	timeline_free(&t);
}

/* The timer stands still between steps: of two readings the one that puts the
   clock's origin later has waited less. */
Test(samples, the_best_reading_of_the_timer_counts)
{
	struct fixture f;
	struct result result = {.clock_hz = 2e9};
	struct error error;

	make(&f);
	f.bytes.blocks[0].first_ns -= 31;
	f.bytes.blocks[1].last_ns -= 20;
	cr_assert_eq(samples_collect(&f.output, 1, &result, &error), 0);
	cr_assert_float_eq(result.spans[1].cycles, 1000, 1e-3);
	result_free(&result);
}

/* Blocks that did not wait wrote no time; the last arrival ends the span, and
   no warp's sample. */
Test(samples, a_span_ends_when_what_was_written_has_arrived)
{
	struct fixture f;
	struct result result = {.clock_hz = 2e9};
	struct error error;

	make(&f);
	f.bytes.whole_blocks[1].drain_clock = 201500;
	cr_assert_eq(samples_collect(&f.output, 1, &result, &error), 0);
	cr_assert_eq(result.spans[0].cycles, 200500);
	cr_assert_eq(result.samples[0].cycles, 200000);
	result_free(&result);
}

Test(samples, clock_from_the_longest_region_only)
{
	struct fixture f;

	make(&f);
	cr_assert_float_eq(samples_clock_hz(&f.output, 1), 2e9, 1);
	f.bytes.whole_blocks[0].last_ns = f.bytes.whole_blocks[1].last_ns =
		NOW_NS + 7100;
	cr_assert_eq(samples_clock_hz(&f.output, 1), 0);
}

#define SMS 8

static int check(const struct fixture *f, struct error *error)
{
	return samples_check(&f->program, SMS, &f->output, 1, error);
}

Test(samples, a_warp_that_never_ran_is_named)
{
	struct fixture f;
	struct error error;

	make(&f);
	cr_assert_eq(check(&f, &error), 0);
	memset(&f.bytes.each[1], 0, sizeof(f.bytes.each[1]));
	cr_assert_eq(check(&f, &error), ERR_FAILED);
	cr_assert_str_eq(error.text,
		"warp 1 in region 'each' of program 'probe' never ran");
}

/* Block 1 leaves none: neither it nor its warp counts. */
Test(samples, a_block_without_records_is_left_out)
{
	struct fixture f;
	struct result result = {.clock_hz = 2e9};
	struct error error;
	struct ptx_region *whole;

	make(&f);
	whole = &f.kernel.regions[1];
	memset(&f.bytes.whole[1], 0, sizeof(f.bytes.whole[1]));
	memset(&f.bytes.whole_blocks[1], 0, sizeof(f.bytes.whole_blocks[1]));
	whole->quiet_first = 1;
	whole->quiet_end = 2;
	cr_assert_eq(check(&f, &error), 0);
	cr_assert_eq(samples_collect(&f.output, 1, &result, &error), 0);
	cr_assert_eq(result.sample_count, 1 + WARPS * ITERATIONS);
	cr_expect_eq(result.samples[1].region, 1);
	cr_expect_eq(result.spans[0].cycles, 200000);
	cr_expect_float_eq(samples_clock_hz(&f.output, 1), 2e9, 1e6);
	result_free(&result);
}

#define REFUSED(change, sentence)                                              \
	do {                                                                   \
		struct fixture f;                                              \
		struct error error = {""};                                     \
                                                                               \
		make(&f);                                                      \
		change;                                                        \
		cr_assert_eq(check(&f, &error), ERR_FAILED);                   \
		cr_assert_str_eq(error.text, sentence);                        \
	} while (0)

Test(samples, records_that_cannot_be_are_refused)
{
	REFUSED(f.bytes.whole[1].stop_clock = 901,
		"warp 1 in region 'whole' of program 'probe' ended 100 cycles "
		"before it began");
	REFUSED(f.bytes.blocks[1].sm = 99999,
		"block 1 in region 'each' of program 'probe' ran on SM 99999 "
		"of a device with 8 SMs");
	REFUSED(f.bytes.blocks[0].sm = SMS,
		"block 0 in region 'each' of program 'probe' ran on SM 8 of a "
		"device with 8 SMs");
	REFUSED(f.bytes.whole_blocks[0].last_clock = 799,
		"block 0 in region 'whole' of program 'probe' read a clock "
		"that went back by 1 cycles");
	REFUSED(f.bytes.whole_blocks[0].last_ns = NOW_NS,
		"block 0 in region 'whole' of program 'probe' read a timer "
		"that went back by 6900 ns");
	REFUSED(f.bytes.whole_blocks[1].drain_clock = 790,
		"block 1 in region 'whole' of program 'probe' saw its writes "
		"arrive 10 cycles before it began");
}

/* 32 bits hold a sample: a long region is fine, a long iteration is not. */
Test(samples, an_iteration_beyond_32_bits_is_refused)
{
	struct fixture f;
	struct error error;
	uint32_t i;

	make(&f);
	f.bytes.each[0].stop_clock =
		f.bytes.each[0].start_clock + 3 * UINT64_C(0xfffffff0);
	for (i = 0; i < ITERATIONS; i++)
		f.bytes.cycles[0][i] = 0xffffff00;
	cr_assert_eq(check(&f, &error), 0);
	f.bytes.each[0].stop_clock += UINT64_C(1) << 32;
	cr_assert_eq(check(&f, &error), ERR_FAILED);
	cr_assert_str_eq(error.text,
		"warp 0 in region 'each' of program 'probe' has an iteration "
		"of more than 2^32 cycles, which its samples cannot hold");
}
