/* Suites, costs, dealing and stamps. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/split/cost.h"
#include "harness/split/deal.h"
#include "harness/split/split.h"
#include "harness/split/stamp.h"
#include "harness/program/text/text.h"
#include "harness/stats/stats.h"
#include "tests/unit/series_fixture.h"

TestSuite(split, .timeout = 60);

/* ---- dealing ---- */

#define POINTS_MAX 60

struct deck {
	struct deal_point points[POINTS_MAX];
	size_t count, shards;
	bool whole;
};

static void draw(struct random_state *random, struct deck *deck)
{
	size_t i;

	*deck = (struct deck){.count = 1 + random_below(random, POINTS_MAX),
		.shards = 1 + random_below(random, 12),
		.whole = random_below(random, 2)};
	for (i = 1; i < deck->count; i++) {
		struct deal_point *point = &deck->points[i];

		*point = point[-1];
		point->index++;
		if (random_below(random, 4))
			continue;
		point->index = 0;
		point->series++;
		if (random_below(random, 2)) {
			point->series = 0;
			point->row++;
		}
	}
	for (i = 0; i < deck->count; i++)
		deck->points[i].cost =
			1 + random_below(random, 10) * random_below(random, 50);
}

static bool begins(const struct deck *deck, size_t i)
{
	return !deck->whole || !i || !deck->points[i].index;
}

/* The least that the dearest of `shards` can cost: every cut is tried. */
static double best(const struct deck *deck, size_t first, size_t shards,
	double memory[POINTS_MAX + 1][16])
{
	double cost = 0, least = 1e300, rest, most;
	size_t end;

	if (first == deck->count)
		return 0;
	if (!shards)
		return 1e300;
	if (memory[first][shards] > 0)
		return memory[first][shards];
	for (end = first + 1; end <= deck->count; end++) {
		cost += deck->points[end - 1].cost;
		if (end < deck->count && !begins(deck, end))
			continue;
		rest = best(deck, end, shards - 1, memory);
		most = cost > rest ? cost : rest;
		least = most < least ? most : least;
	}
	memory[first][shards] = least;
	return least;
}

/* Every point once, in order, with its cost; no shard is empty. */
static double check_deal(const struct deck *deck, const struct split *split)
{
	double most = 0, cost, sum;
	size_t at = 0, i, k, n;

	for (i = 0; i < split->shard_count; i++) {
		const struct split_shard *shard = &split->shards[i];

		cr_assert(shard->part_count > 0);
		for (sum = 0, k = 0; k < shard->part_count; k++) {
			const struct split_part *part = &shard->parts[k];

			cr_assert(part->count > 0);
			for (cost = 0, n = 0; n < part->count; n++, at++) {
				const struct deal_point *p = &deck->points[at];

				cr_assert_lt(at, deck->count);
				cr_assert_eq(p->row, part->row);
				cr_assert_eq(p->series, part->series);
				cr_assert_eq(p->index, part->first + n);
				cost += p->cost;
			}
			cr_expect_float_eq(cost, part->cost, 1e-6);
			sum += cost;
		}
		cr_expect_float_eq(sum, shard->cost, 1e-6);
		most = sum > most ? sum : most;
		cr_expect(at == deck->count || begins(deck, at));
	}
	cr_expect_eq(at, deck->count);
	return most;
}

