/* Marks in every format, and read back. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/mark_gate.h"
#include "harness/marks/marks.h"
#include "tests/unit/series_fixture.h"

TestSuite(marks, .timeout = 30);

#define ALL ((1u << MARK_COUNT) - 1)

/* Three points: without a mark, with one, with all. */
static void make(struct series_list *list)
{
	static const double x[] = {4096, 8192, 16384}, y[] = {30, 31, 32};
	struct series *series = fixture_curve(list, "chase", x, y, 3);

	series->metrics |= 1u << METRIC_LATENCY_NS;
	series->points[1].marks = 1u << MARK_SHARED;
	series->points[2].marks = ALL;
}

static void read_back(enum series_format format)
{
	struct series_list list = {0}, again = {0};
	struct error error = {""};
	struct content content = {.source = "test"};
	char *text;
	size_t i;

	make(&list);
	text = fixture_text(&list, format);
	content.text = text;
	content.bytes = strlen(text);
	cr_assert_eq(
		0, series_parse(&content, &again, &error), "%s", error.text);
	for (i = 0; i < 3; i++)
		cr_expect_eq(again.items[0].points[i].marks,
			list.items[0].points[i].marks);
	free(text);
	series_list_free(&list);
	series_list_free(&again);
}

Test(marks, json_and_csv_keep_them)
{
	read_back(FORMAT_JSON);
	read_back(FORMAT_CSV);
}

static void refused(const char *text, const char *words)
{
	struct series_list list = {0};
	struct error error = {""};
	char *copy = strdup(text);
	struct content content = {
		.text = copy, .bytes = strlen(text), .source = "test"};

	cr_expect_eq(ERR_USAGE, series_parse(&content, &list, &error));
	cr_expect(strstr(error.text, words), "%s", error.text);
	free(copy);
}

Test(marks, unknown_ones_are_refused)
{
	refused("# bench: b\nx_bytes,latency_cycles_median,marks\n"
		"1,2,shared haunted\n",
		"test:3: the mark 'haunted' is not known");
	refused("{\"schema\": \"nearfar-series/1\", \"series\": [{"
		"\"bench\": \"b\", \"options\": {}, \"axis\": {\"name\": "
		"\"x\"}, \"metrics\": [], \"provenance\": {}, \"points\": [{"
		"\"x\": 1, \"clock_hz\": 1, \"metrics\": {}, \"marks\": "
		"[\"shared\", \"haunted\"]}]}]}",
		"'series[0].points[0].marks[1]' names no known mark");
}

static void expect_words(enum series_format format, const char *const *words)
{
	struct series_list list = {0};
	char *text;

	make(&list);
	text = fixture_text(&list, format);
	for (; *words; words++)
		cr_expect(strstr(text, *words), "'%s' in\n%s", *words, text);
	free(text);
	series_list_free(&list);
}

Test(marks, every_format_shows_them)
{
	expect_words(FORMAT_TABLE,
		(const char *[]){"8KiB[c]", "16KiB[a,b,c,d,e,f,g]",
			"\na: the SM clock moved", "\nb: power or heat",
			"\nc: another process", "\nd: medians of the repeats",
			"\ne: the 95 % interval", "\nf: what is accessed again",
			"\ng: the timed region", NULL});
	expect_words(FORMAT_MD, (const char *[]){"| 8KiB\\[c\\] |",
					"\n\n- a: the SM clock moved", NULL});
	expect_words(FORMAT_JSON, (const char *[]){"\"marks\": [\"shared\"],",
					  "\"marks\": [\"clock-moved\", "
					  "\"throttled\", \"shared\", ",
					  NULL});
	expect_words(FORMAT_JSONL,
		(const char *[]){", \"marks\": [\"shared\"], ", NULL});
	expect_words(FORMAT_CSV,
		(const char *[]){",skipped,marks\n", ",shared\n",
			",clock-moved throttled shared repeats-disagree "
			"wide-interval partly-cached short-region\n",
			NULL});
	expect_words(FORMAT_TIDY,
		(const char *[]){",sm_clock_hz,skipped,marks\n", ",,shared\n",
			",,clock-moved throttled shared ", NULL});
	expect_words(FORMAT_GBENCH,
		(const char *[]){", \"label\": \"shared\"}",
			", \"label\": \"clock-moved throttled ", NULL});
	expect_words(FORMAT_VEGA, (const char *[]){", \"marks\": \"\"}",
					  ", \"marks\": \"shared\"}", NULL});
	expect_words(FORMAT_OPENMETRICS,
		(const char *[]){"\n# TYPE nearfar_mark gauge\n",
			",mark=\"shared\"} 1\n",
			",mark=\"short-region\"} 1\n# EOF\n", NULL});
}

/* The model is not disturbed: its files are as they were. */
Test(marks, none_leave_no_trace_but_an_empty_column)
{
	struct series_list list = {0};
	char *text;

	make(&list);
	list.items[0].points[1].marks = list.items[0].points[2].marks = 0;
	text = fixture_text(&list, FORMAT_JSON);
	cr_expect_not(strstr(text, "marks"));
	free(text);
	text = fixture_text(&list, FORMAT_TABLE);
	cr_expect_not(strchr(text, '['));
	free(text);
	series_list_free(&list);
}

Test(marks, the_gate_counts_them_and_names_the_first)
{
	struct series_list list = {0};
	struct error error = {""};

	make(&list);
	cr_expect_eq(ERR_GATE, marks_gate(&list, &error));
	cr_expect_str_eq(error.text,
		"2 of 3 points are marked, 'chase' at footprint_bytes 8KiB "
		"first: another process computed on the GPU while the point "
		"was measured");
	list.items[0].points[1].marks = list.items[0].points[2].marks = 0;
	cr_expect_eq(0, marks_gate(&list, &error));
	series_list_free(&list);
}
