/* From a bench and the user's words to checked programs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/contract/bench.h"
#include "harness/program/legality/legality.h"
#include "harness/run/plan.h"
#include "harness/program/text/text.h"

TestSuite(plan, .timeout = 60);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct device device = {
	.name = "test",
	.sm_count = 132,
	.sm_arch = 90,
	.ptx_version = 80,
	.warps_per_sm_max = 64,
	.l1_bytes = 256 << 10,
	.shared_bytes_per_block_max = 227 << 10,
	.l2_bytes = 60 << 20,
	.memory_bytes = 140ull << 30,
	.persisting_bytes_max = 30 << 20,
	.clock_hz = 1.98e9,
};

static int make(struct plan *plan, const char *name,
	const struct given_option *given, size_t given_count, const char *sweep,
	struct error *error)
{
	size_t i;

	for (i = 0; benches[i]; i++)
		if (!strcmp(benches[i]->name, name))
			return plan_bench(plan, benches[i], given, given_count,
				sweep, &device, error);
	cr_assert_fail("there is no bench %s", name);
	return 0;
}

static void expect_same(const struct program *a, const struct program *b)
{
	char *left = program_text(a), *right = program_text(b);

	cr_expect_str_eq(left, right);
	free(left);
	free(right);
}

/* Every point of every bench, by default, is a legal program that fits. */
Test(plan, defaults_build)
{
	size_t i, k;

	for (i = 0; benches[i]; i++) {
		struct plan plan;
		struct error error = {""};

		cr_assert_eq(0,
			plan_bench(&plan, benches[i], NULL, 0, NULL, &device,
				&error),
			"%s: %s", benches[i]->name, error.text);
		cr_expect_gt(plan.sweep.count, 0);
		cr_expect(plan.metrics, "%s", benches[i]->name);
		for (k = 0; k < plan.sweep.count; k++) {
			struct program p;

			cr_expect_eq(0,
				plan_build(&plan, &device, plan.sweep.points[k],
					1, &p, &error),
				"%s at %g: %s", benches[i]->name,
				plan.sweep.points[k], error.text);
		}
		plan_free(&plan);
	}
}

/* A program does not depend on anything but its words and its seed. */
Test(plan, building_is_pure)
{
	size_t i;

	for (i = 0; benches[i]; i++) {
		struct plan plan;
		struct program a, b, c;
		struct error error;

		cr_assert_eq(0, plan_bench(&plan, benches[i], NULL, 0, NULL,
					&device, &error));
		memset(&a, 0, sizeof(a));
		memset(&b, 0xff, sizeof(b));
		plan_build(&plan, &device, plan.sweep.points[0], 1, &a, &error);
		plan_build(&plan, &device, plan.sweep.points[1], 9, &c, &error);
		plan_build(&plan, &device, plan.sweep.points[0], 1, &b, &error);
		expect_same(&a, &b);
		plan_free(&plan);
	}
}

/* Each program of a bench survives its own text. */
Test(plan, programs_round_trip)
{
	size_t i;

	for (i = 0; benches[i]; i++) {
		struct plan plan;
		struct program p, read;
		struct error error = {""};
		char *text;

		cr_assert_eq(0, plan_bench(&plan, benches[i], NULL, 0, NULL,
					&device, &error));
		plan_build(&plan, &device,
			plan.sweep.points[plan.sweep.count / 2], 3, &p, &error);
		text = program_text(&p);
		cr_assert_eq(0, program_parse(text, "t", &read, &error), "%s",
			error.text);
		expect_same(&p, &read);
		free(text);
		plan_free(&plan);
	}
}

Test(plan, tables_of_options_are_in_order)
{
	size_t i, k, n;

	for (i = 0; benches[i]; i++) {
		const struct bench_option *o = benches[i]->options;

		for (k = 0; o[k].name; k++) {
			cr_expect_lt(k, BENCH_OPTIONS_MAX);
			cr_expect(o[k].initial, "%s", o[k].name);
			cr_expect(o[k].help && *o[k].help, "%s", o[k].name);
			cr_expect_eq(o[k].type == OPTION_CHOICE,
				o[k].choices != NULL, "%s", o[k].name);
			for (n = 0; n < k; n++)
				cr_expect_str_neq(o[n].name, o[k].name);
		}
	}
}

