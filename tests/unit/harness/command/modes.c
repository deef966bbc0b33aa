#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/command/command.h"
#include "harness/series/sample_sets.h"
#include "tests/unit/series_fixture.h"

TestSuite(command_modes, .timeout = 60);

/* What the command prints; the caller frees it. */
static char *run_modes(const char *path, const char *option,
	const char *argument, int expected, struct error *error)
{
	char command[] = "nearfar modes";
	char *argv[] = {command, strdup(path), option ? strdup(option) : NULL,
		option ? strdup(argument) : NULL, NULL};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int code = command_modes(option ? 4 : 2, argv, out, error);

	fclose(out);
	free(argv[1]);
	free(argv[2]);
	free(argv[3]);
	cr_assert_eq(code, expected, "%d: %s", code, error->text);
	return text;
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	cr_assert_eq(fclose(file), 0);
}

/* 120 near and 120 far latencies behind a comment. */
static char *numbers_file(void)
{
	char *path = fixture_path("numbers.txt");
	FILE *file = fopen(path, "w");
	int i;

	fputs("# cycles\n\n", file);
	for (i = 0; i < 120; i++)
		fprintf(file, "%d\n  %d \r\n", 260 + i % 60, 430 + i % 80);
	cr_assert_eq(fclose(file), 0);
	return path;
}

static void add_sample(
	struct point *point, uint16_t region, uint32_t iteration, double cycles)
{
	const struct sample sample = {
		.cycles = cycles, .iteration = iteration, .region = region};

	cr_assert_eq(sample_table_add(&point->samples, 0, &sample), 0);
}

static void add_regions(struct point *point)
{
	point->region_count = 2;
	point->regions = calloc(2, sizeof(*point->regions));
	point->regions[0] = strdup("warm");
	point->regions[1] = strdup("measure");
}

/*
 * 4096: no values, "measure" near and far by iteration, "warm" at 700; 8192:
 * values, and iterations of "measure" of many loads each; 16384: skipped;
 * 32768: the time of the whole region only.
 */
static void three_points(struct series_list *list)
{
	struct metric_values *latency;
	static const double x[] = {4096, 8192, 16384, 32768};
	static const double y[] = {300, 32, 0, 400};
	struct series *series = fixture_curve(list, "pointer-chase", x, y, 4);
	struct point *points = series->points;
	uint32_t i;

	add_regions(&points[0]);
	add_regions(&points[1]);
	for (i = 0; i < 100; i++) {
		add_sample(&points[0], 0, i, 700);
		add_sample(&points[0], 1, i, i % 2 ? 280 : 480);
	}
	for (i = 0; i < 4; i++)
		add_sample(&points[1], 1, i, 8192);
	add_regions(&points[3]);
	add_sample(&points[3], 1, 0, 1e6);
	latency = point_add_metric(&points[1], METRIC_LATENCY_CYCLES);
	latency->values = calloc(5, sizeof(double));
	latency->value_count = 5;
	for (i = 0; i < 5; i++)
		latency->values[i] = i ? 32 : NAN;
	points[2].skipped = strdup("no room");
}

static char *series_file(const char *name)
{
	char *path = fixture_path(name);
	struct series_list list = {0};
	struct error error;

	three_points(&list);
	if (strstr(name, "raw"))
		cr_assert_eq(series_write_raw(&list, path, &error), 0);
	else
		cr_assert_eq(
			series_write_file(&list, FORMAT_JSON, path, &error), 0);
	series_list_free(&list);
	return path;
}

static struct sample_sets read_sets(const char *path, const char *region)
{
	struct sample_sets sets;
	struct error error = {""};

	cr_assert_eq(sample_sets_read(path, region, &sets, &error), 0, "%s",
		error.text);
	return sets;
}

