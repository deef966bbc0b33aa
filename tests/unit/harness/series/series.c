#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/emit.h"
#include "harness/base/output.h"
#include "harness/series/curve.h"
#include "tests/unit/series_fixture.h"

TestSuite(series, .timeout = 60);

static int parse(
	const char *text, struct series_list *list, struct error *error)
{
	*list = (struct series_list){0};
	return series_parse_json(text, strlen(text), "f.json", list, error);
}

static struct series_list reread(const char *text)
{
	struct series_list list;
	struct error error;

	cr_assert_eq(0, parse(text, &list, &error), "%s", error.text);
	return list;
}

Test(series, json_round_trip_is_byte_identical)
{
	struct series_list list, again;
	char *first, *second;

	fixture_full(&list);
	first = fixture_text(&list, FORMAT_JSON);
	again = reread(first);
	second = fixture_text(&again, FORMAT_JSON);
	cr_expect_str_eq(first, second);
	free(first);
	free(second);
	series_list_free(&list);
	series_list_free(&again);
}

Test(series, json_keeps_every_field)
{
	struct series_list list, again;
	const struct point *a, *b;
	char *text;
	size_t i, column;

	fixture_full(&list);
	text = fixture_text(&list, FORMAT_JSON);
	again = reread(text);
	cr_assert_eq(again.count, 2);
	cr_expect_str_eq(again.items[0].bench, "pointer-chase");
	cr_expect_str_eq(facts_find(&again.items[0].options, "note"),
		"a, \"b\" # c\\n\t\x01");
	cr_expect_eq(again.items[0].provenance.count, 4);
	cr_expect_eq(again.items[0].metrics, list.items[0].metrics);
	cr_assert_eq(again.items[0].point_count, list.items[0].point_count);
	a = &list.items[0].points[1];
	b = &again.items[0].points[1];
	cr_expect(a->x == b->x && a->clock_hz == b->clock_hz);
	cr_expect_str_eq(a->program, b->program);
	cr_expect_str_eq(b->regions[1], "measure");
	cr_assert_eq(a->samples.count, b->samples.count);
	for (column = 0; column < SAMPLE_COLUMNS; column++)
		for (i = 0; i < a->samples.count; i++)
			cr_expect(sample_table_get(&a->samples, column, i) ==
				  sample_table_get(&b->samples, column, i));
	cr_expect_eq(
		0, memcmp(point_metric(a, 0)->values,
			   point_metric(b, 0)->values, 3 * sizeof(double)));
	cr_expect(point_summary(a, 0)->mad == point_summary(b, 0)->mad);
	cr_expect(b->spans[1].cycles == 0.1 + 0.2 && isnan(b->spans[1].ns));
	cr_expect_str_eq(b->counters[1].name, "dram__bytes_read.sum");
	cr_expect(b->counters[1].value == 1e300);
	cr_expect_str_eq(again.items[0].points[3].skipped,
		list.items[0].points[3].skipped);
	cr_expect(isnan(point_summary(&again.items[0].points[4], 0)->median));
	free(text);
	series_list_free(&list);
	series_list_free(&again);
}

Test(series, equal_columns_are_one_number)
{
	struct series_list list;
	char *text;

	fixture_full(&list);
	text = fixture_text(&list, FORMAT_JSON);
	cr_expect(strstr(text, "\"samples\": {\"count\": 12"));
	cr_expect(strstr(text, "\"sm\": 17,"));
	cr_expect(strstr(text, "\"region\": [0,1,0,1"));
	free(text);
	series_list_free(&list);
}

