/* Parts, costs and stamps. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/split/cost.h"
#include "harness/split/part.h"
#include "harness/split/split.h"
#include "harness/split/stamp.h"
#include "harness/program/text/text.h"
#include "tests/unit/series_fixture.h"

TestSuite(split, .timeout = 60);

/* ---- parts ---- */

Test(split, a_point_has_one_part_and_stays_there)
{
	static const double x[] = {1, 2, 4096, 8192, 1048576};
	size_t i, k, n, owners, of_seven[7] = {0};

	for (i = 0; i < 5; i++)
		for (n = 1; n <= 40; n++) {
			struct part part = {.count = n};

			for (owners = 0, k = 1; k <= n; k++) {
				part.number = k;
				owners += part_has(&part, "row", i, x[i]);
			}
			cr_expect_eq(owners, 1);
		}
	for (i = 0; i < 7000; i++)
		of_seven[part_owner("row", 0, &(double){(double)i}, 7)]++;
	for (i = 0; i < 7; i++)
		cr_expect(of_seven[i] > 850 && of_seven[i] < 1150, "%zu: %zu",
			i, of_seven[i]);
}

Test(split, whole_series_are_in_one_part)
{
	struct part part = {1, 5, true};
	size_t series, i;

	for (series = 0; series < 20; series++)
		for (part.number = 1; part.number <= 5; part.number++)
			for (i = 0; i < 50; i++)
				cr_expect_eq(
					part_has(&part, "a", series, (double)i),
					part_has(&part, "a", series, 0));
}

Test(split, parts_are_written_and_read)
{
	static const char *const bad[] = {"", "1", "1/", "/2", "0/2", "3/2",
		"1/0", "01/2", "1/2x", "1/100001", "-1/2", "1/2 of", "x/2"};
	const struct part parts[] = {{3, 32, false}, {1, 1, true}};
	char text[PART_TEXT_BYTES];
	struct part found;
	size_t i;

	for (i = 0; i < 2; i++) {
		part_format(&parts[i], text);
		cr_assert(part_read(text, &found));
		cr_expect_eq(found.number, parts[i].number);
		cr_expect_eq(found.count, parts[i].count);
		cr_expect_eq(found.whole_series, parts[i].whole_series);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_expect_not(part_read(bad[i], &found), "%s", bad[i]);
		cr_expect_eq(part_parse(bad[i], &found, NULL), ERR_USAGE);
	}
	cr_expect(part_of_file("12-of-32.json.gz", &found));
	cr_expect_eq(found.number, 12);
	cr_expect_not(part_of_file("12-of-32.json", &found));
	cr_expect_not(part_of_file("33-of-32.json.gz", &found));
}

/* ---- costs ---- */

static double cost_of(const char *body)
{
	struct program program;
	struct error error = {""};
	char text[1024];

	snprintf(text, sizeof(text),
		"nearfar-program 1\nname x\nseed 1\n"
		"buffer b bytes=1MiB fill=ring slot=128\n%s",
		body);
	cr_assert_eq(0, program_parse(text, "test", &program, &error), "%s",
		error.text);
	return cost_program(&program, 10) - COST_OF_A_RUN;
}

#define ROLE(words, count, insn)                                               \
	"  role r " words "\n    repeat " count "\n      " insn "\n    end\n"

Test(split, a_cost_counts_lines)
{
	const char *affine = "launch l\n" ROLE("sms=0:1 threads=64 lanes=32",
		"100", "ld.global.cg.b32 [b + lane*%s + loop0*128]");
	char near[512], far[512];

	snprintf(near, sizeof(near), affine, "4");
	snprintf(far, sizeof(far), affine, "128");
	/* Two warps; 32 words are two lines at most. */
	cr_expect_float_eq(cost_of(near), 100 * 2 * 2, 1e-9);
	cr_expect_float_eq(cost_of(far), 100 * 2 * 32, 1e-9);
	cr_expect_float_eq(
		cost_of("launch l\n" ROLE("sms=0:1 threads=1 lanes=1", "300",
			"ld.global.cg.b64 [b chase]")),
		300, 1e-9);
	/* One on each of ten SMs. */
	cr_expect_float_eq(
		cost_of("launch l\n" ROLE("sms=all threads=1 lanes=1", "300",
			"ld.global.cg.b64 [b chase]")),
		3000, 1e-9);
	cr_expect_float_eq(cost_of("flush\n"), 0, 1e-9);
}

