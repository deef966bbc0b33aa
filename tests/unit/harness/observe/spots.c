#include <criterion/criterion.h>
#include <math.h>

#include "harness/observe/spots.h"

TestSuite(spots, .timeout = 60);

/* Levels of 30, 200 and 700; between the last two a rest of one point. */
static double x[] = {1, 2, 4, 8, 16, 32, 64, 128, 160, 200, 400, 800};
static double y[] = {30, 30, 31, 30, 200, 201, 200, 200, 400, 405, 700, 701};
static const struct curve curve = {x, y, NULL, 12};

Test(spots, a_rest_within_a_knee_is_no_level)
{
	struct spots spots;
	struct spots_level levels[KNEES_MAX + 1];
	size_t count;

	cr_assert_eq(spots_find(&curve, &spots), 0);
	cr_assert_eq(spots.knee_count, 2);
	cr_assert_eq(spots_levels(&spots, levels, &count), 0);
	cr_assert_eq(count, 3);
	cr_expect_eq(levels[0].y, 30);
	cr_expect_eq(levels[1].y, 200.5);
	cr_expect_eq(levels[2].y, 701);
	cr_expect_eq(levels[1].first, 5);
	cr_expect_eq(levels[1].last, 6);
	cr_expect_eq(levels[2].first, 11);
}

Test(spots, each_spot_has_its_points)
{
	static const struct {
		enum spot spot;
		size_t count, first;
	} cases[] = {
		{SPOT_ALL, 12, 0},
		{SPOT_FIRST, 1, 0},
		{SPOT_LAST, 1, 11},
		{SPOT_HIGHEST, 1, 11},
		{SPOT_FIRST_PLATEAU, 2, 1},
		{SPOT_SECOND_PLATEAU, 2, 5},
		{SPOT_PLATEAU_BEFORE, 2, 5},
		{SPOT_LAST_PLATEAU, 1, 10},
		{SPOT_FIRST_KNEE, 4, 2},
	};
	struct spots spots;
	size_t points[12], i;

	cr_assert_eq(spots_find(&curve, &spots), 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect_eq(spots_take(&spots, cases[i].spot, points),
			cases[i].count, "%zu: %zu", i,
			spots_take(&spots, cases[i].spot, points));
		cr_expect_eq(
			points[0], cases[i].first, "%zu: %zu", i, points[0]);
	}
}

Test(spots, a_curve_without_points_has_none)
{
	const struct curve none = {0};
	struct spots spots;
	struct spots_level levels[KNEES_MAX + 1];
	size_t count, point;
	double median;

	cr_assert_eq(spots_find(&none, &spots), 0);
	cr_expect_eq(spots_take(&spots, SPOT_LAST, &point), 0);
	cr_expect_eq(spots_levels(&spots, levels, &count), 0);
	cr_expect_eq(count, 0);
	cr_expect_eq(spots_median(&none, 0, 1, &median), 0);
	cr_expect(isnan(median));
}