Test(series, numbers_are_shortest)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"}, {-0.0, "0"}, {0.1, "0.1"}, {33, "33"},
		{0.1 + 0.2, "0.30000000000000004"}, {1.98e9, "1980000000"},
		{1e15, "1e+15"}, {-2.5, "-2.5"},
		{1.0 / 3, "0.3333333333333333"}};
	char text[EMIT_NUMBER_BYTES];
	struct random_state random;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		emit_format(cases[i].value, text);
		cr_expect_str_eq(text, cases[i].text);
	}
	random_init(&random, 1);
	for (i = 0; i < 20000; i++) {
		const uint64_t bits = random_next(&random);
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		emit_format(value, text);
		cr_expect(strtod(text, NULL) == value, "%s", text);
	}
}

Test(series, bad_utf8_is_still_json)
{
	struct series_list list = {0}, again;
	const double x = 1, y = 1;
	char *text;

	fixture_curve(&list,
		"a\xff\xfe"
		"b",
		&x, &y, 1);
	text = fixture_text(&list, FORMAT_JSON);
	again = reread(text);
	cr_expect_str_eq(again.items[0].bench, "a??b");
	free(text);
	series_list_free(&list);
	series_list_free(&again);
}

#define HEAD "{\"schema\": \"nearfar-series/1\", \"series\": ["
#define SERIES                                                                 \
	"{\"bench\": \"b\", \"options\": {}, \"axis\": {\"name\": \"n\"}, "    \
	"\"metrics\": [], \"provenance\": {}, \"points\": ["
#define TAIL  "]}]}"
#define POINT "{\"x\": 1, \"clock_hz\": null, \"metrics\": {}, "

Test(series, messages_name_the_place)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"{\"schema\": \"nearfar-series/1\",\n \"series\": }",
			"f.json:2:12: "},
		{"[]", "f.json: 'the document' must be an object, not an "
		       "array"},
		{"{}", "f.json: 'schema' is missing"},
		{"{\"schema\": \"nearfar-series/9\"}",
			"f.json: 'schema' is 'nearfar-series/9', but only "
			"'nearfar-series/1' is known"},
		{"{\"schema\": \"nearfar-series/1\"}",
			"f.json: 'series' is missing"},
		{HEAD "3]}", "f.json: 'series[0]' must be an object, not a "
			     "number"},
		{HEAD "{}]}", "f.json: 'series[0].bench' is missing"},
		{HEAD SERIES "{\"x\": \"1\"}" TAIL,
			"f.json: 'series[0].points[0].x' must be a number, not "
			"a string"},
		{HEAD SERIES "{\"x\": 1}" TAIL,
			"f.json: 'series[0].points[0].clock_hz' is missing"},
		{HEAD SERIES POINT "\"samples\": {\"count\": 2, \"repeat\": "
				   "[0]}}" TAIL,
			"f.json: 'series[0].points[0].samples.repeat' must "
			"have 2 entries, not 1"},
		{HEAD SERIES POINT "\"samples\": {\"count\": 1, \"repeat\": 0, "
				   "\"region\": 0, \"sm\": 0, \"warp\": 0, "
				   "\"iteration\": 0, \"cycles\": 1}}" TAIL,
			"f.json: 'series[0].points[0].samples.region' is not "
			"one of 0 regions"},
		{HEAD SERIES POINT
			"\"samples\": {\"count\": 99999999999}}" TAIL,
			"f.json: 'series[0].points[0].samples.count' must be "
			"between 0 and 67108864"},
		{HEAD "{\"bench\": \"b\", \"bench\": \"b\"}]}",
			"f.json: 'series[0].bench' is there twice"},
		{HEAD SERIES POINT "\"samples\": {\"count\": 2, \"repeat\": 0, "
				   "\"region\": 0, \"sm\": 0, \"warp\": 0, "
				   "\"iteration\": 0}}" TAIL,
			"f.json: 'series[0].points[0].samples.cycles' is "
			"missing"},
		{HEAD SERIES POINT "\"samples\": {\"count\": 2, \"sm\": "
				   "[0, 65536]}}" TAIL,
			"f.json: 'series[0].points[0].samples.sm[1]' must be "
			"between 0 and 65535"},
		{HEAD SERIES POINT "\"samples\": {\"count\": 2, \"sm\": "
				   "[0, 0.5]}}" TAIL,
			"f.json: 'series[0].points[0].samples.sm[1]' must be a "
			"whole number"},
		{HEAD SERIES POINT "\"samples\": {\"region\": [0, 1], "
				   "\"repeat\": 0, \"sm\": 0, \"warp\": 0, "
				   "\"iteration\": 0, \"cycles\": 1, "
				   "\"count\": 2}, \"regions\": [\"r\"]}" TAIL,
			"f.json: 'series[0].points[0].samples.region[1]' is "
			"not one of 1 regions"},
		{HEAD SERIES POINT
			"\"spans\": [{\"region\": 0, \"repeat\": 0, "
			"\"cycles\": 1, \"ns\": 1, \"clock_hz\": 1}]}" TAIL,
			"f.json: 'series[0].points[0].spans[0].region' is not "
			"one of 0 regions"},
		{HEAD SERIES POINT "\"counters\": {\"c\": 1, \"c\": 1}}" TAIL,
			"f.json: 'series[0].points[0].counters.c' is there "
			"twice"},
		{HEAD SERIES POINT "\"marks\": [\"m\"]}" TAIL,
			"f.json: 'series[0].points[0].marks[0]' names no known "
			"mark: 'm'"},
		{HEAD "{\"points\": [{\"x\": 1, \"clock_hz\": null, "
		      "\"metrics\": {}}], \"bench\": \"b\", \"options\": {}, "
		      "\"axis\": {\"name\": \"n\"}, \"provenance\": {}, "
		      "\"metrics\": [\"latency_cycles\"]}]}",
			"f.json: 'series[0].points[0].metrics.latency_cycles' "
			"is missing"},
		{HEAD "{\"bench\": \"b\", \"options\": {\"op\": 1}, \"axis\": "
		      "{\"name\": \"n\"}}]}",
			"f.json: 'series[0].options.op' must be a string, not "
			"a number"},
	};
	struct series_list list;
	struct error error;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect_eq(ERR_USAGE, parse(cases[i].text, &list, &error));
		cr_expect(!strncmp(error.text, cases[i].message,
				  strlen(cases[i].message)),
			"%zu: %s", i, error.text);
		series_list_free(&list);
	}
}

