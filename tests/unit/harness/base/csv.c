#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/csv.h"
#include "tests/unit/series_fixture.h"

TestSuite(csv, .timeout = 60);

static int parse(
	const char *text, struct series_list *list, struct error *error)
{
	char *copy = strdup(text);
	int result;

	*list = (struct series_list){0};
	result = series_parse_csv(copy, strlen(copy), "f.csv", list, error);
	free(copy);
	return result;
}

static struct series_list reread(const char *text)
{
	struct series_list list;
	struct error error;

	cr_assert_eq(0, parse(text, &list, &error), "%s", error.text);
	return list;
}

Test(csv, round_trip_is_byte_identical)
{
	struct series_list list, again;
	char *first, *second;

	fixture_full(&list);
	first = fixture_text(&list, FORMAT_CSV);
	again = reread(first);
	second = fixture_text(&again, FORMAT_CSV);
	cr_expect_str_eq(first, second);
	cr_assert_eq(again.count, 2);
	cr_expect_str_eq(facts_find(&again.items[0].options, "note"),
		"a, \"b\" # c\\n\t\x01");
	cr_expect_str_eq(
		again.items[0].provenance.items[2].value, "two\nlines");
	cr_expect_str_eq(again.items[0].points[3].skipped,
		list.items[0].points[3].skipped);
	cr_expect_eq(point_summary(&again.items[0].points[0], 0)->count, 3);
	cr_expect_eq(point_summary(&again.items[0].points[0], 0)->outliers, 1);
	free(first);
	free(second);
	series_list_free(&list);
	series_list_free(&again);
}

Test(csv, layout)
{
	static const char expected[] =
		"# schema: nearfar-series/1\n"
		"# bench: chase\n"
		"# axis: footprint_bytes\n"
		"# option.op: ld.cg\n"
		"# backend: sim\n"
		"footprint_bytes,latency_cycles_median,latency_cycles_mean,"
		"latency_cycles_p5,latency_cycles_p95,latency_cycles_mad,"
		"latency_cycles_low,latency_cycles_high,samples,outliers,"
		"sm_clock_hz,skipped,marks\n"
		"1048576,33,33,32,34,0.5,32.5,33.5,8,0,1000000000,,\n"
		"2097152,,,,,,,,0,0,,\"no, too \"\"big\"\"\",\n";
	const double x = 1048576, y = 33;
	struct series_list list = {0};
	struct series *series = fixture_curve(&list, "chase", &x, &y, 1);
	char *text;

	facts_add(&series->options, "op", "ld.cg");
	facts_add(&series->provenance, "backend", "sim");
	series_add_point(series, 2097152)->skipped = strdup("no, too \"big\"");
	text = fixture_text(&list, FORMAT_CSV);
	cr_expect_str_eq(text, expected);
	free(text);
	series_list_free(&list);
}

Test(csv, what_people_write_by_hand)
{
	struct series_list list = reread("# bench: published\r\n"
					 "# taken from a table\r\n"
					 "\"footprint_bytes\","
					 "latency_cycles_median\r\n"
					 "1024,33.5\r\n"
					 "2048,\"34\"\r\n"
					 "\r\n\r\n");

	cr_assert_eq(list.count, 1);
	cr_expect_str_eq(list.items[0].bench, "published");
	cr_expect_str_eq(list.items[0].axis, "footprint_bytes");
	cr_assert_eq(list.items[0].point_count, 2);
	cr_expect(point_summary(&list.items[0].points[1], 0)->median == 34);
	cr_expect_eq(point_summary(&list.items[0].points[1], 0)->count, 1);
	cr_expect(isnan(list.items[0].points[1].clock_hz));
	series_list_free(&list);
}