static void check_refused(const char *text, const char *sentence)
{
	char *path = fixture_path("refused.txt");
	struct sample_sets sets = {.count = 9};
	struct error error = {""};

	write_text(path, text);
	cr_assert_eq(sample_sets_read(path, NULL, &sets, &error), ERR_USAGE,
		"%s", text);
	cr_assert(strstr(error.text, sentence), "%s", error.text);
	cr_assert_eq(sets.count, 9, "written on failure");
	fixture_remove(path);
}

Test(command_modes, plain_numbers_as_a_table)
{
	char *path = numbers_file(), *text;
	struct error error;

	text = run_modes(path, NULL, NULL, 0, &error);
	cr_assert(strstr(text, "2 modes in 240 samples\n"), "%s", text);
	cr_assert(strstr(text, "\n            289.5 "), "%s", text);
	cr_assert(strstr(text, "  0.500  "), "%s", text);
	free(text);
	fixture_remove(path);
}

Test(command_modes, one_mode_is_said_in_words)
{
	char *path = fixture_path("one.txt"), *text;
	struct error error;

	write_text(path, "38\n38\n38\n39\n");
	text = run_modes(path, "-f", "table", 0, &error);
	cr_assert_eq(
		strncmp(text, "one mode in 4 samples\n", 22), 0, "%s", text);
	free(text);
	fixture_remove(path);
}

Test(command_modes, json_is_json)
{
	char *path = series_file("points.json"), *text;
	json_t *root, *sets, *near;
	json_error_t place;
	struct error error;

	text = run_modes(path, "-f", "json", 0, &error);
	root = json_loads(text, 0, &place);
	cr_assert(root, "%s:\n%s", place.text, text);
	cr_assert_str_eq(json_string_value(json_object_get(root, "schema")),
		"nearfar-modes/1");
	sets = json_object_get(root, "sets");
	cr_assert_eq(json_array_size(sets), 4);
	near = json_array_get(
		json_object_get(json_array_get(sets, 0), "modes"), 0);
	cr_assert_eq(
		json_number_value(json_object_get(near, "position_cycles")),
		280);
	cr_assert_eq(json_number_value(json_object_get(near, "weight")), 0.5);
	cr_assert_str_eq(json_string_value(json_object_get(
				 json_array_get(sets, 2), "skipped")),
		"no room");
	json_decref(root);
	free(text);
	fixture_remove(path);
}

Test(command_modes, series_points_by_value_or_by_iteration)
{
	char *path = series_file("points.json.gz");
	struct sample_sets sets = read_sets(path, NULL);
	const struct sample_set *set = sets.items;

	cr_assert_eq(sets.count, 4);
	cr_assert_eq(set[0].count, 100);
	cr_assert_eq(set[0].x, 4096);
	cr_assert_str_eq(set[0].bench, "pointer-chase");
	cr_assert_str_eq(set[0].axis, "footprint_bytes");
	cr_assert_eq(set[1].count, 4, "values that are not finite are missing");
	cr_assert_eq(set[1].cycles[0], 32);
	cr_assert_eq(set[2].count, 0);
	cr_assert_str_eq(set[2].skipped, "no room");
	cr_assert_eq(set[3].count, 0, "a region's time is no latency");
	sample_sets_free(&sets);
	fixture_remove(path);
}

Test(command_modes, a_region_that_is_asked_for)
{
	char *path = series_file("points.json"), *text;
	struct sample_sets sets = read_sets(path, "warm");
	struct error error;

	cr_assert_eq(sets.items[0].count, 100);
	cr_assert_eq(sets.items[0].cycles[7], 700);
	cr_assert_eq(sets.items[1].count, 0);
	sample_sets_free(&sets);
	sets = read_sets(path, "measure");
	cr_assert_eq(sets.items[1].cycles[0], 8192);
	cr_assert_eq(sets.items[3].cycles[0], 1e6);
	sample_sets_free(&sets);
	text = run_modes(path, "--region", "warm", 0, &error);
	cr_assert_eq(text,
		strstr(text, "pointer-chase footprint_bytes 4KiB: one mode in "
			     "100 samples\n"),
		"%s", text);
	cr_assert(strstr(text, "8KiB: no samples\n"), "%s", text);
	cr_assert(strstr(text, "16KiB: no samples: no room\n"), "%s", text);
	free(text);
	free(run_modes(path, "--region", "cold", ERR_USAGE, &error));
	cr_assert(strstr(error.text, "no samples of the region 'cold'"));
	fixture_remove(path);
}

