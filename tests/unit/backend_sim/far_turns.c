/* Who goes next where a link to far memory is full. */
#include <criterion/criterion.h>

#include "tests/unit/model_fixture.h"

TestSuite(far_turns, .timeout = 60);

/* Of GPC 1, SM 2 shares its CPC with SM 50, and SM 34 has its own alone. */
Test(far_turns, cpcs_of_a_gpc_take_turns)
{
	double cycles[2];

	model_stores("h200-sxm-x2", "memory=peer", 2, 64,
		(const unsigned[]){2, 34}, cycles);
	cr_expect_lt(
		cycles[1], 0.75 * cycles[0], "%g %g", cycles[0], cycles[1]);
}

/* Seven TPCs of the second side, and five of the first. */
Test(far_turns, sides_take_turns)
{
	double cycles[2];

	model_stores("h200-sxm-x2", "memory=peer", 2, 24,
		(const unsigned[]){2, 12}, cycles);
	cr_expect_float_eq(cycles[1] / cycles[0], 5. / 7, 0.08, "%g %g",
		cycles[0], cycles[1]);
}
