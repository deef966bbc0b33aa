/* How often a point is run: words, the end of the runs, and what is said. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "harness/judge/repeats.h"
#include "tests/unit/series_fixture.h"

TestSuite(repeats, .timeout = 30);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

Test(repeats, words_are_read_as_they_are_written)
{
	static const struct {
		const char *text, *again;
		unsigned count;
		double within;
	} rows[] = {{"7", "7", 7, 0}, {"auto", "auto:1%", REPEATS_MOST, 1},
		{"auto:2%", "auto:2%", REPEATS_MOST, 2},
		{"auto:0.25%", "auto:0.25%", REPEATS_MOST, 0.25}};
	static const char *const wrong[] = {"", "0", "-1", "1.5", "100001",
		"auto:", "auto:2", "auto:0%", "auto:101%", "auto:-1%",
		"auto: 1%", "auto:nan%", "auto:1%%", "automatic", "AUTO"};
	char text[REPEATS_BYTES];
	struct error error;
	struct repeats r;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		cr_assert_eq(0, repeats_parse(rows[i].text, &r, &error));
		cr_expect_eq(r.count, rows[i].count);
		cr_expect_eq(r.within_percent, rows[i].within);
		repeats_text(&r, text);
		cr_expect_str_eq(text, rows[i].again);
	}
	for (i = 0; i < COUNT(wrong); i++)
		cr_expect_eq(ERR_USAGE, repeats_parse(wrong[i], &r, &error),
			"'%s'", wrong[i]);
}

/* The runs that a point takes whose values are those of `next`. */
static unsigned runs_of(
	const struct repeats *r, int metric, double (*next)(unsigned run))
{
	double values[REPEATS_MOST + 1];
	struct repeats_course course;
	unsigned runs = 0;

	repeats_begin(&course, r);
	while (!repeats_enough(&course, runs,
		&(struct repeats_values){metric, values, runs, 1, 0})) {
		cr_assert_lt(runs, REPEATS_MOST);
		values[runs] = next(runs);
		runs++;
	}
	return runs;
}

static double steady(unsigned run)
{
	return 100 + 0.1 * (run % 2);
}

static double wild(unsigned run)
{
	return run % 2 ? 50 : 150;
}

/* Two in three are 100, so that the median settles. */
static double mostly(unsigned run)
{
	return run % 3 ? 100 : 130;
}

static double half(unsigned run)
{
	return 0.5 + 0.002 * (run % 2);
}

Test(repeats, runs_end_when_the_interval_is_there)
{
	const struct repeats five = {5, 0}, automatic = {REPEATS_MOST, 1},
			     loose = {REPEATS_MOST, 60};
	unsigned runs;

	cr_expect_eq(runs_of(&five, METRIC_LATENCY_CYCLES, wild), 5);
	cr_expect_eq(runs_of(&automatic, METRIC_LATENCY_CYCLES, steady),
		REPEATS_LEAST);
	cr_expect_eq(
		runs_of(&automatic, METRIC_LATENCY_CYCLES, wild), REPEATS_MOST);
	runs = runs_of(&automatic, METRIC_LATENCY_CYCLES, mostly);
	cr_expect(runs > REPEATS_LEAST && runs < REPEATS_MOST, "%u", runs);
	cr_expect_lt(runs_of(&loose, METRIC_LATENCY_CYCLES, mostly), runs);
	/* 0.2 hundredths, though 0.4 % */
	cr_expect_eq(runs_of(&(struct repeats){REPEATS_MOST, 0.3},
			     METRIC_SHARE_NEAR, half),
		REPEATS_LEAST);
	cr_expect_eq(runs_of(&automatic, -1, wild), REPEATS_LEAST);
}

/* Launches of a job go together: the last of them has to be there, too. */
Test(repeats, every_point_needs_its_interval)
{
	const struct repeats r = {REPEATS_MOST, 1};
	double values[2][3] = {{100, 100, 100}, {100, 100, 140}};
	struct repeats_course course;

	repeats_begin(&course, &r);
	cr_expect(repeats_enough(&course, 3,
		&(struct repeats_values){
			METRIC_ELAPSED_CYCLES, values[0], 3, 1, 3}));
	repeats_begin(&course, &r);
	cr_expect_not(repeats_enough(&course, 3,
		&(struct repeats_values){
			METRIC_ELAPSED_CYCLES, values[0], 3, 2, 3}));
}

Test(repeats, what_was_not_reached_is_said_once)
{
	struct summary summaries[] = {
		{.count = 3, .median = 100, .low = 99.5, .high = 100.5},
		{.count = 3, .median = 100, .low = 93, .high = 101},
		{.count = 3, .median = 100, .low = 98, .high = 101}};
	char bench[] = "pointer-chase", axis[] = "footprint_bytes";
	struct series series = {.bench = bench,
		.axis = axis,
		.metrics = 1u << METRIC_LATENCY_CYCLES};
	const struct repeats r = {REPEATS_MOST, 1}, fixed = {5, 0};
	char text[REPEATS_SENTENCE_BYTES];
	size_t i;

	for (i = 0; i < COUNT(summaries); i++) {
		struct point *point =
			series_add_point(&series, 4096.0 * (double)(i + 1));

		point_add_metric(point, METRIC_LATENCY_CYCLES)->summary =
			summaries[i];
	}
	repeats_missed(&r, &series, 1, text);
	cr_expect_str_eq(text,
		"2 of 3 points are not within 1 % after 100 runs or 60 s; the "
		"widest, 'pointer-chase' at footprint_bytes 8KiB, is within 7 "
		"% of its latency_cycles");
	repeats_missed(&fixed, &series, 1, text);
	cr_expect_str_eq(text, "");
	repeats_missed(&(struct repeats){REPEATS_MOST, 10}, &series, 1, text);
	cr_expect_str_eq(text, "");
	series.bench = series.axis = NULL;
	series_free(&series);
}