/* The keys of every object of a document, the last first. */
static json_t *turned_round(const json_t *value)
{
	json_t *made, *item;
	const char *names[64];
	size_t count = 0, i;
	void *at;

	if (json_is_array(value)) {
		made = json_array();
		for (i = 0; i < json_array_size(value); i++)
			json_array_append_new(
				made, turned_round(json_array_get(value, i)));
		return made;
	}
	if (!json_is_object(value))
		return json_incref((json_t *)(uintptr_t)value);
	made = json_object();
	for (at = json_object_iter((json_t *)(uintptr_t)value); at;
		at = json_object_iter_next((json_t *)(uintptr_t)value, at)) {
		cr_assert(count < 64);
		names[count++] = json_object_iter_key(at);
	}
	while (count--) {
		item = turned_round(json_object_get(value, names[count]));
		json_object_set_new(made, names[count], item);
	}
	return made;
}

/* The text of a list whose file had its keys turned round. */
static char *read_turned(const char *text)
{
	json_t *whole = json_loads(text, 0, NULL), *round;
	struct series_list list;
	char *turned, *again;

	cr_assert(whole);
	round = turned_round(whole);
	turned = json_dumps(round, JSON_REAL_PRECISION(17));
	cr_assert(strstr(turned, "\"series\"") < strstr(turned, "\"schema\""));
	list = reread(turned);
	again = fixture_text(&list, FORMAT_JSON);
	json_decref(whole);
	json_decref(round);
	free(turned);
	series_list_free(&list);
	return again;
}

