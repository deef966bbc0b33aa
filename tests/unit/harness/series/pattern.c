#include <criterion/criterion.h>

#include "harness/series/pattern.h"

TestSuite(series_pattern, .timeout = 60);

Test(series_pattern, a_trait_that_is_not_there_has_no_value)
{
	struct series s = {.bench = (char[]){"chase"}};

	cr_assert_eq(facts_add(&s.options, "op", "ld.ca"), 0);
	cr_expect(series_pattern_matches("c*:op=ld.*", &s));
	cr_expect(series_pattern_matches("chase:width=", &s));
	cr_expect_not(series_pattern_matches("chase:width=4", &s));
	cr_expect_not(series_pattern_matches("chase:op=", &s));
	cr_expect_not(series_pattern_matches("chase:op", &s));
	facts_free(&s.options);
}
