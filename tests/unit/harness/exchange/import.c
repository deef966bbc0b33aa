#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "harness/exchange/import.h"
#include "tests/unit/series_fixture.h"

TestSuite(import, .timeout = 60);

#define FIXTURES "tests/golden/imports/"

static struct series_list list;
static struct error error;

static const struct importer *importer_of(const char *name)
{
	size_t i;

	for (i = 0; importers[i]; i++)
		if (!strcmp(importers[i]->name, name))
			return importers[i];
	cr_assert_fail("no importer '%s'", name);
	return NULL;
}

static void read_fixture(const char *path)
{
	cr_assert_eq(0, import_read(path, NULL, NULL, &list, &error), "%s",
		error.text);
}

static const struct point *point_of(size_t series, size_t point)
{
	cr_assert_lt(series, list.count);
	cr_assert_lt(point, list.items[series].point_count);
	return &list.items[series].points[point];
}

static double median(size_t series, size_t point, int metric)
{
	return point_summary(point_of(series, point), metric)->median;
}

static size_t count_biases(size_t series)
{
	const struct facts *facts = &list.items[series].provenance;
	size_t i, count = 0;

	for (i = 0; i < facts->count; i++)
		count += !strcmp(facts->items[i].key, "bias");
	return count;
}

Test(import, gpu_latency)
{
	read_fixture(FIXTURES "gpu-latency.txt");
	cr_assert_eq(list.count, 1);
	cr_assert_str_eq(list.items[0].bench, "pointer-chase");
	cr_assert_str_eq(list.items[0].axis, "footprint_bytes");
	cr_expect_eq(list.items[0].point_count, 4);
	cr_expect_eq(point_of(0, 3)->x, 128000 * 1024.0);
	cr_expect_eq(median(0, 3, METRIC_LATENCY_CYCLES), 600.2);
	cr_expect_float_eq(median(0, 3, METRIC_LATENCY_NS), 600.2, 1e-9);
	cr_expect_eq(point_of(0, 3)->clock_hz, 1e9);
	cr_expect(isnan(
		point_summary(point_of(0, 3), METRIC_LATENCY_CYCLES)->low));
	cr_expect_eq(count_biases(0), 3);
	cr_expect_str_eq(facts_find(&list.items[0].options, "slot"), "64");
	series_list_free(&list);
}

Test(import, gpu_latency_repeats)
{
	read_fixture(FIXTURES "gpu-latency-repeats.txt");
	cr_assert_eq(list.count, 1);
	cr_expect_eq(list.items[0].point_count, 3);
	cr_expect_eq(median(0, 0, METRIC_LATENCY_CYCLES), 40.3);
	cr_expect_float_eq(median(0, 1, METRIC_LATENCY_NS), 250.5, 1e-9);
	cr_expect_eq(
		point_summary(point_of(0, 0), METRIC_LATENCY_CYCLES)->count, 3);
	cr_expect_eq(
		point_summary(point_of(0, 2), METRIC_LATENCY_CYCLES)->count, 1);
	series_list_free(&list);
}

Test(import, gpu_l2)
{
	read_fixture(FIXTURES "gpu-l2.txt");
	cr_assert_eq(list.count, 1);
	cr_expect_str_eq(list.items[0].bench, "bandwidth");
	cr_expect_eq(list.items[0].point_count, 2);
	cr_expect_eq(point_of(0, 1)->x, 64.0 * 1024 * 1024);
	cr_expect_eq(median(0, 1, METRIC_USEFUL_GB_PER_S), 1900);
	series_list_free(&list);
}

Test(import, gpu_strides)
{
	read_fixture(FIXTURES "gpu-strides.txt");
	cr_assert_eq(list.count, 3);
	cr_expect_str_eq(list.items[1].bench, "coalescing");
	cr_expect_str_eq(facts_find(&list.items[1].options, "width"), "8");
	cr_expect_eq(point_of(0, 1)->x, 8);
	cr_expect_eq(point_of(1, 0)->x, 8);
	cr_expect_eq(median(0, 1, METRIC_USEFUL_GB_PER_S), 64);
	cr_expect_eq(median(1, 0, METRIC_BYTES_PER_CYCLE), 128);
	cr_expect_str_eq(list.items[2].bench, "gpu-benches-block");
	series_list_free(&list);
}

Test(import, mt4g)
{
	read_fixture(FIXTURES "mt4g.json");
	cr_assert_eq(list.count, 3);
	cr_expect_eq(point_of(1, 0)->x, 1024);
	cr_expect_eq(median(1, 0, METRIC_LATENCY_CYCLES), 220);
	cr_expect_eq(point_summary(point_of(1, 0), METRIC_LATENCY_CYCLES)->p95,
		260.5);
	cr_expect_eq(
		point_summary(point_of(1, 0), METRIC_LATENCY_CYCLES)->count,
		255);
	cr_expect_str_eq(
		facts_find(&list.items[0].provenance, "device.name"), "GPU 9");
	cr_expect_str_eq(facts_find(&list.items[0].provenance,
				 "reported.l2_segment_bytes"),
		"16777216");
	series_list_free(&list);
}

