/* Each rule, just below and just above where it begins. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/text/text.h"
#include "harness/judge/mark_rules.h"
#include "tests/unit/series_fixture.h"

TestSuite(mark_rules, .timeout = 30);

#define REPEATS 3
#define VALUES  6

/* A chase in L1, three repeats of two values, a quiet device. */
struct fixture {
	struct program program;
	struct point point;
	struct device device;
	struct mark_source source;
	double values[VALUES], scratch[VALUES];
	size_t ends[REPEATS];
	struct span_row spans[REPEATS];
};

#define CHASE                                                                  \
	"nearfar-program 1\nname test\nseed 1\n"                               \
	"buffer ring bytes=%s fill=ring slot=%u\n"                             \
	"launch warm\nrole r sms=0:1 threads=1 lanes=1\n"                      \
	"repeat %u\nld.global.cg.b64 [ring chase]\nend\n"                      \
	"launch measure\nrole r sms=0:1 threads=1 lanes=1\n"                   \
	"repeat 64 region=measure time=region\n"                               \
	"ld.global.cg.b64 [ring chase]\nend\n"

static void parse(
	struct fixture *f, const char *bytes, unsigned slot, unsigned links)
{
	struct error error = {""};
	char text[700];

	snprintf(text, sizeof(text), CHASE, bytes, slot, links);
	cr_assert_eq(0, program_parse(text, "test", &f->program, &error), "%s",
		error.text);
}

static void make(struct fixture *f)
{
	struct metric_values *latency;
	size_t i;

	memset(f, 0, sizeof(*f));
	parse(f, "16KiB", 128, 128);
	f->device = (struct device){.sm_count = 8, .l2_bytes = 1 << 20};
	for (i = 0; i < VALUES; i++)
		f->values[i] = 100;
	for (i = 0; i < REPEATS; i++) {
		f->ends[i] = 2 * (i + 1);
		f->spans[i] =
			(struct span_row){0, (uint32_t)i, 6400, 3200, 2e9};
	}
	latency = point_add_metric(&f->point, METRIC_LATENCY_CYCLES);
	latency->values = f->values;
	latency->value_count = VALUES;
	*fixture_summary(&f->point, METRIC_LATENCY_CYCLES) =
		(struct summary){.median = 100, .low = 100, .high = 100};
	f->point.spans = f->spans;
	f->point.span_count = REPEATS;
	f->point.clock_hz = 2e9;
	f->source =
		(struct mark_source){&f->point, METRIC_LATENCY_CYCLES, REPEATS,
			f->ends, f->scratch, 0, false, &f->program, &f->device};
}

/* The set after one change. */
#define MARKS_AFTER(change)                                                    \
	({                                                                     \
		struct fixture f;                                              \
		uint32_t found;                                                \
                                                                               \
		make(&f);                                                      \
		change;                                                        \
		found = marks_find(&f.source);                                 \
		free(f.point.metrics); /* whose values are the fixture's */    \
		found;                                                         \
	})
#define NONE(change)       cr_expect_eq(0, MARKS_AFTER(change))
#define ONLY(mark, change) cr_expect_eq(1u << MARK_##mark, MARKS_AFTER(change))

Test(mark_rules, a_quiet_point_has_none)
{
	NONE((void)0);
	NONE(f.source.metric = -1);
}

Test(mark_rules, the_clock_moved)
{
	NONE(f.spans[2].clock_hz = 2.019e9);
	ONLY(CLOCK_MOVED, f.spans[2].clock_hz = 2.021e9);
	ONLY(CLOCK_MOVED, f.spans[1].clock_hz = 1.97e9);
}

Test(mark_rules, what_the_device_says)
{
	ONLY(THROTTLED, f.source.disturbances = DISTURBED_THROTTLED);
	ONLY(SHARED, f.source.disturbances = DISTURBED_SHARED);
	ONLY(SHORT_REGION, f.source.disturbances = DISTURBED_CLOCK_UNKNOWN);
	ONLY(SHORT_REGION, f.source.coarse = true);
}