/* Facts and counters keep their order, so they are turned back. */
Test(series, keys_come_in_any_order)
{
	struct series_list list;
	char *first, *turned, *again;

	fixture_full(&list);
	first = fixture_text(&list, FORMAT_JSON);
	turned = read_turned(first);
	again = read_turned(turned);
	cr_expect_str_eq(first, again);
	free(first);
	free(turned);
	free(again);
	series_list_free(&list);
}

Test(series, keys_of_later_writers_are_ignored)
{
	struct series_list list =
		reread(HEAD SERIES POINT "\"colour\": [1]}" TAIL);

	cr_expect_eq(list.items[0].point_count, 1);
	series_list_free(&list);
}

Test(series, mutated_json_never_crashes)
{
	struct series_list list, read;
	struct random_state random;
	struct error error;
	char *text, *copy;
	size_t length, i, accepted = 0;

	fixture_full(&list);
	text = fixture_text(&list, FORMAT_JSON);
	length = strlen(text);
	copy = malloc(length + 256);
	random_init(&random, 7);
	for (i = 0; i < 4000; i++) {
		size_t bytes;
		int result;

		memcpy(copy, text, length);
		bytes = fixture_mutate(copy, length, length + 200, &random);
		copy[bytes] = '\0';
		read = (struct series_list){0};
		*error.text = '\0';
		result = series_parse_json(copy, bytes, "f", &read, &error);
		cr_assert(result == 0 || result == ERR_USAGE);
		cr_assert(result == 0 || *error.text);
		if (!result) {
			free(fixture_text(&read, FORMAT_JSON));
			free(fixture_text(&read, FORMAT_TABLE));
			accepted++;
		}
		series_list_free(&read);
	}
	cr_expect(accepted > 0 && accepted < i);
	free(copy);
	free(text);
	series_list_free(&list);
}

static void check_file(const char *name, enum series_format format)
{
	struct series_list list, again;
	struct error error;
	char *path = fixture_path(name), *first, *second;

	fixture_full(&list);
	cr_assert_eq(0, output_probe(path, &error), "%s", error.text);
	cr_assert_eq(0, series_write_file(&list, format, path, &error), "%s",
		error.text);
	cr_assert_eq(0, series_read(path, &again, &error), "%s", error.text);
	first = fixture_text(&list, FORMAT_CSV);
	second = fixture_text(&again, FORMAT_CSV);
	cr_expect_str_eq(first, second);
	free(first);
	free(second);
	series_list_free(&list);
	series_list_free(&again);
	fixture_remove(path);
}

Test(series, files_by_content_not_by_name)
{
	check_file("a.json", FORMAT_JSON);
	check_file("a.json.gz", FORMAT_JSON);
	check_file("a.gz", FORMAT_CSV);
	check_file("a", FORMAT_CSV);
}

static size_t slurp(const char *path, unsigned char *bytes, size_t most)
{
	FILE *file = fopen(path, "rb");
	size_t count;

	cr_assert(file);
	count = fread(bytes, 1, most, file);
	fclose(file);
	return count;
}

Test(series, gzip_is_reproducible_and_damage_is_found)
{
	static unsigned char first[65536], second[65536];
	struct series_list list, read;
	struct error error;
	char *path = fixture_path("a.json.gz");
	size_t count;
	FILE *file;

	fixture_full(&list);
	series_write_file(&list, FORMAT_JSON, path, &error);
	count = slurp(path, first, sizeof(first));
	series_write_file(&list, FORMAT_JSON, path, &error);
	cr_expect_eq(count, slurp(path, second, sizeof(second)));
	cr_expect_eq(0, memcmp(first, second, count));
	cr_expect_eq(first[0], 0x1f);
	cr_expect(!first[4] && !first[5] && !first[6] && !first[7]);
	file = fopen(path, "wb");
	fwrite(first, 1, count / 2, file);
	fclose(file);
	cr_expect_eq(ERR_USAGE, series_read(path, &read, &error));
	cr_expect(strstr(error.text, "cut short"), "%s", error.text);
	series_list_free(&list);
	fixture_remove(path);
}

