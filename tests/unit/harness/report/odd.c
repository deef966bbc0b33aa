#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/stream.h"
#include "harness/report/odd.h"
#include "tests/unit/series_fixture.h"

TestSuite(odd, .timeout = 60);

static const double x[3] = {1, 2, 3};

static struct series *add(struct series_list *list, const char *bench,
	const char *uuid, double a, double b, double c)
{
	const double y[3] = {a, b, c};
	struct series *series = fixture_curve(list, bench, x, y, 3);

	facts_add(&series->provenance, "device.name", "GPU");
	facts_add(&series->provenance, "device.uuid", "%s", uuid);
	return series;
}

static void fill(struct series_list *list)
{
	add(list, "a", "A", 100, 200, 300);
	add(list, "a", "B", 101, 202, 303);
	add(list, "a", "C", 104, 240,
		390);                    /* 3, 19 and 29 from B, MAD 1 .. 3 */
	add(list, "b", "A", 10, 20, 30); /* of two devices: no place */
	add(list, "b", "B", 1000, 20, 30);
}

Test(odd, the_farthest_in_mad_is_first)
{
	struct series_list list = {0};
	struct error error = {""};
	struct odd odd;
	char *text = NULL;
	size_t bytes;
	FILE *out;

	fill(&list);
	cr_assert_eq(0, odd_find(&list, -1, &odd, &error), "%s", error.text);
	cr_assert_eq(odd.count, 3);
	cr_expect_str_eq(odd.items[0].key, "C");
	cr_expect_eq(odd.items[0].place_count, 3);
	cr_expect_float_eq(odd.items[0].mads, 19, 1e-9);
	cr_expect_str_eq(odd.items[1].key, "A");
	cr_expect_float_eq(odd.items[1].mads, 1, 1e-9);
	cr_expect_eq(odd.items[2].mads, 0);
	out = stream_open_text(&text, &bytes);
	odd_put(&odd, out);
	fclose(out);
	cr_expect_str_eq(text,
		"\ndevices by their distance from the median of 3, in MAD:\n"
		"  C, GPU: 19.0, median over 3 places: the odd one\n"
		"  A, GPU: 1.0, median over 3 places\n"
		"  B, GPU: 0.0, median over 3 places\n");
	free(text);
	odd_free(&odd);
	series_list_free(&list);
}

/* Two that agree have a MAD of 0, which is no unit. */
Test(odd, devices_that_agree_have_a_floor)
{
	struct series_list list = {0};
	struct error error;
	struct odd odd;

	add(&list, "a", "A", 100, 100, 100);
	add(&list, "a", "B", 100, 100, 100);
	add(&list, "a", "C", 101, 101, 101)->points[0].skipped = strdup("no");
	cr_assert_eq(0, odd_find(&list, -1, &odd, &error));
	cr_expect_str_eq(odd.items[0].key, "C");
	cr_expect_eq(odd.items[0].place_count, 2);
	cr_expect_float_eq(odd.items[0].mads, 10, 1e-9);
	odd_free(&odd);
	series_list_free(&list);
}

Test(odd, refusals)
{
	struct series_list list = {0};
	struct error error;
	struct odd odd;

	add(&list, "a", "A", 1, 2, 3);
	add(&list, "a", "B", 1, 2, 3);
	cr_expect_eq(ERR_USAGE, odd_find(&list, -1, &odd, &error));
	cr_expect(strstr(error.text, "the series are of 2"));
	add(&list, "b", "C", 1, 2, 3);
	cr_expect_eq(ERR_USAGE, odd_find(&list, -1, &odd, &error));
	cr_expect(strstr(error.text, "no point is there of 3 devices"));
	facts_add(&add(&list, "a", "C", 1, 2, 3)->options, "op", "x");
	facts_add(&list.items[0].options, "op", "y");
	cr_expect_eq(ERR_USAGE, odd_find(&list, -1, &odd, &error));
	series_list_free(&list);
}

/* The room behind the last point holds whatever was there before. */
Test(odd, nothing_is_read_behind_the_last_point)
{
	struct series_list list = {0};
	struct series *last;
	struct error error;
	struct odd odd;

	add(&list, "a", "A", 100, 200, 300);
	add(&list, "a", "B", 101, 202, 303);
	last = add(&list, "a", "C", 104, 240, 390);
	last->point_count = 2;
	cr_assert_eq(0, odd_find(&list, -1, &odd, &error));
	cr_expect_str_eq(odd.items[0].key, "C");
	cr_expect_eq(odd.items[0].place_count, 2);
	odd_free(&odd);
	last->point_count = 3;
	series_list_free(&list);
}