/* By the medians of the repeats, not by single values. */
Test(mark_rules, repeats_disagree)
{
	NONE(f.values[4] = 200; f.values[5] = 15);
	NONE(f.values[4] = f.values[5] = 109);
	ONLY(REPEATS_DISAGREE, f.values[4] = f.values[5] = 111);
	ONLY(REPEATS_DISAGREE, f.values[0] = f.values[1] = 89);
	NONE(f.values[4] = f.values[5] = 111; f.source.repeats = 1);
}

/* A share may be 0, so its differences count. */
static void use_shares(struct fixture *f)
{
	struct metric_values *share =
		point_add_metric(&f->point, METRIC_SHARE_L1);

	f->source.metric = METRIC_SHARE_L1;
	*share = (struct metric_values){
		.metric = METRIC_SHARE_L1, .values = f->values};
	memset(f->values, 0, sizeof(f->values));
}

Test(mark_rules, repeats_of_shares_disagree)
{
	NONE(use_shares(&f); f.values[4] = f.values[5] = 0.04);
	ONLY(REPEATS_DISAGREE, use_shares(&f);
		f.values[4] = f.values[5] = 0.06);
}

Test(mark_rules, the_interval_is_wide)
{
	NONE(fixture_summary(&f.point, METRIC_LATENCY_CYCLES)->high = 109);
	ONLY(WIDE_INTERVAL,
		fixture_summary(&f.point, METRIC_LATENCY_CYCLES)->high = 111);
	ONLY(WIDE_INTERVAL,
		fixture_summary(&f.point, METRIC_LATENCY_CYCLES)->low = 89);
	NONE(use_shares(&f);
		fixture_summary(&f.point, METRIC_SHARE_L1)->high = 0.09);
	ONLY(WIDE_INTERVAL, use_shares(&f);
		fixture_summary(&f.point, METRIC_SHARE_L1)->high = 0.11);
}

/* L2 is 1 MiB. What comes back is more than that and less than twice it; slots
   that are apart take a line each; a start on a ring is not all of it. */
Test(mark_rules, partly_cached)
{
	NONE(parse(&f, "1MiB", 128, 40000));
	ONLY(PARTLY_CACHED, parse(&f, "1100KiB", 128, 40000));
	ONLY(PARTLY_CACHED, parse(&f, "2040KiB", 128, 40000));
	NONE(parse(&f, "2MiB", 128, 40000));
	NONE(parse(&f, "1100KiB", 128, 1024));
	NONE(parse(&f, "8MiB", 1024, 40000));
	ONLY(PARTLY_CACHED, parse(&f, "12MiB", 1024, 40000));
	NONE(parse(&f, "1100KiB", 128, 40000); use_shares(&f));
}

/* 2 % of a span are a step of the timer. */
Test(mark_rules, spans_are_coarse)
{
	struct result result = {0};
	struct fixture f;

	make(&f);
	result.spans[0] = (struct span){3200, 1600, 32};
	cr_expect_not(marks_span_is_coarse(
		&f.program, &result, 1u << METRIC_BYTES_PER_CYCLE));
	result.spans[0].ns = 1599;
	cr_expect(marks_span_is_coarse(
		&f.program, &result, 1u << METRIC_BYTES_PER_CYCLE));
	cr_expect_not(marks_span_is_coarse(
		&f.program, &result, 1u << METRIC_LATENCY_CYCLES));
	result.spans[0].step_ns = 0;
	cr_expect_not(marks_span_is_coarse(
		&f.program, &result, 1u << METRIC_BYTES_PER_CYCLE));
}

/* From 2 to 4 GHz in a run: the mean never was. */
Test(mark_rules, a_point_away_from_the_clock_of_its_series)
{
	struct point points[5] = {{0}};
	struct series series = {.points = points, .point_count = 5};
	size_t i;

	for (i = 0; i < 5; i++)
		points[i].clock_hz = 2e9;
	points[1].clock_hz = 2.01e9;
	points[2].clock_hz = 4e9;
	points[4].skipped = (char *)"absent";
	points[4].clock_hz = 0;
	cr_expect_eq(0, marks_add_series(&series));
	for (i = 0; i < 5; i++)
		cr_expect_eq(points[i].marks,
			i == 2 ? 1u << MARK_CLOCK_MOVED : 0, "point %zu", i);
}
