#include <criterion/criterion.h>
#include <string.h>

#include "harness/whatif/choice.h"

TestSuite(choice, .timeout = 60);

Test(choice, combinations_with_the_last_fastest)
{
	static const char *const wanted[][2] = {{"1", "x"}, {"1", "y"},
		{"1", "z"}, {"2", "x"}, {"2", "y"}, {"2", "z"}};
	struct choice_list list = {0};
	struct error error;
	size_t count, i;

	cr_assert_eq(0, choice_combinations(&list, &count, &error));
	cr_expect_eq(count, 1);
	cr_assert_eq(0, choice_add(&list, "a=1,2", "--set", &error));
	cr_assert_eq(0, choice_add(&list, "b=x,y,z", "--set", &error));
	cr_assert_eq(0, choice_combinations(&list, &count, &error));
	cr_assert_eq(count, 6);
	for (i = 0; i < count; i++) {
		cr_expect_str_eq(choice_word(&list, i, 0), wanted[i][0]);
		cr_expect_str_eq(choice_word(&list, i, 1), wanted[i][1]);
	}
	choice_list_free(&list);
}

Test(choice, refusals)
{
	static const char *const bad[] = {"", "a", "=1", "a=", "a=1,", "a=,1"};
	struct choice_list list = {0};
	struct error error;
	size_t i, count;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_eq(ERR_USAGE,
			choice_add(&list, bad[i], "--set", &error), "%s",
			bad[i]);
	choice_list_free(&list);
	for (i = 0; i < 13; i++)
		cr_assert_eq(0, choice_add(&list, "a=1,2", "--set", &error));
	cr_expect_eq(ERR_USAGE, choice_combinations(&list, &count, &error));
	choice_list_free(&list);
}

static void expect_axis(
	const char *text, const double *x, size_t count, bool is_set)
{
	struct choice_axis axis;
	struct error error;
	size_t i;

	cr_assert(choice_is_axis(text));
	cr_assert_eq(
		0, choice_axis_parse(text, &axis, &error), "%s", error.text);
	cr_expect_eq(axis.is_set, is_set);
	cr_expect_str_eq(axis.choice.name, "p");
	cr_assert_eq(axis.choice.count, count);
	for (i = 0; i < count; i++)
		cr_expect_float_eq(axis.x[i], x[i], 1e-6 * x[i]);
	choice_axis_free(&axis);
}

Test(choice, axes)
{
	static const double list[] = {31457280, 0.5, 17, 40};
	static const double whole[] = {1, 2, 3, 4, 6, 8};
	static const double parts[] = {0.5, 0.70710678, 1, 1.41421356};

	expect_axis("set:p=30MiB,0.5,0x11,40", list, 4, true);
	expect_axis("var:p=1:8:2", whole, 6, false);
	expect_axis("set:p=0.5:1.5:2", parts, 4, true);
	cr_expect_not(choice_is_axis("4KiB:1MiB:4"));
	cr_expect_not(choice_is_axis("1,2"));
}

Test(choice, axes_that_are_none)
{
	static const char *const bad[] = {"set:", "set:p", "set:p=", "set:p=x",
		"var:p=ld.ca,ld.cg", "set:p=1:2", "set:p=2:1:1", "set:p=0:1:1",
		"set:p=1:2:0", "set:p=1:2:3:4", "set:p=1,,2",
		"set:p=1:1000000:4096", "set:=1"};
	struct choice_axis axis;
	struct error error;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_eq(ERR_USAGE,
			choice_axis_parse(bad[i], &axis, &error), "%s", bad[i]);
}
