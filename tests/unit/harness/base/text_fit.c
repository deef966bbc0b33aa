#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text_table.h"

TestSuite(text_fit, .timeout = 60);

static char *put(const struct text_table *table, const char *columns)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (columns)
		setenv("COLUMNS", columns, 1);
	else
		unsetenv("COLUMNS");
	text_table_put(table, out);
	fclose(out);
	return text;
}

static void expect(
	const struct text_table *table, const char *columns, const char *wanted)
{
	char *text = put(table, columns);

	cr_assert_str_eq(text, wanted);
	free(text);
}

Test(text_fit, columns_that_do_not_fit_come_below_with_the_first)
{
	struct text_table table = {0};
	size_t row;

	text_table_add(&table, "x");
	text_table_add(&table, "first");
	text_table_add(&table, "second");
	text_table_add(&table, "third");
	for (row = 1; row <= 2; row++) {
		text_table_row(&table);
		text_table_add(&table, "%zu", row);
		text_table_add(&table, "1.%zu", row);
		if (row == 2) {
			text_table_rest(&table, "skipped: why");
			continue;
		}
		text_table_add(&table, "2.%zu", row);
		text_table_add(&table, "3.%zu", row);
	}
	expect(&table, NULL,
		"x  first  second  third\n1    1.1     2.1    3.1\n"
		"2    1.2  skipped: why\n");
	expect(&table, "23",
		"x  first  second  third\n1    1.1     2.1    3.1\n"
		"2    1.2  skipped: why\n");
	expect(&table, "22",
		"x  first  second\n1    1.1     2.1\n2    1.2  skipped: why\n"
		"\nx  third\n1    3.1\n2\n");
	expect(&table, "2",
		"x\n1\n2\n\nx  first\n1    1.1\n2    1.2\n"
		"\nx  second\n1     2.1\n2  skipped: why\n"
		"\nx  third\n1    3.1\n2\n");
	text_table_free(&table);
}