Test(csv, messages_name_the_line)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"x,y\n", "f.csv:1: no series: JSON begins with '{', CSV "
			  "with a line '# bench: NAME'"},
		{"# bench: a\n", "f.csv:2: a header must follow the comments"},
		{"# bench: a\n# bench: b\n", "f.csv:2: 'bench' is given twice"},
		{"# bench: a\n# k\xff: 1\nx\n",
			"f.csv:2: the key 'k\xff' is not UTF-8"},
		{"# schema: other/1\n",
			"f.csv:1: the schema is 'other/1', but only "
			"'nearfar-series/1' is known"},
		{"# bench: a\nx,colour\n",
			"f.csv:2: the column 'colour' is not known"},
		{"# bench: a\n# axis: y\nx\n",
			"f.csv:3: the first column is 'x', but the axis 'y'"},
		{"# bench: a\nx,samples\n1\n",
			"f.csv:3: the row has 1 fields, but the header 2"},
		{"# bench: a\nx,skipped\n1,\"a\nb\"\n2,\"c\n",
			"f.csv:5: a quote is not closed"},
		{"# bench: a\nx,skipped\n1,\"a\"\"\n",
			"f.csv:3: a quote is not closed"},
		{"# bench: a\nx,skipped\n1,\"a\"b\n",
			"f.csv:3: a comma must follow a closing quote"},
		{"# bench: a\nx\none\n", "f.csv:3: "},
		{"# bench: a\nx\nnan\n", "f.csv:3: "},
		{"# bench: a\nx,samples\n1,-1\n", "f.csv:3: "},
		{"# bench: a\nx,samples\n,1\n", "f.csv:3: x is empty"},
	};
	struct series_list list;
	struct error error;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect_eq(ERR_USAGE, parse(cases[i].text, &list, &error),
			"%zu", i);
		cr_expect(!strncmp(error.text, cases[i].message,
				  strlen(cases[i].message)),
			"%zu: %s", i, error.text);
		series_list_free(&list);
	}
}

Test(csv, records)
{
	char text[] = "# k: v\r\na,\"b \"\"c\"\"\",\n\n\"x\ny\",z";
	struct csv csv;
	struct error error;

	csv_init(&csv, text, strlen(text), "f");
	cr_assert_eq(1, csv_next(&csv, &error));
	cr_expect_str_eq(csv.comment, "k: v");
	cr_assert_eq(1, csv_next(&csv, &error));
	cr_assert_eq(csv.field_count, 3);
	cr_expect_str_eq(csv.fields[1], "b \"c\"");
	cr_expect_str_eq(csv.fields[2], "");
	cr_assert_eq(1, csv_next(&csv, &error));
	cr_expect_eq(csv.field_count, 0);
	cr_assert_eq(1, csv_next(&csv, &error));
	cr_expect_eq(csv.line, 4);
	cr_assert_eq(csv.field_count, 2);
	cr_expect_str_eq(csv.fields[0], "x\ny");
	cr_expect_str_eq(csv.fields[1], "z");
	cr_expect_eq(0, csv_next(&csv, &error));
	csv_free(&csv);
}

Test(csv, mutated_csv_never_crashes)
{
	struct series_list list, read;
	struct random_state random;
	struct error error;
	char *text, *copy;
	size_t length, i, accepted = 0;

	fixture_full(&list);
	text = fixture_text(&list, FORMAT_CSV);
	length = strlen(text);
	random_init(&random, 11);
	for (i = 0; i < 6000; i++) {
		size_t bytes;
		int result;

		copy = malloc(length + 201);
		memcpy(copy, text, length);
		bytes = fixture_mutate(copy, length, length + 200, &random);
		copy = realloc(copy, bytes + 1);
		copy[bytes] = '\0';
		read = (struct series_list){0};
		result = series_parse_csv(copy, bytes, "f", &read, &error);
		cr_assert(result == 0 || result == ERR_USAGE);
		if (!result) {
			free(fixture_text(&read, FORMAT_JSON));
			free(fixture_text(&read, FORMAT_MD));
			accepted++;
		}
		series_list_free(&read);
		free(copy);
	}
	cr_expect(accepted > 0 && accepted < i);
	free(text);
	series_list_free(&list);
}

Test(csv, raw_samples)
{
	struct series_list list;
	struct error error;
	char *path = fixture_path("raw.csv");
	char line[256];
	size_t rows = 0;
	bool found = false;
	FILE *file;

	fixture_full(&list);
	cr_assert_eq(0, series_write_raw(&list, path, &error));
	file = fopen(path, "r");
	cr_assert(file);
	while (fgets(line, sizeof(line), file)) {
		found |= !strcmp(line, "0,4096,2,measure,17,3,9,252\n");
		rows += *line != '#';
	}
	fclose(file);
	cr_expect(found);
	cr_expect_eq(rows, 1 + 3 * 12);
	series_list_free(&list);
	fixture_remove(path);
}
