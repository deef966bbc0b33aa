#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/report/compare.h"
#include "harness/series/curve.h"
#include "tests/unit/series_fixture.h"

TestSuite(compare, .timeout = 60);

#define POINTS 49 /* 4 an octave from 4 KiB: 12 octaves */

/* Levels 30, 270 and 700 cycles with steps that are half an octave wide. */
static double step_at(double x, double knee)
{
	const double octaves = log2(x / knee);

	return octaves < -0.25 ? 0 : octaves > 0.25 ? 1 : octaves * 2 + 0.5;
}

static struct series *make(struct series_list *list, const char *bench,
	double first_knee, double second_knee, double factor)
{
	double x[POINTS], y[POINTS];
	size_t i;

	for (i = 0; i < POINTS; i++) {
		x[i] = round(4096 * pow(2, (double)i / 4));
		y[i] = factor * 30 * pow(9, step_at(x[i], first_knee)) *
		       pow(2.5, step_at(x[i], second_knee));
	}
	return fixture_curve(list, bench, x, y, POINTS);
}

static struct comparison compare(
	const struct series *base, const struct series *new)
{
	const struct series_pair pair = {base, new};
	struct comparison comparison;
	struct error error;

	cr_assert_eq(0, comparison_make(&pair, -1, &comparison, &error), "%s",
		error.text);
	return comparison;
}

Test(compare, known_error_everywhere)
{
	struct series_list list[2] = {0};
	struct comparison c;
	const struct series *base = make(&list[0], "a", 65536, 1 << 21, 1);
	const struct series *new = make(&list[1], "a", 65536, 1 << 21, 1.05);
	size_t i;

	c = compare(base, new);
	cr_expect_eq(c.row_count, POINTS);
	cr_expect_eq(c.only_base + c.only_new, 0);
	for (i = 0; i < c.row_count; i++) {
		cr_expect_float_eq(c.rows[i].error_percent, 5, 1e-9);
		cr_expect_float_eq(c.rows[i].ratio, 1.05, 1e-9);
	}
	cr_expect_float_eq(c.all.median_percent, 5, 1e-9);
	cr_expect_float_eq(c.all.worst_percent, 5, 1e-9);
	cr_expect_float_eq(c.flat.median_percent, 5, 1e-9);
	cr_expect_lt(c.flat.count, c.all.count);
	cr_assert_eq(c.knee_count, 2);
	cr_expect_float_eq(c.knees[0].octaves, 0, 1e-9);
	comparison_free(&c);
	series_list_free(&list[0]);
	series_list_free(&list[1]);
}

Test(compare, a_knee_that_moved)
{
	struct series_list list[2] = {0};
	struct comparison c;
	const struct series *base = make(&list[0], "a", 65536, 1 << 21, 1);
	const struct series *new = make(&list[1], "a", 65536, 1 << 22, 1);

	c = compare(base, new);
	cr_assert_eq(c.knee_count, 2);
	cr_expect_float_eq(log2(c.knees[0].base_x), 16, 0.01);
	cr_expect_float_eq(c.knees[0].octaves, 0, 1e-9);
	cr_expect_float_eq(c.knees[0].from, 30, 1e-9);
	cr_expect_float_eq(c.knees[0].to, 270, 1e-9);
	cr_expect_float_eq(log2(c.knees[1].base_x), 21, 0.01);
	cr_expect_float_eq(c.knees[1].octaves, 1, 0.01);
	cr_expect_float_eq(c.knees[1].to, 675, 1e-9);
	cr_expect_eq(c.all.median_percent, 0);
	cr_expect_float_eq(c.all.worst_percent, 60, 1e-9);
	comparison_free(&c);
	series_list_free(&list[0]);
	series_list_free(&list[1]);
}