Test(series, files_that_cannot_be)
{
	struct series_list list = {0};
	struct error error;
	char *path = fixture_path("none");

	cr_expect_eq(ERR_FAILED, series_read(path, &list, &error));
	cr_expect(strstr(error.text, "No such file"), "%s", error.text);
	cr_expect_eq(ERR_FAILED, series_read("/tmp", &list, &error));
	cr_expect_eq(ERR_FAILED, output_probe("/nowhere/at/all.json", &error));
	cr_expect_eq(ERR_FAILED, output_probe("/tmp", &error));
	cr_expect_eq(ERR_FAILED,
		series_write_file(&list, FORMAT_JSON, "/dev/full", &error));
	cr_expect_eq(
		0, series_write_file(&list, FORMAT_JSON, "/dev/null", &error));
	cr_expect_eq(ERR_USAGE, series_read("/dev/null", &list, &error));
	cr_expect_eq(0, series_write_file(&list, FORMAT_JSON, path, &error));
	fixture_remove(path);
}

Test(series, table_md_and_jsonl_say_what_is_there)
{
	struct series_list list;
	char *text;

	fixture_full(&list);
	text = fixture_text(&list, FORMAT_TABLE);
	cr_expect(strstr(text, "pointer-chase  op=ld.cg"));
	cr_expect(strstr(text, "backend sim, machine h200-sxm"));
	cr_expect(strstr(text, "16KiB"));
	cr_expect(strstr(text, "skipped: no room"));
	free(text);
	text = fixture_text(&list, FORMAT_MD);
	cr_expect(strstr(text, "| footprint_bytes | latency_cycles |"));
	free(text);
	text = fixture_text(&list, FORMAT_JSONL);
	cr_expect(!strncmp(text, "{\"bench\": \"pointer-chase\"", 25));
	cr_expect(strstr(text, "\"x\": 4096, \"metrics\": "
			       "{\"latency_cycles\": {\"median\": 240, "));
	free(text);
	series_list_free(&list);
}

Test(series, a_curve_goes_from_left_to_right)
{
	static const double x[] = {4, 1, 2}, y[] = {40, 10, 20};
	struct series_list list = {0};
	struct error error = {""};
	struct curve curve;
	size_t i;

	fixture_curve(&list, "b", x, y, 3);
	cr_assert_eq(series_curve(&list.items[0],
			     series_primary(&list.items[0]), &curve, &error),
		0, "%s", error.text);
	cr_assert_eq(curve.count, 3);
	for (i = 0; i < curve.count; i++) {
		cr_expect_eq(curve.x[i], 1 << i);
		cr_expect_eq(curve.y[i], 10 << i);
	}
	curve_free(&curve);
	series_list_free(&list);
}

/* The second launch is run twice, so it has two points. */
Test(series, a_launch_has_the_name_that_its_job_gives)
{
	static const char *const names[] = {"fill", "second", "second", "fill"};
	struct series_list list = {0};
	struct series *series = series_list_add(&list);
	char name[SERIES_LAUNCH_BYTES];
	size_t i;

	series->axis = strdup("launch");
	facts_add(&series->provenance, "job.launch0", "fill grid=1,1,1");
	facts_add(&series->provenance, "job.launch1",
		"scale grid=1,1,1 repeats=2 name=second");
	facts_add(&series->provenance, "job.launch2", "fill grid=2,1,1");
	for (i = 0; i < 4; i++) {
		series_launch(series, (double)i, name);
		cr_expect_str_eq(name, names[i], "%zu", i);
	}
	series_launch(series, 4, name);
	cr_expect_str_eq(name, "");
	free(series->axis);
	series->axis = strdup("launches");
	series_launch(series, 0, name);
	cr_expect_str_eq(name, "");
	series_list_free(&list);
}
