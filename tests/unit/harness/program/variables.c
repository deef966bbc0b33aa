#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/program/text/variables.h"

TestSuite(variables, .timeout = 60);

static const struct variable values[] = {
	{"size", "64"}, {"n", "1024"}, {"op_2", "ld.global.cg.b32"}};

static void expect(const char *text, const char *wanted)
{
	char *made = NULL;
	struct error error;

	cr_assert_eq(0, variables_replace(
				text, "p.txt", values, 3, NULL, &made, &error));
	cr_expect_str_eq(made, wanted);
	free(made);
}

static void refuse(const char *text, const char *sentence)
{
	char *made = NULL;
	struct error error;

	cr_assert_eq(ERR_USAGE, variables_replace(text, "p.txt", values, 3,
					NULL, &made, &error));
	cr_expect_str_eq(error.text, sentence);
	cr_expect_null(made);
}

Test(variables, are_replaced)
{
	expect("", "");
	expect("no variable", "no variable");
	expect("bytes=$size", "bytes=64");
	expect("bytes=${size}KiB repeat $n\n", "bytes=64KiB repeat 1024\n");
	expect("$op_2 [a + loop0*$size]", "ld.global.cg.b32 [a + loop0*64]");
	expect("$size$n", "641024");
	expect("# $nothing\n$n # $size", "# $nothing\n1024 # $size");
}

Test(variables, refusals_say_where)
{
	refuse("a\n  b=$sizes", "p.txt:2:5: the variable 'sizes' has no value: "
				"--var sizes=VALUE gives one");
	refuse("$", "p.txt:1:1: '$' begins the name of a variable, as in "
		    "$size or ${size}");
	refuse("x $1", "p.txt:1:3: '$' begins the name of a variable, as in "
		       "$size or ${size}");
	refuse("${size", "p.txt:1:1: '$' begins the name of a variable, as in "
			 "$size or ${size}");
	refuse("${}", "p.txt:1:1: '$' begins the name of a variable, as in "
		      "$size or ${size}");
}

Test(variables, a_value_is_one_word)
{
	static const struct variable bad[] = {
		{"a", "1\nload"}, {"b", "#"}, {"c", "$a"}};
	char *made;
	struct error error;

	cr_expect_eq(ERR_USAGE,
		variables_replace("$a", "p", bad, 3, NULL, &made, &error));
	cr_expect_eq(ERR_USAGE,
		variables_replace("$b", "p", bad, 3, NULL, &made, &error));
	cr_expect_eq(ERR_USAGE,
		variables_replace("$c", "p", bad, 3, NULL, &made, &error));
}

Test(variables, which_ones_a_text_has)
{
	bool used[3] = {false, false, false};
	char *made;
	struct error error;

	cr_expect(variables_has("a ${n}", "n"));
	cr_expect_not(variables_has("a $nn # $n", "n"));
	cr_assert_eq(0,
		variables_replace("$n", "p", values, 3, used, &made, &error));
	cr_expect(!used[0] && used[1] && !used[2]);
	free(made);
	cr_expect_eq(0, variables_check_name("a_1", &error));
	cr_expect_eq(ERR_USAGE, variables_check_name("1a", &error));
	cr_expect_eq(ERR_USAGE, variables_check_name("", &error));
	cr_expect_eq(ERR_USAGE, variables_check_name("a-b", &error));
}
