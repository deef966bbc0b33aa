/* Counters of launches, whoever has them, side by side. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/tally/tally.h"

TestSuite(tally, .timeout = 60);

static struct error error;

static const char raw[] =
	"==PROF== Connected\n"
	"the program says \"ID\",\n"
	"\"ID\",\"Kernel Name\",\"dram__sectors_read.sum\","
	"\"Command line profiler metrics: lts__d.sum (sector)\","
	"\"dram__bytes_read.sum\"\n"
	"\"\",\"\",\"sector\",\"sector\",\"Kbyte\"\n"
	"\"0\",\"gather(int *, int)\",\"1,234\",\"n/a\",\"2.5\"\n"
	"a line of the program\n"
	"\"1\",\"other\",\"5\",\"6\",\"7\"\n";

static struct tally nsight(void)
{
	struct tally t = {0};
	char *text = strdup(raw);

	cr_assert(tally_is_nsight(text));
	cr_assert_eq(0, tally_read_nsight(text, strlen(text), "x", &t, &error),
		"%s", error.text);
	free(text);
	return t;
}

static void has(
	const struct tally_launch *l, size_t i, const char *name, double value)
{
	cr_assert_lt(i, l->count);
	cr_expect_str_eq(l->values[i].name, name);
	cr_expect_eq(l->values[i].value, value);
}

Test(tally, nsight_s_raw_page_is_read)
{
	struct tally t = nsight();

	cr_assert_eq(t.count, 2);
	cr_expect_str_eq(t.launches[0].kernel, "gather");
	cr_assert_eq(t.launches[0].count, 2);
	has(&t.launches[0], 0, "dram__sectors_read.sum", 1234);
	has(&t.launches[0], 1, "dram__bytes_read.sum", 2500);
	cr_expect_str_eq(t.launches[1].kernel, "other");
	cr_assert_eq(t.launches[1].count, 3);
	has(&t.launches[1], 1, "lts__d.sum", 6);
	tally_free(&t);
}

Test(tally, a_row_that_is_cut_is_no_row_of_others)
{
	struct tally t = {0};
	char *text = strdup(raw), *end = strrchr(text, ',');

	strcpy(end, "\n");
	cr_assert_eq(ERR_USAGE,
		tally_read_nsight(text, strlen(text), "x", &t, &error));
	cr_expect_str_eq(error.text,
		"kernel 1 of Nsight Compute's CSV has 4 fields instead of 5");
	tally_free(&t);
	free(text);
}

/* A dot before three digits, and nothing else that tells. */
Test(tally, numbers_of_two_meanings_are_refused)
{
	struct tally t = {0};
	char text[] = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\","
		      "\"Metric Value\"\n"
		      "\"0\",\"k\",\"a__b.sum\",\"cycle\",\"9.670\"\n";

	cr_assert_eq(ERR_USAGE,
		tally_read_nsight(text, strlen(text), "x", &t, &error));
	cr_expect_str_eq(error.text,
		"of no number in 'x' can be said whether its dot separates "
		"decimals or thousands: run ncu with LC_ALL=C");
	tally_free(&t);
}

Test(tally, other_text_is_not_nsight_s)
{
	static const char *const texts[] = {"", "\"ID\",\"Name\"\n",
		"x \"ID\",\"Kernel Name\"\n", "series\n",
		"\"ID\",\"Name\"\n\"Kernel Name\"\n"};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		cr_expect_not(tally_is_nsight(texts[i]), "%s", texts[i]);
}

/* A launch after the other; what one of them lacks, or both have 0 of, is left
   out. */
Test(tally, what_both_have_is_compared)
{
	struct tally base = nsight(), new = {0};
	struct tally_launch *l = tally_add(&new, "gather-small");
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	cr_assert(tally_add_value(l, "dram__sectors_read.sum", 617));
	cr_assert(tally_add_value(l, "lts__other.sum", 1));
	cr_assert_eq(
		0, tally_compare(&base, &new, NULL, FORMAT_CSV, out, &error));
	fclose(out);
	cr_expect_str_eq(text,
		"launch,base_kernel,new_kernel,counter,base,new,ratio\n"
		"0,gather,gather-small,dram__sectors_read.sum,1234,617,0.5\n");
	free(text);
	cr_expect_eq(ERR_USAGE, tally_compare(&base, &new, "lts__d.sum",
					FORMAT_CSV, stdout, &error));
	tally_free(&base);
	tally_free(&new);
}