Test(import, mt4g_raw)
{
	const struct point *point;

	read_fixture(FIXTURES "GPU-9/L1_Latency.txt");
	read_fixture(FIXTURES "GPU-9/L1_Size.txt");
	read_fixture(FIXTURES "GPU-9/L2_Fetch_Granularity.txt");
	cr_assert_eq(list.count, 3);
	point = point_of(0, 0);
	cr_expect_eq(point->samples.count, 5);
	cr_expect_eq(point->samples.cycles[3], 42);
	cr_expect_eq(point->samples.iteration[3], 3);
	cr_expect_eq(
		point_metric(point, METRIC_LATENCY_CYCLES)->value_count, 5);
	cr_expect_eq(median(0, 0, METRIC_LATENCY_CYCLES), 40);
	cr_expect_str_eq(
		facts_find(&list.items[0].provenance, "device.name"), "GPU-9");
	cr_expect_eq(point_of(1, 1)->x, 8192);
	cr_expect_eq(median(1, 1, METRIC_LATENCY_CYCLES), 130);
	cr_expect_str_eq(list.items[2].axis, "stride_bytes");
	series_list_free(&list);
}

/* What is written is read, and its own partner in a comparison. */
Test(import, what_is_imported_is_a_series_file)
{
	char *path = fixture_path("imported.json.gz");
	struct series_list again = {0};

	read_fixture(FIXTURES "gpu-strides.txt");
	cr_assert_eq(0, series_write_file(&list, FORMAT_JSON, path, &error));
	cr_assert_eq(0, series_read(path, &again, &error), "%s", error.text);
	cr_expect_eq(again.count, list.count);
	cr_expect_eq(again.items[0].metrics, list.items[0].metrics);
	series_list_free(&again);
	series_list_free(&list);
	fixture_remove(path);
}

#define L2_HEAD "     data set   exec time     spread       Eff. bw\n"
#define LEVEL(p50)                                                             \
	"{\"latency\":{\"mean\":1,\"p50\":" p50                                \
	",\"p95\":1,\"measurements\":1,\"unit\":\"cycles\"}}"
#define MT4G(rest)                                                             \
	"{\"general\":{\"name\":\"g\",\"clockRate\":{\"value\":1,"             \
	"\"unit\":\"kHz\"}},\n" rest "}"

static const struct {
	const char *importer, *source, *text, *where, *what;
} damaged[] = {
	{"gpu-benches-latency", "f", "", "f:1:1: ", "expected rows"},
	{"gpu-benches-latency", "f", "clock: x\n",
		"f:1:8: ", "the SM clock in MHz"},
	{"gpu-benches-latency", "f", "1000000 1000 4 40.0\n",
		"f:1:20: ", "the latency in cycles"},
	{"gpu-benches-latency", "f",
		"\n 1000000 1000 4 40.0 40.0\n1000000 1000 8 40.0 4O.0\n",
		"f:3:22: ", "the latency of a repeat"},
	{"gpu-benches-latency", "f", "1000000 1000 4 40.0 40.0 x\n",
		"f:1:26: ", "the latency of a repeat"},
	{"gpu-benches-latency", "f", "1000000 0 4 40.0 40.0\n",
		"f:1:9: ", "more than 0"},
	{"gpu-benches-latency", "f", "1000000 1000 4 40.0 400.0\n",
		"f:1:21: ", "expected about 40.0 cycles"},
	{"gpu-benches-latency", "f", "1000000 1000 nan 40.0 40.0\n",
		"f:1:14: ", "the footprint in kB"},
	{"gpu-benches-l2", "f", L2_HEAD, "f:2:1: ", "expected rows"},
	{"gpu-benches-l2", "f", L2_HEAD "512 kB 1024 MB 7ms 1% 5 GB/s\n",
		"f:2:13: ", "expected 'kB'"},
	{"gpu-benches-l2", "f", L2_HEAD "512 kB 1024 kB 7ms 1% -5 GB/s\n",
		"f:2:23: ", "the bandwidth in GB/s"},
	{"gpu-benches-l2", "f", L2_HEAD "512 kB 1024 kB 7ms 1% 5 GB/s 3\n",
		"f:2:31: ", "expected 'GB/s'"},
	{"gpu-benches-strides", "f", "half stride 1 1 1 1\n",
		"f:1:1: ", "expected float or double"},
	{"gpu-benches-strides", "f", "float stride 1 1 1.0\n",
		"f:1:21: ", "the bytes per cycle"},
	{"gpu-benches-strides", "f", "clock: 1000\n",
		"f:2:1: ", "expected rows"},
	{"mt4g-raw", "g/L1_Latency.txt", "40\n41,42\n",
		"g/L1_Latency.txt:2:3: ", "the end of the line"},
	{"mt4g-raw", "g/L1_Latency.txt", "\n\n",
		"g/L1_Latency.txt:3:1: ", "lines of one number"},
	{"mt4g-raw", "L1_Size.txt", "4096\n",
		"L1_Size.txt:1:5: ", "expected ','"},
	{"mt4g-raw", "L1_Size.txt", "4096,40,\n",
		"L1_Size.txt:1:9: ", "the cycles of a load"},
	{"mt4g-raw", "L1.txt", "40\n", "L1.txt:1:1: ", "L1_Latency"},
	{"mt4g", "f", "{", "f:1:1: ", "expected"},
	{"mt4g", "f", "[]", "f:1:1: ", "'memory' is missing"},
	{"mt4g", "f", "{\n \"memory\": 4}",
		"f:2:12: ", "'memory' must be an object, not a number"},
	{"mt4g", "f", MT4G("\"memory\":{\"l1\":4}"),
		"f:2:16: ", "'memory.l1.latency' is missing"},
	{"mt4g", "f", MT4G("\"memory\":{\"l1\":" LEVEL("\"x\"") "}"),
		"f:2:43: ", "'memory.l1.latency.p50' must be a number"},
	{"mt4g", "f", MT4G("\"memory\":{\"l1\":" LEVEL("-1") "}"),
		"f:2:43: ", "must be more than 0"},
};

