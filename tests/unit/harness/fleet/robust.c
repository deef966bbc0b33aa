#include <criterion/criterion.h>
#include <math.h>

#include "harness/fleet/robust.h"

Test(robust, one_far_off_moves_neither_middle_nor_width)
{
	double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1e9};
	const struct robust r =
		robust_of(values, sizeof(values) / sizeof(values[0]));

	cr_assert_eq(r.median, 6);
	cr_assert_float_eq(r.scale, 3 / 0.6745, 1e-9);
}

Test(robust, a_figure_read_in_steps_has_a_width)
{
	/* most are of one value: the MAD is 0, and 2 is not far off */
	double values[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 0};
	const struct robust r = robust_of(values, 10);

	cr_assert_eq(r.median, 1);
	cr_assert_float_eq(r.scale, 1 / 1.2816, 1e-9);
}

Test(robust, without_members_there_is_nothing)
{
	cr_assert(isnan(robust_of(NULL, 0).scale));
}

/* Both tails of Student's t of 0.37 (n - 1) degrees of freedom, by Simpson's
   rule over its density. */
Test(robust, chances_are_those_of_students_t)
{
	static const struct {
		double z;
		size_t count;
		double chance;
	} cases[] = {
		{1, 20, 0.35048},
		{3, 20, 0.019841},
		{5, 20, 0.0015457},
		{2, 100, 0.052957},
		{4, 100, 0.00029515},
		{6, 100, 6.5162e-07},
		{4, 1000, 7.6524e-05},
		{6, 1000, 4.707e-09},
		{8, 1000, 1.6196e-14},
		{5, 10000, 5.9991e-07},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_assert_float_eq(robust_chance(cases[i].z,
					   robust_freedom(cases[i].count)) /
					   cases[i].chance,
			1, 0.25, "%zu: %g", i,
			robust_chance(
				cases[i].z, robust_freedom(cases[i].count)));
	cr_assert_eq(robust_chance(3, robust_freedom(1)), 1);
	cr_assert_eq(robust_freedom(0), 0);
	cr_assert_gt(robust_chance(1e200, 1000), 0);
}

Test(robust, benjamini_and_hochberg)
{
	/* of their paper: at 0.05 the first four are rejected */
	double chances[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278,
		0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
		1.0000};
	double none[] = {0.2, 0.6, 0.9};

	cr_assert_float_eq(
		robust_limit(chances, 15, 0.05), 0.05 * 4 / 15, 1e-12);
	cr_assert_eq(robust_limit(none, 3, 0.05), 0);
	cr_assert_eq(robust_limit(none, 0, 0.05), 0);
}
