/* Names beside an output. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file_name.h"

TestSuite(file_name, .timeout = 10);

/* Processes with the same number, in two containers, write the same folder. */
Test(file_name, a_temporary_name_is_no_other_ones)
{
	char *a = file_name_random("folder/out.json");
	char *b = file_name_random("folder/out.json");

	cr_assert(a && b);
	cr_expect_str_neq(a, b);
	cr_expect(!strncmp(a, "folder/.nearfar-", 16));
	cr_expect_eq(strlen(a), strlen("folder/.nearfar-0123456789abcdef.tmp"));
	free(a);
	free(b);
}

static void expect_label(const char *path, const char *wanted)
{
	char *label = file_name_label(path);

	cr_assert(label);
	cr_expect_str_eq(label, wanted);
	free(label);
}

Test(file_name, a_label_is_text_of_one_line)
{
	expect_label("results/chase-ld.ca.json.gz", "chase-ld.ca");
	expect_label("a.csv", "a");
	expect_label(".json", ".json");
	expect_label("a\nb\x7f.json", "a_b_");
	expect_label("\xc3\xa9.json", "\xc3\xa9");
	expect_label("\xc3.json", "_");
}
