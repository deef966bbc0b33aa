#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/gate.h"
#include "tests/unit/series_fixture.h"

TestSuite(gate, .timeout = 60);

#define POINTS 24 /* 2 an octave from 4 KiB; a knee at 256 KiB */

/* Levels of 100 and 300 cycles; the new one's are `low` and `high` times
   those. */
static struct series *make(
	struct series_list *list, const char *bench, double low, double high)
{
	double x[POINTS], y[POINTS];
	size_t i;

	for (i = 0; i < POINTS; i++) {
		x[i] = round(4096 * pow(2, (double)i / 2));
		y[i] = x[i] < 262144 ? 100 * low : 300 * high;
	}
	return fixture_curve(list, bench, x, y, POINTS);
}

static int judge(const struct series_list *base, const struct series_list *new,
	const char *text, struct error *error)
{
	struct comparison_list list;
	struct verdict verdict;
	struct gates gates;
	struct gate gate;
	int code = gate_parse(text, &gate, error);

	cr_assert_eq(0, code, "%s", error->text);
	cr_assert_eq(0, gates_single(&gate, &gates, error));
	cr_assert_eq(0, comparison_list_make(base, new, -1, &list, error));
	code = gates_judge(&gates, &list, &verdict, error);
	cr_expect_eq(code == ERR_GATE, verdict.count > 0);
	verdict_free(&verdict);
	gates_free(&gates);
	comparison_list_free(&list);
	return code;
}

struct lists {
	struct series_list base, new;
};

static struct lists lists(double low, double high)
{
	struct lists l = {0};

	make(&l.base, "a", 1, 1);
	make(&l.new, "a", low, high);
	return l;
}

static void free_lists(struct lists *l)
{
	series_list_free(&l->base);
	series_list_free(&l->new);
}

static struct summary *metric(struct series_list *list, size_t point)
{
	return fixture_summary(
		&list->items[0].points[point], METRIC_LATENCY_CYCLES);
}

Test(gate, the_median)
{
	struct lists l = lists(0.93, 0.93);
	struct error error;

	make(&l.base, "b", 1, 1);
	make(&l.new, "b", 1.001, 1);
	cr_expect_eq(0, judge(&l.base, &l.new, "median=7.1%", &error));
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "median=6.9%", &error));
	cr_expect_str_eq(error.text,
		"the median error of 'a' is 7 %, beyond the gate of 6.9 %; "
		"its worst point, at 4KiB, is -7 % off");
	cr_expect_eq(0, judge(&l.base, &l.base, "0%", &error));
	free_lists(&l);
}

/* The gate that a plain percentage is: one bad point of many fails. */
Test(gate, the_worst_point)
{
	struct lists l = lists(1, 1);
	struct error error;

	metric(&l.new, 20)->median = 300000;
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "5%", &error));
	cr_expect_str_eq(error.text,
		"the worst point of 'a' outside a knee, at 4MiB, is 9.99e+04 "
		"% above the base (3e+05, base 300), beyond the gate of 5 %");
	cr_expect_eq(0, judge(&l.base, &l.new, "median=5%", &error));
	free_lists(&l);
}

Test(gate, a_point_in_a_knee_does_not_count_for_worst)
{
	struct lists l = lists(1, 1);
	struct error error;

	metric(&l.new, 12)->median = 120; /* the knee's own end */
	cr_expect_eq(0, judge(&l.base, &l.new, "5%", &error), "%s", error.text);
	free_lists(&l);
}

Test(gate, levels)
{
	struct lists l = lists(1.04, 0.97);
	struct error error;

	cr_expect_eq(0, judge(&l.base, &l.new, "level=4.1%", &error));
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "level=3.5%", &error));
	cr_expect(strstr(error.text, "the level of 'a' from 4KiB to "), "%s",
		error.text);
	cr_expect(strstr(error.text, "is 4 % above the base (104, base 100)"),
		"%s", error.text);
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "level=1%", &error));
	cr_expect(
		strstr(error.text, "; 2 gates fail in all"), "%s", error.text);
	free_lists(&l);
}

/* Behind the last knee is room for more, of which nothing is read. */
Test(gate, knees_that_are_not_there_are_not_judged)
{
	struct lists l = lists(1, 1);
	struct comparison_list list;
	struct verdict verdict;
	struct error error;
	struct gates gates;
	struct gate gate;

	cr_assert_eq(0, gate_parse("knee=1", &gate, &error));
	cr_assert_eq(0, gates_single(&gate, &gates, &error));
	cr_assert_eq(
		0, comparison_list_make(&l.base, &l.new, -1, &list, &error));
	cr_assert_eq(list.items[0].knee_count, 1);
	list.items[0].knees[1] = list.items[0].knees[0];
	list.items[0].knees[1].octaves = 3;
	cr_expect_eq(0, gates_judge(&gates, &list, &verdict, &error), "%s",
		error.text);
	cr_expect_eq(verdict.count, 0);
	verdict_free(&verdict);
	gates_free(&gates);
	comparison_list_free(&list);
	free_lists(&l);
}