Test(split, the_dearest_shard_is_as_cheap_as_can_be)
{
	static double memory[POINTS_MAX + 1][16];
	struct random_state random;
	struct error error;
	struct deck deck;
	size_t turn, i, pieces;

	random_init(&random, 7);
	for (turn = 0; turn < 300; turn++) {
		struct split split = {0};
		double most;

		draw(&random, &deck);
		memset(memory, 0, sizeof(memory));
		cr_assert_eq(0, deal(&split, deck.points, deck.count,
					deck.shards, deck.whole, &error));
		most = check_deal(&deck, &split);
		cr_expect_leq(
			most, 1.00001 * best(&deck, 0, deck.shards, memory));
		for (pieces = 0, i = 0; i < deck.count; i++)
			pieces += begins(&deck, i);
		cr_expect_eq(split.shard_count,
			deck.shards < pieces ? deck.shards : pieces);
		split_free(&split);
	}
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

static struct split_series planned = {TEXT("a"), TEXT("footprint_bytes"), 20};
static struct split_row row = {
	.name = TEXT("row"), .series = &planned, .series_count = 1};
static struct split_part parts[] = {{0, 0, 0, 5, 1}, {0, 0, 5, 15, 1}};
static struct split_shard shards[] = {{1, &parts[0], 1}, {1, &parts[1], 1}};

static struct split two(void)
{
	return (struct split){.build = "build",
		.rows = &row,
		.row_count = 1,
		.shards = shards,
		.shard_count = 2,
		.digest = 7};
}

/* The stamp of points is what is read again. */
Test(split, stamps_name_points)
{
	static const struct {
		size_t shard, points[4], count;
		const char *text;
	} cases[] = {
		{2, {5, 6, 7, 9}, 4, "5-7,9"},
		{2, {5, 7, 9, 11}, 4, "5,7,9,11"},
		{2, {19}, 1, "19"},
		{1, {0, 1, 2, 3}, 4, "0-3"},
	};
	const double x[4] = {1, 2, 3, 4};
	const struct split split = two();
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct series_list list = {0};
		struct series *series =
			fixture_curve(&list, "a", x, x, cases[i].count);
		struct stamp stamp = {
			cases[i].shard, 0, 0, (size_t *)cases[i].points};
		struct stamp found;
		struct error error = {""};

		cr_assert_eq(0, stamp_put(&split, &stamp, series));
		cr_expect_str_eq(
			facts_find(&series->provenance, "shard.points"),
			cases[i].text);
		cr_assert_eq(0, stamp_read(&split, series, "f", &found, &error),
			"%s", error.text);
		cr_expect_eq(found.shard, cases[i].shard);
		cr_expect_eq(0, memcmp(found.points, cases[i].points,
					cases[i].count * sizeof(size_t)));
		stamp_free(&found);
		series_list_free(&list);
	}
}

Test(split, stamps_that_do_not_fit_are_refused)
{
	/* Of three points of shard 2, which has 5 to 19. */
	static const char *const bad[] = {"", "5", "5-6", "5-8", "5,6,7,8",
		"7,6,5", "5,5,6", "4-6", "18-20", "5-7,", "5-7x", "x", "-5",
		"5,6-", "99999999999999999999"};
	const double x[3] = {1, 2, 3};
	const struct split split = two();
	size_t i, k;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct series_list list = {0};
		struct series *series = fixture_curve(&list, "a", x, x, 3);
		struct stamp stamp = {2, 0, 0, (size_t[]){5, 6, 7}}, found;
		struct error error = {""};

		cr_assert_eq(0, stamp_put(&split, &stamp, series));
		for (k = 0; k < series->provenance.count; k++) {
			struct fact *fact = &series->provenance.items[k];

			if (strcmp(fact->key, "shard.points"))
				continue;
			free(fact->value);
			fact->value = strdup(bad[i]);
		}
		cr_expect_eq(ERR_FAILED,
			stamp_read(&split, series, "f", &found, &error), "%s",
			bad[i]);
		cr_expect(strstr(error.text, "'f' does not fit its plan"));
		series_list_free(&list);
	}
}

/* ---- plans as files ---- */

Test(split, a_plan_is_read_as_it_was_written)
{
	struct split split = two(), read;
	struct error error = {""};
	char *path = fixture_path("split");
	char *words[] = {TEXT("pointer-chase"), TEXT("-x"), TEXT("4KiB")};
	char *file;

	row.words = words;
	row.word_count = 3;
	row.seed = 4294967295u;
	row.work = UINT64_C(0xfedcba9876543210);
	split.suite = split_suite_digest(&split);
	cr_assert_eq(0, split_write(path, &split, &error), "%s", error.text);
	cr_assert_eq(0, split_read(path, &read, &error), "%s", error.text);
	cr_expect_str_eq(read.build, "build");
	cr_expect_eq(read.suite, split_suite_digest(&read));
	cr_expect_eq(read.rows[0].seed, row.seed);
	cr_expect_eq(read.rows[0].work, row.work);
	cr_expect_eq(split_points(&read), 20);
	cr_expect_eq(split_shard_points(&read.shards[1]), 15);
	split_free(&read);

	words[2] = TEXT("8KiB");
	cr_expect_neq(split.suite, split_suite_digest(&split));
	split.suite = split_suite_digest(&split);
	cr_expect_eq(ERR_FAILED, split_write(path, &split, &error));
	file = split_path(path, "plan.json");
	unlink(file);
	free(file);
	rmdir(path);
	fixture_remove(path);
}
