#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/series_fixture.h"
#include "harness/report/table.h"

TestSuite(table, .timeout = 60);

#define SHARES (METRIC_SHARE_DRAM - METRIC_SHARE_L1 + 1)

/* A series of shares at 0 and 32: `levels` has a letter a point, L, n, f, D,
   or b for near and far alike, s for skipped. */
static struct series *add(struct series_list *list, const char *first,
	const char *then, const char *levels)
{
	static const char letters[] = "LnfD";
	struct series *series = series_list_add(list);
	size_t i;
	int k;

	series->bench = strdup("cache-ops");
	series->axis = strdup("probed_offset_bytes");
	for (k = 0; k < SHARES; k++)
		series->metrics |= 1u << (METRIC_SHARE_L1 + k);
	facts_add(&series->options, "first", "%s", first);
	facts_add(&series->options, "then", "%s", then);
	facts_add(&series->options, "lines", "64");
	for (i = 0; levels[i]; i++) {
		struct point *point = series_add_point(series, 32 * (double)i);

		if (levels[i] == 's')
			point->skipped = strdup("absent");
		for (k = 0; k < SHARES; k++)
			fixture_summary(point, METRIC_SHARE_L1 + k)->median =
				levels[i] == 'b' ? (k == 1 || k == 2 ? 0.5 : 0)
						 : levels[i] == letters[k];
	}
	return series;
}

static struct table_list make(const struct series_list *base,
	const struct series_list *new, struct table_layout layout)
{
	struct table_list list;
	struct error error;

	if (!layout.metric)
		layout.metric = -1;
	cr_assert_eq(0, table_list_make(base, new, &layout, &list, &error),
		"%s", error.text);
	return list;
}

static const char *cell(const struct table *table, size_t row, size_t column)
{
	static char text[TABLE_CELL_BYTES];

	cr_assert_lt(row, table->row_count);
	cr_assert_lt(column, table->column_count);
	table_cell_text(table, &table->rows[row].cells[column], text);
	return text;
}

static void fill(struct series_list *list)
{
	add(list, "ld.ca", "ld.ca", "LD");
	add(list, "ld.ca", "ld.cg", "nD");
	add(list, "ld.cg", "ld.ca", "nD");
	add(list, "ld.cg", "ld.cg", "nD");
	add(list, "ld.cv", "ld.ca", "nD");
	add(list, "ld.cv", "ld.cg", "nD");
}

Test(table, rows_are_the_options_that_differ)
{
	struct series_list series = {0};
	struct table_list list;
	const struct table *t;

	fill(&series);
	list = make(&series, NULL, (struct table_layout){0});
	t = list.items;
	cr_assert_eq(list.count, 1);
	cr_assert_eq(t->key_count, 2);
	cr_expect_str_eq(t->keys[0].name, "first");
	cr_expect_str_eq(t->keys[1].name, "then");
	cr_expect_eq(t->row_count, 6);
	cr_expect_eq(t->column_count, 2);
	cr_expect_str_eq(t->rows[2].words[0], "ld.cg");
	cr_expect_str_eq(cell(t, 0, 0), "L1");
	cr_expect_str_eq(cell(t, 1, 0), "near");
	cr_expect_str_eq(cell(t, 0, 1), "DRAM");
	table_list_free(&list);
	series_list_free(&series);
}

Test(table, an_option_takes_the_columns)
{
	struct series_list series = {0};
	struct table_list list;
	const struct table *t;

	fill(&series);
	list = make(&series, NULL, (struct table_layout){.columns = "then"});
	t = list.items;
	cr_assert_eq(t->key_count, 2);
	cr_expect_str_eq(t->keys[1].name, "probed_offset_bytes");
	cr_assert_eq(t->column_count, 2);
	cr_expect_str_eq(t->columns[1].word, "ld.cg");
	cr_assert_eq(t->row_count, 6);
	cr_expect_str_eq(t->rows[1].words[0], "ld.ca");
	cr_expect_str_eq(t->rows[1].words[1], "32");
	cr_expect_str_eq(cell(t, 0, 0), "L1");
	cr_expect_str_eq(cell(t, 0, 1), "near");
	cr_expect_str_eq(cell(t, 1, 0), "DRAM");
	table_list_free(&list);
	series_list_free(&series);
}

Test(table, places_ascend_and_may_be_missing)
{
	struct series_list series = {0};
	struct table_list list;
	const struct table *t;
	const double one[] = {8192, 1 << 20}, two[] = {4096, 8192};
	const double y[] = {30, 250.25};

	facts_add(&fixture_curve(&series, "a", one, y, 2)->options, "op", "x");
	facts_add(&fixture_curve(&series, "a", two, y, 2)->options, "op", "y");
	list = make(&series, NULL, (struct table_layout){0});
	t = list.items;
	cr_assert_eq(t->column_count, 3);
	cr_expect_eq(t->columns[0].x, 4096);
	cr_expect_eq(t->columns[2].x, 1 << 20);
	cr_expect_str_eq(cell(t, 0, 0), "-");
	cr_expect_str_eq(cell(t, 0, 1), "30");
	cr_expect_str_eq(cell(t, 1, 1), "250.2");
	table_list_free(&list);
	series_list_free(&series);
}