Test(gate, knees)
{
	struct lists l = lists(1, 1);
	struct error error;
	size_t i;

	cr_expect_eq(0, judge(&l.base, &l.new, "knee=0", &error));
	metric(&l.new, 12)->median = metric(&l.new, 13)->median = 100;
	cr_expect_eq(0, judge(&l.base, &l.new, "knee=1.1", &error));
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "knee=0.9", &error));
	cr_expect(strstr(error.text, "+1.00 octaves away"), "%s", error.text);
	for (i = 0; i < POINTS; i++)
		metric(&l.new, i)->median = 100;
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "knee=9", &error));
	cr_expect(strstr(error.text, "is only in the base"), "%s", error.text);
	free_lists(&l);
}

Test(gate, direction)
{
	struct lists up = lists(1.1, 1.1), down = lists(0.9, 0.9);
	struct error error;

	cr_expect_eq(ERR_GATE, judge(&up.base, &up.new, "5%", &error));
	cr_expect_eq(ERR_GATE, judge(&down.base, &down.new, "5%", &error));
	cr_expect_eq(ERR_GATE,
		judge(&up.base, &up.new, "5%,direction=higher", &error));
	cr_expect_eq(
		0, judge(&down.base, &down.new, "5%,direction=higher", &error));
	cr_expect_eq(0, judge(&up.base, &up.new, "5%,direction=lower", &error));
	/* A latency: more is worse. */
	cr_expect_eq(ERR_GATE,
		judge(&up.base, &up.new, "5%,direction=worse", &error));
	cr_expect_eq(
		0, judge(&down.base, &down.new, "5%,direction=worse", &error));
	free_lists(&up);
	free_lists(&down);
}

static void rename_metric(struct series_list *list, int to)
{
	size_t i;

	list->items[0].metrics = 1u << to;
	for (i = 0; i < POINTS; i++) {
		const struct summary was = *metric(list, i);

		*fixture_summary(&list->items[0].points[i], to) = was;
	}
}

Test(gate, a_rate_that_falls_is_worse)
{
	struct lists l = lists(0.9, 0.9);
	struct error error;

	rename_metric(&l.base, METRIC_USEFUL_GB_PER_S);
	rename_metric(&l.new, METRIC_USEFUL_GB_PER_S);
	cr_expect_eq(
		ERR_GATE, judge(&l.base, &l.new, "5%,direction=worse", &error));
	cr_expect_eq(0, judge(&l.new, &l.base, "5%,direction=worse", &error));
	free_lists(&l);
}

Test(gate, points_that_are_missing)
{
	struct lists l = lists(1, 1);
	struct error error;

	l.new.items[0].points[3].skipped = strdup("no such SM");
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "5%", &error));
	cr_expect_str_eq(error.text,
		"1 of 24 points of 'a' are missing in the new, the first at "
		"11.31KiB, skipped: no such SM");
	cr_expect_eq(0, judge(&l.base, &l.new, "5%,missing=yes", &error));
	/* What the base has not is no promise of the new one. */
	cr_expect_eq(0, judge(&l.new, &l.base, "5%", &error));
	point_free(&l.new.items[0].points[--l.new.items[0].point_count]);
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "5%", &error));
	cr_expect(strstr(error.text, "2 of 24"), "%s", error.text);
	free_lists(&l);
}

Test(gate, a_series_that_is_missing)
{
	struct lists l = lists(1, 1);
	struct error error;

	make(&l.base, "b", 1, 1);
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "5%", &error));
	cr_expect_str_eq(error.text,
		"a series is only in the base: b over footprint_bytes, which "
		"the new does not have");
	cr_expect_eq(0, judge(&l.base, &l.new, "5%,missing=yes", &error));
	cr_expect_eq(0, judge(&l.new, &l.base, "5%", &error));
	free_lists(&l);
}

Test(gate, nothing_to_judge)
{
	struct lists l = lists(1, 1);
	struct series_list none = {0};
	struct error error;
	size_t i;

	cr_expect_eq(ERR_FAILED, judge(&none, &l.new, "5%", &error));
	for (i = 0; i < POINTS; i++)
		l.base.items[0].points[i].skipped = strdup("absent");
	cr_expect_eq(ERR_FAILED, judge(&l.base, &l.new, "5%", &error));
	cr_expect(strstr(error.text, "'a' has no point"), "%s", error.text);
	free_lists(&l);
}