Test(compare, a_knee_that_vanished)
{
	struct series_list list[2] = {0};
	struct comparison c;
	const struct series *base = make(&list[0], "a", 65536, 1 << 21, 1);
	const struct series *new = make(&list[1], "a", 1, 1 << 21, 1);

	c = compare(base, new);
	cr_assert_eq(c.knee_count, 2);
	cr_expect(isnan(c.knees[0].new_x) && isnan(c.knees[0].octaves));
	cr_expect_float_eq(log2(c.knees[0].base_x), 16, 0.01);
	cr_expect_float_eq(c.knees[1].octaves, 0, 0.01);
	comparison_free(&c);
	series_list_free(&list[0]);
	series_list_free(&list[1]);
}

Test(compare, noise_makes_no_knees)
{
	struct series_list list = {0};
	struct series *series = make(&list, "a", 1, 1e12, 1);
	struct random_state random;
	struct knee knees[KNEES_MAX];
	struct curve curve;
	struct error error;
	size_t count, i;

	random_init(&random, 3);
	for (i = 0; i < POINTS; i++)
		fixture_summary(&series->points[i], 0)->median *=
			1 + (double)random_below(&random, 600) / 10000 - 0.03;
	cr_assert_eq(0, series_curve(series, 0, &curve, &error));
	cr_assert_eq(0, curve_knees(&curve, knees, &count));
	cr_expect_eq(0, count);
	curve_free(&curve);
	series_list_free(&list);
}

Test(compare, a_share_that_begins_at_0_has_a_knee)
{
	double x[] = {1024, 2048, 4096, 8192, 16384, 32768};
	double y[] = {0, 0, 0, 1, 1, 1};
	const struct curve curve = {.x = x, .y = y, .count = 6};
	struct knee knees[KNEES_MAX];
	size_t count;

	cr_assert_eq(0, curve_knees(&curve, knees, &count));
	cr_assert_eq(1, count);
	cr_expect_eq(knees[0].first, 2);
	cr_expect_eq(knees[0].last, 3);
	cr_expect(knees[0].x > 4096 && knees[0].x < 8192);
}

Test(compare, points_pair_within_one_percent)
{
	const double base_x[] = {1000, 2000, 4000, 8000};
	const double base_y[] = {10, 20, 30, 40};
	const double new_x[] = {1000, 2010, 4020, 9000};
	const double new_y[] = {11, 20, 30, 40};
	struct series_list list[2] = {0};
	const struct series *base =
		fixture_curve(&list[0], "a", base_x, base_y, 4);
	const struct series *new =
		fixture_curve(&list[1], "a", new_x, new_y, 4);
	struct comparison c;
	double expected;

	list[1].items[0].points[2].skipped = strdup("no room");
	c = compare(base, new);
	cr_expect_eq(c.row_count, 2);
	cr_expect_eq(c.only_base, 2);
	cr_expect_eq(c.only_new, 2, "the skipped one counts");
	cr_expect_float_eq(c.rows[0].error_percent, 10, 1e-9);
	expected = 20 - 9 * log2(2010.0 / 2000) / log2(2010.0 / 1000);
	cr_expect_float_eq(c.rows[1].new, expected, 1e-9);
	cr_expect_eq(c.level_count, 0, "all of it is one knee");
	comparison_free(&c);
	series_list_free(&list[0]);
	series_list_free(&list[1]);
}

Test(compare, zero_bases)
{
	const double x[] = {1, 2}, base_y[] = {0, 0}, new_y[] = {0, 1};
	struct series_list list[2] = {0};
	struct comparison c;

	c = compare(fixture_curve(&list[0], "a", x, base_y, 2),
		fixture_curve(&list[1], "a", x, new_y, 2));
	cr_expect_eq(c.rows[0].error_percent, 0);
	cr_expect(isnan(c.rows[0].ratio));
	cr_expect(isinf(c.rows[1].error_percent));
	comparison_free(&c);
	series_list_free(&list[0]);
	series_list_free(&list[1]);
}

