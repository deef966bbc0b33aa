/* Counters as metrics. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/series_fixture.h"

TestSuite(counters, .timeout = 60);

#define READS "dram__sectors_read.sum"

static void count(struct point *point, const char *name, double value)
{
	point->counters = calloc(1, sizeof(*point->counters));
	cr_assert_not_null(point->counters);
	point->counters[0] = (struct counter){strdup(name), value};
	point->counter_count = 1;
}

static void make(struct series_list *list)
{
	static const double x[] = {1, 2}, y[] = {10, 20};

	*list = (struct series_list){0};
	fixture_curve(list, "one", x, y, 2);
	count(&list->items[0].points[0], READS, 100);
	count(&list->items[0].points[1], READS, 200);
}

Test(counters, each_has_a_name_of_its_own)
{
	int a, b;

	for (a = 0; a < METRIC_ALL; a++) {
		cr_expect_eq(metric_find(metric_columns[a]), a);
		for (b = 0; b < a; b++)
			cr_expect_str_neq(metric_columns[a], metric_columns[b]);
	}
	for (a = 0; a < COUNTER_COUNT; a++)
		cr_expect_str_eq(metric_columns[METRIC_COUNTERS + a],
			counter_kinds[a].name);
	cr_expect_eq(
		metric_find("sm__cycles_elapsed.max"), METRIC_ELAPSED_CYCLES);
	cr_expect_eq(metric_find("dram__sectors_read"), -1);
}

/* As a metric it is written and read back. */
Test(counters, one_becomes_a_metric)
{
	const int metric = metric_find(READS);
	struct series_list list, again = {0};
	struct error error;
	char *text, *twice;

	make(&list);
	cr_assert_eq(0, series_take_counter(&list, metric));
	cr_expect(list.items[0].metrics & METRIC_BIT(metric));
	cr_expect_eq(
		point_summary(&list.items[0].points[1], metric)->median, 200);
	list.items[0].metrics = METRIC_BIT(metric);
	text = fixture_text(&list, FORMAT_JSON);
	cr_assert_eq(0,
		series_parse_json(text, strlen(text), "f", &again, &error),
		"%s", error.text);
	twice = fixture_text(&again, FORMAT_JSON);
	cr_expect_str_eq(text, twice);
	free(text);
	free(twice);
	series_list_free(&list);
	series_list_free(&again);
}

Test(counters, a_series_lacks_what_a_point_lacks)
{
	const int metric = metric_find(READS);
	struct series_list list;

	make(&list);
	free((void *)(uintptr_t)list.items[0].points[1].counters[0].name);
	list.items[0].points[1].counters[0].name = strdup("other");
	cr_assert_eq(0, series_take_counter(&list, metric));
	cr_expect_not(list.items[0].metrics & METRIC_BIT(metric));
	list.items[0].points[1].skipped = strdup("why");
	cr_assert_eq(0, series_take_counter(&list, metric));
	cr_expect(list.items[0].metrics & METRIC_BIT(metric));
	cr_assert_eq(0, series_take_counter(&list, METRIC_ELAPSED_NS));
	cr_expect_not(list.items[0].metrics & METRIC_BIT(METRIC_ELAPSED_NS));
	series_list_free(&list);
}