Test(split, a_background_costs_as_much_as_what_it_waits_for)
{
	double cost = cost_of("launch l\n" ROLE("sms=0:1 threads=1 lanes=1",
		"500",
		"ld.global.cg.b64 [b chase]") "  role s sms=others threads=64 "
					      "lanes=32 background\n"
					      "    ld.global.cg.b32 [b + "
					      "lane*4]\n");

	cr_expect_float_eq(cost, 500 + 9 * 2 * 500, 1e-9);
}

/* ---- stamps ---- */

#define TEXT(words) ((char[]){words})

static double places[20];
static struct split_series planned = {
	TEXT("a"), TEXT("footprint_bytes"), places, 20};
static struct split_row row = {
	.name = TEXT("row"), .series = &planned, .series_count = 1};

/* All points are of part 1 of 1; places of them, ascending. */
static struct split one(void)
{
	size_t i;

	for (i = 0; i < 20; i++)
		places[i] = (double)i;
	return (struct split){.build = "build", .rows = &row, .row_count = 1};
}

/* The stamp of points is what is read again. */
Test(split, stamps_name_points)
{
	static const struct {
		size_t points[4], count;
		const char *text;
	} cases[] = {
		{{5, 6, 7, 9}, 4, "5-7,9"},
		{{5, 7, 9, 11}, 4, "5,7,9,11"},
		{{19}, 1, "19"},
		{{0, 1, 2, 3}, 4, "0-3"},
	};
	const double x[4] = {1, 2, 3, 4};
	const struct split split = one();
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct series_list list = {0};
		struct series *series =
			fixture_curve(&list, "a", x, x, cases[i].count);
		struct stamp stamp = {
			{1, 1, false}, 0, 0, (size_t *)cases[i].points};
		struct stamp found;
		struct error error = {""};

		cr_assert_eq(0, stamp_put(&split, &stamp, series));
		cr_expect_str_eq(facts_find(&series->provenance, "part.points"),
			cases[i].text);
		cr_assert_eq(0, stamp_read(&split, series, "f", &found, &error),
			"%s", error.text);
		cr_expect_eq(found.part.number, 1);
		cr_expect_eq(0, memcmp(found.points, cases[i].points,
					cases[i].count * sizeof(size_t)));
		stamp_free(&found);
		series_list_free(&list);
	}
}

Test(split, stamps_that_do_not_fit_are_refused)
{
	/* Of three points of 0 to 19. */
	static const char *const bad[] = {"", "5", "5-6", "5-8", "5,6,7,8",
		"7,6,5", "5,5,6", "18-20", "5-7,", "5-7x", "x", "-5", "5,6-",
		"99999999999999999999"};
	const double x[3] = {1, 2, 3};
	const struct split split = one();
	size_t i, k;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct series_list list = {0};
		struct series *series = fixture_curve(&list, "a", x, x, 3);
		struct stamp stamp = {{1, 1, false}, 0, 0, (size_t[]){5, 6, 7}};
		struct stamp found;
		struct error error = {""};

		cr_assert_eq(0, stamp_put(&split, &stamp, series));
		for (k = 0; k < series->provenance.count; k++) {
			struct fact *fact = &series->provenance.items[k];

			if (strcmp(fact->key, "part.points"))
				continue;
			free(fact->value);
			fact->value = strdup(bad[i]);
		}
		cr_expect_eq(ERR_FAILED,
			stamp_read(&split, series, "f", &found, &error), "%s",
			bad[i]);
		cr_expect(strstr(error.text, "'f' does not fit its suite"));
		series_list_free(&list);
	}
}

Test(split, points_of_another_part_are_refused)
{
	const double x[1] = {1};
	const struct split split = one();
	struct series_list list = {0};
	struct series *series = fixture_curve(&list, "a", x, x, 1);
	const size_t other = part_owner("row", 0, &places[3], 7) ? 1 : 2;
	struct stamp stamp = {{other, 7, false}, 0, 0, (size_t[]){3}}, found;
	struct error error = {""};

	cr_assert_eq(0, stamp_put(&split, &stamp, series));
	cr_expect_eq(
		ERR_FAILED, stamp_read(&split, series, "f", &found, &error));
	series_list_free(&list);
}