static void option(struct series *series, const char *key, const char *value)
{
	facts_add(&series->options, key, "%s", value);
}

Test(compare, series_pair_by_bench_and_options)
{
	struct series_list base = {0}, new = {0};
	struct series_pairs pairs;
	struct error error;

	option(make(&base, "a", 1, 1, 1), "op", "ld.ca");
	option(make(&base, "a", 1, 1, 1), "op", "ld.cg");
	option(make(&base, "b", 1, 1, 1), "op", "ld.ca");
	make(&base, "c", 1, 1, 1);
	option(make(&new, "a", 1, 1, 1), "op", "ld.cg");
	option(make(&new, "b", 1, 1, 1), "op", "ld.cv");
	option(make(&new, "a", 1, 1, 1), "op", "ld.cs");
	make(&new, "d", 1, 1, 1);
	cr_assert_eq(0, series_pairs_find(&base, &new, &pairs, &error));
	cr_assert_eq(pairs.count, 2);
	cr_expect_eq(pairs.items[0].base, &base.items[1]);
	cr_expect_eq(pairs.items[0].new, &new.items[0]);
	cr_expect_eq(pairs.items[1].base, &base.items[2]);
	cr_expect_eq(pairs.items[1].new, &new.items[1]);
	cr_expect_eq(pairs.only_base, 2);
	cr_expect_eq(pairs.only_new, 2);
	series_pairs_free(&pairs);
	series_list_free(&base);
	series_list_free(&new);
}

Test(compare, metric_that_one_lacks)
{
	struct series_list list = {0};
	const struct series *series = make(&list, "a", 1, 1, 1);
	const struct series_pair pair = {series, series};
	struct comparison comparison;
	struct error error;

	cr_expect_eq(ERR_USAGE,
		comparison_make(&pair, METRIC_SHARE_L1, &comparison, &error));
	cr_expect_str_eq(
		error.text, "'a' has no metric 'share_l1' in both files");
	series_list_free(&list);
}

static int run_command(char *base, char *new, const char *gate_text,
	const char *format, char **text, struct error *error)
{
	char name[] = "nearfar compare", gate_name[] = "--gate",
	     format_name[] = "-f", limit[16], format_text[16];
	char *argv[] = {name, base, new, gate_name, limit, format_name,
		format_text, NULL};
	size_t bytes;
	FILE *out = open_memstream(text, &bytes);
	int result;

	snprintf(limit, sizeof(limit), "%s", gate_text);
	snprintf(format_text, sizeof(format_text), "%s", format);
	result = command_compare(7, argv, out, error);
	fclose(out);
	return result;
}

Test(compare, the_command)
{
	static const struct {
		const char *format, *expected;
	} cases[] = {
		{"table", "median 7.00 %, worst 7.00 % at "},
		{"md", "### a: latency_cycles\n"},
		{"csv", "\n4096,30,32.1,1.07,"},
		{"json", "\"metric\": \"latency_cycles\""},
	};
	char *paths[2] = {fixture_path("base.json"), fixture_path("new.csv")};
	struct series_list base = {0}, new = {0};
	struct error error;
	char *text;
	size_t i;

	make(&base, "a", 65536, 1 << 21, 1);
	make(&new, "a", 65536, 1 << 21, 1.07);
	series_write_file(&base, FORMAT_JSON, paths[0], &error);
	series_write_file(&new, FORMAT_CSV, paths[1], &error);
	for (i = 0; i < 4; i++) {
		cr_expect_eq(ERR_GATE, run_command(paths[0], paths[1], "5%",
					       cases[i].format, &text, &error));
		cr_expect(strstr(text, cases[i].expected), "%s", text);
		free(text);
	}
	cr_expect_eq(0, run_command(paths[0], paths[1], "7.01", "table", &text,
				&error));
	free(text);
	for (i = 0; i < 2; i++)
		fixture_remove(paths[i]);
	series_list_free(&base);
	series_list_free(&new);
}