/* The fixture's intervals are 1 around the median. */
Test(gate, the_test_asks_for_a_difference)
{
	struct lists l = lists(1, 1);
	struct error error;

	metric(&l.new, 2)->low = 90;
	metric(&l.new, 2)->median = 110;
	metric(&l.new, 2)->high = 130;
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "5%", &error));
	cr_expect_eq(0, judge(&l.base, &l.new, "5%,test=yes", &error));
	metric(&l.new, 2)->low = 105;
	cr_expect_eq(ERR_GATE, judge(&l.base, &l.new, "5%,test=yes", &error));
	free_lists(&l);
}

Test(gate, words)
{
	static const char *const bad[] = {"", "x", "5%%", "-1%", "nan", "inf",
		"median", "median=", "median=x", "knee=5%", "direction=up",
		"test=maybe", "missing=", "5%,,level=1%", ",", "none=1",
		"median=5%;worst=5%"};
	struct gate gate;
	struct error error;
	size_t i;

	for (i = 1; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_eq(ERR_USAGE, gate_parse(bad[i], &gate, &error), "%s",
			bad[i]);
	cr_assert_eq(0, gate_parse("2.5", &gate, &error));
	cr_expect_eq(gate.limits[GATE_MEDIAN], 2.5);
	cr_expect_eq(gate.limits[GATE_WORST], 2.5);
	cr_expect(isnan(gate.limits[GATE_LEVEL]));
	cr_assert_eq(
		0, gate_parse("2%,worst=9%,knee=0.5,test=yes", &gate, &error));
	cr_expect_eq(gate.limits[GATE_WORST], 9);
	cr_expect_eq(gate.limits[GATE_KNEE], 0.5);
	cr_expect(gate.test && !gate.may_miss && !gate.none);
}

static int read_gates(
	const char *text, struct gates *gates, struct error *error)
{
	char *path = fixture_path("gates.txt");
	FILE *out = fopen(path, "w");
	char *at;
	int code;

	fputs(text, out);
	fclose(out);
	code = gates_read(path, gates, error);
	/* The folder's name is not known. */
	at = strstr(error->text, "gates.txt");
	if (code && at)
		memmove(error->text, at, strlen(at) + 1);
	fixture_remove(path);
	return code;
}

Test(gate, a_file_of_gates)
{
	struct series_list list = {0};
	struct gates gates;
	struct error error;
	struct series *series = make(&list, "a", 1, 1);

	facts_add(&series->options, "op", "ld.cg");
	cr_assert_eq(0, read_gates("# by series\n\n"
				   "a:op=ld.ca  none # not this\n"
				   "a:op=ld.*\tworst=3%\r\n"
				   "a 9%\n",
				&gates, &error));
	cr_expect_eq(gates.count, 3);
	cr_expect_eq(gates_find(&gates, series)->limits[GATE_WORST], 3);
	free(series->bench);
	series->bench = strdup("b");
	cr_expect_null(gates_find(&gates, series));
	gates_free(&gates);
	cr_expect_eq(ERR_USAGE, read_gates("a 5%\nb\n", &gates, &error));
	cr_expect_eq(0, strncmp(error.text, "gates.txt:2: a line is", 22), "%s",
		error.text);
	cr_expect_eq(ERR_USAGE, read_gates("a 5% c\n", &gates, &error));
	cr_expect_eq(ERR_USAGE, read_gates("a:x 5%\n", &gates, &error));
	cr_expect_eq(ERR_USAGE, read_gates("# none\n", &gates, &error));
	cr_expect_str_eq(error.text, "gates.txt: there is no gate in it");
	series_list_free(&list);
}

Test(gate, a_series_without_a_gate_is_an_error)
{
	struct lists l = lists(1, 1);
	struct comparison_list list;
	struct verdict verdict;
	struct gates gates;
	struct error error;

	cr_assert_eq(0, read_gates("b 5%\n", &gates, &error));
	cr_assert_eq(
		0, comparison_list_make(&l.base, &l.new, -1, &list, &error));
	cr_expect_eq(ERR_USAGE, gates_judge(&gates, &list, &verdict, &error));
	cr_expect_str_eq(error.text, "no gate is for 'a': add a line that "
				     "matches it, such as '* none'");
	verdict_free(&verdict);
	gates_free(&gates);
	comparison_list_free(&list);
	free_lists(&l);
}