Test(command_modes, raw_samples)
{
	char *path = series_file("raw.csv.gz");
	struct sample_sets sets = read_sets(path, NULL);
	double sum = 0;
	size_t i;

	cr_assert_eq(sets.count, 3);
	cr_assert_eq(sets.items[0].count, 100);
	cr_assert_eq(sets.items[0].x, 4096);
	cr_assert_str_eq(sets.items[0].bench, "pointer-chase");
	cr_assert_str_eq(sets.items[0].axis, "footprint_bytes");
	for (i = 0; i < 100; i++)
		sum += sets.items[0].cycles[i];
	cr_assert_eq(sum, 38000);
	cr_assert_eq(sets.items[2].cycles[0], 1e6);
	sample_sets_free(&sets);
	sets = read_sets(path, "warm");
	cr_assert_eq(sets.count, 1);
	cr_assert_eq(sets.items[0].cycles[99], 700);
	sample_sets_free(&sets);
	fixture_remove(path);
}

Test(command_modes, raw_samples_of_two_series)
{
	char *path = fixture_path("two.csv");
	struct sample_sets sets;

	write_text(path, "# series.0.bench: a\n# series.0.axis: x_bytes\n"
			 "# series.1.bench: b\n"
			 "series,x,repeat,region,sm,warp,iteration,cycles\n"
			 "0,64,0,measure,0,0,0,280\n"
			 "1,64,0,measure,0,0,0,480\n"
			 "1,64,0,\"other, one\",0,0,0,1\n"
			 "7,64,0,measure,0,0,0,680\n");
	sets = read_sets(path, NULL);
	cr_assert_eq(sets.count, 3);
	cr_assert_str_eq(sets.items[0].axis, "x_bytes");
	cr_assert_str_eq(sets.items[1].bench, "b");
	cr_assert_null(sets.items[1].axis);
	cr_assert_null(sets.items[2].bench);
	cr_assert_eq(sets.items[2].series, 7);
	cr_assert_eq(sets.items[2].cycles[0], 680);
	sample_sets_free(&sets);
	fixture_remove(path);
}

Test(command_modes, standard_input)
{
	char *path = numbers_file(), *text, *same;
	struct error error;

	text = run_modes(path, NULL, NULL, 0, &error);
	cr_assert(freopen(path, "r", stdin));
	same = run_modes("-", NULL, NULL, 0, &error);
	cr_assert_str_eq(text, same);
	free(text);
	free(same);
	fixture_remove(path);
}

Test(command_modes, files_without_samples)
{
	struct error error;

	check_refused("", "is empty");
	check_refused("# only\n\n# comments", "is empty");
	check_refused("280\n29x\n", "refused.txt:2: '29x' is not a number");
	check_refused("series,x,repeat,region,sm,warp,iteration,cycles\n1,2\n",
		"refused.txt:2: a row must have 8 fields, not 2");
	check_refused("series,x,repeat,region,sm,warp,iteration,cycles\n"
		      "0,1,0,measure,0,0,0,\n",
		"refused.txt:2: '' is not a number");
	check_refused("series,x,repeat,region,sm,warp,iteration,cycles\n",
		"holds no latency samples");
	check_refused("{\"schema\": 1}", "refused.txt");
	free(run_modes("/nowhere/at/all", NULL, NULL, ERR_FAILED, &error));
	cr_assert(strstr(error.text, "cannot read '/nowhere/at/all'"));
}