Test(table, levels_below_a_quarter_are_left_out)
{
	struct series_list series = {0};
	struct table_list list;
	struct point *p = add(&series, "a", "b", "nbs")->points;

	fixture_summary(&p[0], METRIC_SHARE_NEAR)->median = 0.75;
	fixture_summary(&p[0], METRIC_SHARE_FAR)->median = 0.25;
	list = make(&series, NULL, (struct table_layout){0});
	cr_expect_eq(list.items->key_count, 0);
	cr_expect_str_eq(cell(list.items, 0, 0), "near");
	cr_expect_str_eq(cell(list.items, 0, 1), "near+far");
	cr_expect_str_eq(cell(list.items, 0, 2), "skipped");
	table_list_free(&list);
	series_list_free(&series);
}

Test(table, two_files_differ_by_shares)
{
	struct series_list base = {0}, new = {0};
	struct table_list list;
	const struct table *t;

	fill(&base);
	add(&new, "ld.cg", "ld.cg", "bD");
	add(&new, "ld.ca", "ld.ca", "Ls");
	add(&new, "ld.xx", "ld.ca", "LD");
	list = make(&base, &new, (struct table_layout){0});
	t = list.items;
	cr_expect_eq(list.pairs.only_base, 4);
	cr_expect_eq(list.pairs.only_new, 1);
	cr_assert_eq(t->row_count, 2);
	cr_expect_str_eq(cell(t, 0, 0), "L1");
	cr_expect_str_eq(cell(t, 0, 1), "DRAM | skipped");
	cr_expect_str_eq(cell(t, 1, 0), "near | near+far");
	cr_expect_eq(t->errors.cell_count, 3);
	cr_expect_eq(t->errors.differing_count, 1);
	cr_expect_float_eq(t->errors.mean, 2 * 0.5 / 12, 1e-12);
	cr_expect_eq(t->errors.worst, 0.5);
	cr_expect_eq(t->errors.worst_metric, METRIC_SHARE_NEAR);
	cr_expect_str_eq(t->errors.worst_place,
		"first=ld.cg then=ld.cg probed_offset_bytes=0");
	table_list_free(&list);
	series_list_free(&base);
	series_list_free(&new);
}

Test(table, two_files_differ_by_ratio)
{
	struct series_list base = {0}, new = {0};
	struct table_list list;
	const double x[] = {4096, 8192, 16384};
	const double one[] = {30, 200, 400}, two[] = {30, 210, 360};

	fixture_curve(&base, "a", x, one, 3);
	fixture_curve(&new, "a", x, two, 3);
	list = make(&base, &new, (struct table_layout){0});
	cr_expect_eq(list.items->errors.cell_count, 3);
	cr_expect_eq(list.items->errors.differing_count, 2);
	cr_expect_float_eq(list.items->errors.median, 5, 1e-9);
	cr_expect_float_eq(list.items->errors.worst, 10, 1e-9);
	cr_expect_str_eq(
		list.items->errors.worst_place, "footprint_bytes=16KiB");
	cr_expect_str_eq(cell(list.items, 0, 0), "30");
	cr_expect_str_eq(cell(list.items, 0, 2), "400 | 360");
	table_list_free(&list);
	series_list_free(&base);
	series_list_free(&new);
}

Test(table, merged_rows_stand_for_every_combination)
{
	struct series_list series = {0};
	struct table_list list;
	struct table *t;
	struct error error;

	fill(&series);
	list = make(&series, NULL, (struct table_layout){0});
	t = list.items;
	cr_assert_eq(0, table_merge(t, &error));
	/* ld.ca then ld.ca is alone, so ld.ca cannot join the other two for
	   both of its partners. */
	cr_assert_eq(t->row_count, 3);
	cr_expect_str_eq(t->rows[0].words[0], "ld.ca");
	cr_expect_str_eq(t->rows[0].words[1], "ld.ca");
	cr_expect_str_eq(t->rows[1].words[0], "ld.ca, ld.cg, ld.cv");
	cr_expect_str_eq(t->rows[1].words[1], "ld.cg");
	cr_expect_str_eq(t->rows[2].words[0], "ld.cg, ld.cv");
	cr_expect_str_eq(t->rows[2].words[1], "ld.ca");
	table_list_free(&list);
	series_list_free(&series);
}

static void refused(const struct series_list *base,
	const struct series_list *new, struct table_layout layout, int code,
	const char *text)
{
	struct table_list list;
	struct error error;

	if (!layout.metric)
		layout.metric = -1;
	cr_expect_eq(code, table_list_make(base, new, &layout, &list, &error));
	cr_expect_str_eq(error.text, text);
}

