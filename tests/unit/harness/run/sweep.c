#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "harness/run/sweep.h"

TestSuite(sweep, .timeout = 30);

static void expect_points(const char *text, enum axis_unit unit,
	const double *points, size_t count)
{
	struct sweep s = {0};
	struct error error = {""};
	size_t i;

	cr_assert_eq(
		0, sweep_parse(text, unit, 132, &s, &error), "%s", error.text);
	cr_assert_eq(s.count, count, "%zu points of %s", s.count, text);
	for (i = 0; i < count; i++)
		cr_expect_eq(s.points[i], points[i], "point %zu of %s is %g", i,
			text, s.points[i]);
	sweep_free(&s);
	cr_expect_eq(s.count, 0);
}

#define POINTS(...)                                                            \
	(double[]){__VA_ARGS__},                                               \
		sizeof((double[]){__VA_ARGS__}) / sizeof(double)

Test(sweep, lists_are_as_written)
{
	expect_points("4096", AXIS_BYTES, POINTS(4096));
	expect_points("4KiB,1MiB,3", AXIS_BYTES, POINTS(4096, 1 << 20, 3));
	expect_points("8,1,8", AXIS_COUNT, POINTS(8, 1, 8));
	expect_points("1,%S", AXIS_COUNT, POINTS(1, 132));
	expect_points("%S-2,%S-132,%S-200", AXIS_COUNT, POINTS(130, 0, 0));
	expect_points("65:%S-2:1", AXIS_COUNT, POINTS(65, 130));
	expect_points("1kB,1K", AXIS_BYTES, POINTS(1000, 1024));
}

Test(sweep, ranges_are_geometric_with_both_ends)
{
	expect_points("1:8:1", AXIS_COUNT, POINTS(1, 2, 4, 8));
	expect_points("4KiB:16KiB:1", AXIS_BYTES, POINTS(4096, 8192, 16384));
	expect_points("4KiB:8KiB:2", AXIS_BYTES, POINTS(4096, 5760, 8192));
	expect_points("33:%S:1", AXIS_COUNT, POINTS(33, 66, 132));
	expect_points("5:5:3", AXIS_COUNT, POINTS(5));
}

/* 2^32 + 1 SMs are not one SM, and a long word is not its beginning. */
Test(sweep, what_no_device_has_is_refused)
{
	static const struct {
		const char *text;
		enum axis_unit unit;
	} rows[] = {
		{"4294967296", AXIS_COUNT},
		{"4294967297", AXIS_COUNT},
		{"1,4294967297", AXIS_COUNT},
		{"1:4294967296:1", AXIS_COUNT},
		{"18446744073709551615", AXIS_COUNT},
		{"18446744073709551615", AXIS_BYTES},
		{"1025GiB", AXIS_BYTES},
		{"00000000000000000000000000000000000000000000000000000000000"
		 "00000004096",
			AXIS_BYTES},
	};
	struct sweep s = {0};
	struct error error;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(ERR_USAGE,
			sweep_parse(
				rows[i].text, rows[i].unit, 132, &s, &error),
			"%s", rows[i].text);
	expect_points("4294967295", AXIS_COUNT, POINTS(4294967295));
	expect_points("1TiB", AXIS_BYTES, POINTS(0x1p40));
}

/* Small counts that round to the same number appear once. */
Test(sweep, no_point_comes_twice)
{
	struct sweep s = {0};
	size_t i;

	cr_assert_eq(0, sweep_parse("1:64:8", AXIS_COUNT, 1, &s, NULL));
	for (i = 1; i < s.count; i++)
		cr_expect_gt(s.points[i], s.points[i - 1]);
	cr_expect_eq(s.points[0], 1);
	cr_expect_eq(s.points[s.count - 1], 64);
	sweep_free(&s);
}

Test(sweep, sizes_are_whole_lines)
{
	struct sweep s = {0};
	size_t i;

	cr_assert_eq(0, sweep_parse("4KiB:1GiB:7", AXIS_BYTES, 1, &s, NULL));
	cr_expect_eq(s.count, 18 * 7 + 1);
	for (i = 0; i < s.count; i++)
		cr_expect_eq(fmod(s.points[i], 128), 0);
	sweep_free(&s);
}

Test(sweep, wrong_words_are_refused)
{
	static const char *const words[] = {"", ",", "1,", ",1", "1,,2", "x",
		"1:", "1:2", "1:2:", ":2:1", "1:2:3:4", "2:1:1", "0:4:1",
		"1:4:0", "1:4:x", "1:4:-1", "-1", "4XB", "1.5.2", "%s", "%S-",
		"%S-x", "%S2", "%S+1", "nan", "1e400", "1:1e400:1", " 1"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct sweep s = {0};
		struct error error = {""};

		cr_expect_eq(ERR_USAGE,
			sweep_parse(words[i], AXIS_BYTES, 132, &s, &error),
			"'%s'", words[i]);
		cr_expect(*error.text, "'%s'", words[i]);
		cr_expect_null(s.points);
	}
}

Test(sweep, a_sweep_has_its_most_points)
{
	struct sweep s = {0};
	struct error error = {""};

	cr_expect_eq(ERR_USAGE,
		sweep_parse("1:1000000000:1000", AXIS_COUNT, 1, &s, &error));
	cr_expect(strstr(error.text, "4096"), "%s", error.text);
	/* More than a day of rounding to the same line; refused at once. */
	alarm(10);
	cr_expect_eq(ERR_USAGE, sweep_parse("4KiB:1GiB:44294967296", AXIS_BYTES,
					1, &s, &error));
}
