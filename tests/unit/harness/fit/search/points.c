/* Which points a group, and what is read off, look at. */
#include <criterion/criterion.h>
#include <string.h>

#include "harness/fit/search/parts.h"

TestSuite(search_points, .timeout = 60);

#define SERIES 3
#define EACH   8 /* points of a series */

/* Three series of one bench, each with a step after its fourth point. */
struct made {
	struct search c;
	struct series series[SERIES];
	struct target_series of[SERIES];
	struct point points[SERIES * EACH];
	struct target_point list[SERIES * EACH];
};

static char bench[] = "chase";

static struct search *make(struct made *m, double cost)
{
	size_t i;

	*m = (struct made){.c = {0}};
	m->c.targets = (struct targets){.series = m->of,
		.series_count = SERIES,
		.points = m->list,
		.count = SERIES * EACH};
	for (i = 0; i < SERIES; i++) {
		m->series[i].bench = bench;
		m->of[i].series = &m->series[i];
	}
	for (i = 0; i < SERIES * EACH; i++) {
		m->points[i].x = (double)(4096u << i % EACH);
		m->list[i] = (struct target_point){.series = i / EACH,
			.point = &m->points[i],
			.cost = cost};
		m->list[i].target.field[OUTCOME_METRIC] =
			i % EACH < EACH / 2 ? 30 : 300;
	}
	return &m->c;
}

/* How many points of a series the set has. */
static size_t count_of(
	const struct made *m, const struct point_set *set, size_t series)
{
	size_t count = 0, i;

	for (i = 0; i < set->count; i++)
		count += m->list[set->items[i]].series == series;
	return count;
}

/* ---- of a group ---- */

/* Points that are too dear for the group: of each series the cheapest. */
Test(search_points, a_dear_series_keeps_its_cheapest_point)
{
	static struct made m;
	struct search *c = make(&m, 1e9);
	struct point_set set;
	struct error error;

	m.list[0 * EACH + 5].cost = 9e8;
	m.list[1 * EACH + 0].cost = 9e8;
	m.list[2 * EACH + 7].cost = 9e8;
	cr_assert_eq(group_points(c, "chase", 1, &set, &error), 0);
	cr_assert_eq(set.count, 3);
	cr_expect_eq(set.items[0], 0 * EACH + 5);
	cr_expect_eq(set.items[1], 1 * EACH + 0);
	cr_expect_eq(set.items[2], 2 * EACH + 7);
	point_set_free(&set);
}

/* ---- of what is read off ---- */

static const struct readoff all = {
	"p", "chase", SPOT_ALL, OUTCOME_METRIC, OUTCOME_METRIC};
static const struct readoff knee = {
	"p", "chase", SPOT_FIRST_KNEE, OUTCOME_METRIC, OUTCOME_METRIC};

Test(search_points, nothing_is_read_off_a_series_that_is_held_out)
{
	static struct made m;
	struct search *c = make(&m, 1);
	struct point_set set;
	struct error error;

	m.of[1].held_out = true;
	cr_assert_eq(readoff_points(c, &all, &set, NULL, &error), 0);
	cr_expect_eq(count_of(&m, &set, 0), EACH);
	cr_expect_eq(count_of(&m, &set, 1), 0);
	cr_expect_eq(count_of(&m, &set, 2), EACH);
	point_set_free(&set);
}

/* A knee is one place: that of the first series that has one. */
Test(search_points, a_knee_is_read_off_one_series)
{
	static struct made m;
	struct search *c = make(&m, 1);
	struct point_set set;
	struct error error;
	size_t i;

	for (i = 0; i < EACH; i++)
		m.list[i].target.field[OUTCOME_METRIC] = 30;
	cr_assert_eq(readoff_points(c, &knee, &set, NULL, &error), 0);
	cr_expect_eq(count_of(&m, &set, 0), 0);
	cr_expect_gt(count_of(&m, &set, 1), 1);
	cr_expect_eq(count_of(&m, &set, 2), 0);
	point_set_free(&set);
}

/* A step that rests on its way, for less than half an octave, is one knee: the
   level behind it is the plateau. */
Test(search_points, a_rest_within_a_knee_is_no_plateau)
{
	static const struct readoff second = {"p", "chase", SPOT_SECOND_PLATEAU,
		OUTCOME_METRIC, OUTCOME_METRIC};
	static const double x[EACH] = {
		4096, 8192, 9000, 9100, 9200, 10000, 20000, 40000};
	static const double y[EACH] = {30, 30, 100, 100, 100, 300, 300, 300};
	static struct made m;
	struct search *c = make(&m, 1);
	struct point_set set;
	struct error error;
	size_t i;

	m.of[1].held_out = m.of[2].held_out = true;
	for (i = 0; i < EACH; i++) {
		m.points[i].x = x[i];
		m.list[i].target.field[OUTCOME_METRIC] = y[i];
	}
	cr_assert_eq(readoff_points(c, &second, &set, NULL, &error), 0);
	cr_assert_gt(set.count, 0);
	for (i = 0; i < set.count; i++)
		cr_expect_eq(
			m.list[set.items[i]].target.field[OUTCOME_METRIC], 300);
	point_set_free(&set);
}

/* The level of L2 on a curve of rates, which a first point far below it does
   not hide: the plateau before the last one. */
Test(search_points, the_plateau_before_the_last)
{
	static const struct readoff before = {"p", "chase", SPOT_PLATEAU_BEFORE,
		OUTCOME_METRIC, OUTCOME_METRIC};
	static const double y[EACH] = {
		3000, 5400, 5400, 5400, 5400, 1800, 1800, 1800};
	static struct made m;
	struct search *c = make(&m, 1);
	struct point_set set;
	struct error error;
	size_t i;

	m.of[1].held_out = m.of[2].held_out = true;
	for (i = 0; i < EACH; i++)
		m.list[i].target.field[OUTCOME_METRIC] = y[i];
	cr_assert_eq(readoff_points(c, &before, &set, NULL, &error), 0);
	cr_assert_gt(set.count, 0);
	for (i = 0; i < set.count; i++)
		cr_expect_eq(m.list[set.items[i]].target.field[OUTCOME_METRIC],
			5400);
	point_set_free(&set);
}

/* A row of `nearfar fit` has a series a point; others' files have curves. */
Test(search_points, series_of_a_row_are_one_curve)
{
	struct series row = {.point_count = 0}, plain = {.point_count = 0};
	struct target_series series[] = {{.file = 0, .series = &plain},
		{.file = 0, .series = &plain}, {.file = 1, .series = &row},
		{.file = 1, .series = &row}, {.file = 2, .series = &row}};
	const struct targets targets = {.series = series, .series_count = 5};
	const size_t curves[] = {0, 1, 2, 2, 4};
	size_t i;

	cr_assert_eq(facts_add(&row.provenance, MEASURE_ROW, "tlb-entries"), 0);
	for (i = 0; i < targets.series_count; i++)
		cr_expect_eq(residuals_curve(&targets, i), curves[i]);
	facts_free(&row.provenance);
}