Test(table, refusals)
{
	static const char *const first[] = {"first", "then"};
	static const char *const other[] = {"other"};
	struct series_list series = {0}, none = {0};

	fill(&series);
	refused(&series, NULL, (struct table_layout){first, 1}, ERR_USAGE,
		"the series of 'cache-ops' differ in 'then', which is neither "
		"among the rows nor the columns");
	refused(&series, NULL, (struct table_layout){other, 1}, ERR_USAGE,
		"no series has the option 'other'");
	refused(&series, NULL, (struct table_layout){.columns = "other"},
		ERR_USAGE, "no series has the option 'other'");
	refused(&series, NULL,
		(struct table_layout){first, 2, .columns = "then"}, ERR_USAGE,
		"'then' is named twice among rows and columns");
	refused(&series, NULL,
		(struct table_layout){.metric = METRIC_LATENCY_NS}, ERR_USAGE,
		"no series has the metric 'latency_ns'");
	refused(&none, NULL, (struct table_layout){0}, ERR_USAGE,
		"no series has a metric");
	refused(&series, &none, (struct table_layout){0}, ERR_FAILED,
		"no series of the two files are partners; only in the base: "
		"cache-ops first=ld.ca then=ld.ca over "
		"probed_offset_bytes, which the new does not "
		"have");
	series_list_free(&series);
}

Test(table, other_benches_and_measures_are_tables_of_their_own)
{
	struct series_list series = {0};
	struct table_list list;
	const double x[] = {4096}, y[] = {30};

	add(&series, "a", "b", "L");
	fixture_curve(&series, "a", x, y, 1);
	add(&series, "c", "b", "D");
	list = make(&series, NULL, (struct table_layout){0});
	cr_assert_eq(list.count, 2);
	cr_expect_eq(list.items[0].measure, TABLE_LEVELS);
	cr_expect_eq(list.items[0].row_count, 2);
	cr_expect_eq(list.items[1].measure, METRIC_LATENCY_CYCLES);
	table_list_free(&list);
	list = make(&series, NULL,
		(struct table_layout){.metric = METRIC_SHARE_FAR});
	cr_assert_eq(list.count, 1);
	cr_expect_str_eq(cell(list.items, 0, 0), "0");
	table_list_free(&list);
	series_list_free(&series);
}

/* Series that differ in a --set alone, in a machine's digest alone, and in
   nothing: each has a row. */
Test(table, no_series_is_left_out)
{
	static const char *const sets[] = {"", "a=1", "a=2", "a=2"};
	static const char *const words[] = {"default", "1", "2", "2"};
	static const char *const runs[] = {"1", "1", "1", "2"};
	struct series_list series = {0};
	struct table_list list;
	const struct table *t;
	size_t i;

	for (i = 0; i < 4; i++) {
		struct series *s = add(&series, "ld.ca", "ld.ca", "Ln");

		facts_add(&s->provenance, "machine", "h200-sxm");
		if (*sets[i])
			facts_add(&s->provenance, "set", "%s", sets[i]);
	}
	list = make(&series, NULL, (struct table_layout){0});
	t = list.items;
	cr_assert_eq(list.count, 1);
	cr_assert_eq(t->key_count, 2);
	cr_expect_str_eq(t->keys[0].name, "a");
	cr_expect_str_eq(t->keys[1].name, "run");
	cr_assert_eq(t->row_count, 4);
	for (i = 0; i < 4; i++) {
		cr_expect_str_eq(t->rows[i].words[0], words[i]);
		cr_expect_str_eq(t->rows[i].words[1], runs[i]);
	}
	cr_expect_eq(t->repeated_count, 0);
	table_list_free(&list);
	list = make(&series, NULL, (struct table_layout){.columns = "a"});
	cr_expect_eq(list.items[0].column_count, 3);
	table_list_free(&list);
	series_list_free(&series);
}

Test(table, one_measurement_beside_what_ifs)
{
	struct series_list base = {0}, new = {0};
	struct table_list list;
	const struct table *t;
	int i;

	add(&base, "ld.ca", "ld.ca", "Ln");
	for (i = 0; i < 3; i++)
		facts_add(&add(&new, "ld.ca", "ld.ca", i == 1 ? "nn" : "Ln")
				   ->provenance,
			"set", "a=%d", i);
	list = make(&base, &new, (struct table_layout){0});
	t = list.items;
	cr_expect_eq(list.pairs.only_base + list.pairs.only_new, 0);
	cr_assert_eq(t->row_count, 3);
	cr_expect_str_eq(t->keys[0].name, "a");
	cr_expect_str_eq(cell(t, 1, 0), "L1 | near");
	cr_expect_str_eq(cell(t, 2, 0), "L1");
	table_list_free(&list);
	series_list_free(&base);
	series_list_free(&new);
}

Test(table, a_place_that_repeats_is_counted)
{
	struct series_list series = {0};
	struct table_list list;

	add(&series, "ld.ca", "ld.ca", "Ln");
	series.items[0].points[1].x = 0;
	list = make(&series, NULL, (struct table_layout){0});
	cr_expect_eq(list.items[0].repeated_count, 1);
	table_list_free(&list);
	series_list_free(&series);
}