Test(import, a_mistake_is_told_with_its_place)
{
	size_t i;

	for (i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		const struct import_file file = {damaged[i].source,
			damaged[i].text, strlen(damaged[i].text), NULL};
		struct series_list none = {0};

		cr_expect_eq(ERR_USAGE,
			importer_of(damaged[i].importer)
				->read(&file, &none, &error),
			"case %zu", i);
		cr_expect(strstr(error.text, damaged[i].where) == error.text,
			"case %zu: %s", i, error.text);
		cr_expect(strstr(error.text, damaged[i].what), "case %zu: %s",
			i, error.text);
		series_list_free(&none);
	}
}

/* An error leaves what the files before it gave. */
Test(import, a_refused_file_leaves_the_list)
{
	read_fixture(FIXTURES "gpu-l2.txt");
	cr_expect_eq(
		ERR_USAGE, import_read(FIXTURES "mt4g.json",
				   "gpu-benches-latency", NULL, &list, &error));
	cr_expect_eq(list.count, 1);
	cr_expect_eq(ERR_USAGE,
		import_read(FIXTURES "mt4g.json", "csv", NULL, &list, &error));
	cr_expect(strstr(error.text, "there is no format 'csv'"));
	series_list_free(&list);
}

/* Damaged at random: a sentence or a series, and no crash. */
Test(import, mutated_files_do_no_harm)
{
	static const char seed_text[] =
		"clock: 1000 1000\n1000000 1000 4 40.0 40.0\n"
		"{\"memory\": [\"a\\\"b\", {}]}\n4096,40,41\n"
		"float stride 1 1 1.00 128 1.00\n512 kB 1 kB 1ms 1% 1 GB/s\n";
	struct random_state random;
	char text[1024];
	unsigned i;
	size_t k;

	random_init(&random, 7);
	for (i = 0; i < 2000; i++) {
		const size_t from = (size_t)random_below(&random, 120);
		struct import_file file = {"g/L1_Size.txt", text, 0, NULL};

		memcpy(text, seed_text + from, sizeof(seed_text) - from);
		file.bytes = fixture_mutate(text, sizeof(seed_text) - from - 1,
			sizeof(text) - 1, &random);
		text[file.bytes] = '\0';
		for (k = 0; importers[k]; k++) {
			struct series_list some = {0};

			*error.text = '\0';
			cr_expect(!importers[k]->read(&file, &some, &error) ||
				  *error.text);
			series_list_free(&some);
		}
	}
}

Test(import, names_of_paths)
{
	static const struct {
		const char *source;
		unsigned up;
		const char *name;
	} rows[] = {
		{"a/b.txt", 0, "b"},
		{"a/b.txt", 1, "a"},
		{"/x/a/b.json.gz", 0, "b"},
		{"/x/a/b.json.gz", 1, "a"},
		{"b.txt.gz", 0, "b"},
		{"b.txt", 1, ""},
		{".txt", 0, ".txt"},
	};
	char name[64];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct import_file file = {rows[i].source, "", 0, NULL};

		import_name(&file, rows[i].up, name, sizeof(name));
		cr_expect_str_eq(name, rows[i].name);
	}
}