Test(plan, wrong_words_are_refused)
{
	static const struct {
		struct given_option given;
		const char *sentence;
	} rows[] = {
		{{"op", "ld.xx"}, "is not one of ld.ca|"},
		{{"op", ""}, "is not one of"},
		{{"op", "ld"}, "is not one of"},
		{{"slot", "4XB"}, "--slot: '4XB' is not a size"},
		{{"slot", "-4"}, "--slot: "},
		{{"warps", "1.5"}, "--warps: '1.5' is not a whole number"},
		{{"warps", "many"}, "--warps: "},
	};
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		struct plan plan;
		struct error error = {""};

		cr_expect_eq(
			ERR_USAGE, make(&plan, "pointer-chase", &rows[i].given,
					   1, NULL, &error));
		cr_expect(
			strstr(error.text, rows[i].sentence), "%s", error.text);
		plan_free(&plan);
	}
}

/* Nonsense in a number is refused or skipped, never fatal. */
Test(plan, extreme_numbers_do_no_harm)
{
	static const char *const numbers[] = {
		"0", "1", "4294967296", "9223372036854775808"};
	size_t i, k, n;

	for (i = 0; benches[i]; i++)
		for (k = 0; benches[i]->options[k].name; k++)
			for (n = 0; n < COUNT(numbers); n++) {
				struct given_option given = {
					benches[i]->options[k].name,
					numbers[n]};
				struct error error = {""};
				struct program p;
				struct plan plan;

				if (!plan_bench(&plan, benches[i], &given, 1,
					    NULL, &device, &error))
					plan_build(&plan, &device,
						plan.sweep.points[0], 1, &p,
						&error);
				plan_free(&plan);
			}
}

Test(plan, the_last_word_of_an_option_counts)
{
	static const struct given_option given[] = {
		{"op", "ld.cs"}, {"op", "ld.cg"}, {"no-such", "x"}};
	struct plan plan;
	struct error error;

	cr_assert_eq(0, make(&plan, "pointer-chase", given, 3, NULL, &error));
	cr_expect_str_eq(bench_text(&plan.args, "op"), "ld.cg");
	plan_free(&plan);
}

Test(plan, an_axis_takes_the_users_points)
{
	struct plan plan;
	struct error error = {""};

	cr_assert_eq(
		0, make(&plan, "pointer-chase", NULL, 0, "4KiB,8KiB", &error));
	cr_expect_eq(plan.sweep.count, 2);
	cr_expect_eq(plan.sweep.points[1], 8192);
	plan_free(&plan);
	cr_expect_eq(ERR_USAGE,
		make(&plan, "pointer-chase", NULL, 0, "4XB", &error));
	cr_expect(strstr(error.text, "-x: "), "%s", error.text);
}

/* What the device lacks is skipped, what is nonsense is refused. */
Test(plan, skipped_is_not_wrong)
{
	struct plan plan;
	struct program p;
	struct error error = {""};

	cr_assert_eq(0, make(&plan, "pointer-chase",
				(struct given_option[]){{"sm", "500"}}, 1,
				"1MiB", &error));
	cr_expect_eq(ERR_SKIPPED,
		plan_build(&plan, &device, 1 << 20, 1, &p, &error));
	cr_expect(strstr(error.text, "500"), "%s", error.text);
	plan_free(&plan);
	cr_assert_eq(0, make(&plan, "pointer-chase",
				(struct given_option[]){
					{"op", "atom.add"}, {"element", "16"}},
				2, "1MiB", &error));
	cr_expect_eq(
		ERR_USAGE, plan_build(&plan, &device, 1 << 20, 1, &p, &error));
	plan_free(&plan);
}

Test(plan, a_users_program_is_one_point)
{
	struct plan plan;
	struct program p;
	struct error error = {""};

	cr_assert_eq(0,
		plan_program(&plan, "tests/golden/programs/small.txt", &error),
		"%s", error.text);
	cr_expect_eq(plan.sweep.count, 1);
	cr_expect_eq(0, plan_build(&plan, &device, 0, 1, &p, &error));
	expect_same(&p, &plan.program);
	plan_free(&plan);
	cr_expect_eq(ERR_USAGE, plan_program(&plan, "nowhere.txt", &error));
	cr_expect_eq(ERR_USAGE,
		plan_program(
			&plan, "tests/golden/programs/no-ring.txt", &error));
}
