#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/series_fixture.h"

static void add_samples(struct point *point, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct sample sample = {.cycles = 250.0 + (double)(i % 7),
			.iteration = (uint32_t)i,
			.warp = 3,
			.sm = 17,
			.region = (uint16_t)(i % 2)};

		cr_assert_eq(0, sample_table_add(&point->samples,
					(uint32_t)(i / 4), &sample));
	}
}

static void add_regions(struct point *point)
{
	point->regions = calloc(2, sizeof(*point->regions));
	cr_assert(point->regions);
	point->regions[0] = strdup("warm");
	point->regions[1] = strdup("measure");
	point->region_count = 2;
}

static void add_spans(struct point *point)
{
	point->spans = calloc(2, sizeof(*point->spans));
	cr_assert(point->spans);
	point->spans[0] = (struct span_row){0, 0, 1000, 510.25, 1.98e9};
	point->spans[1] = (struct span_row){1, 0, 0.1 + 0.2, NAN, 1.98e9};
	point->span_count = 2;
}

static void add_counters(struct point *point)
{
	point->counters = calloc(2, sizeof(*point->counters));
	cr_assert(point->counters);
	point->counters[0] = (struct counter){
		strdup("lts__t_sectors_op_read.sum"), 123456789012.0};
	point->counters[1] =
		(struct counter){strdup("dram__bytes_read.sum"), 1e300};
	point->counter_count = 2;
}

struct summary *fixture_summary(struct point *point, int metric)
{
	struct metric_values *reading = point_add_metric(point, metric);

	cr_assert(reading);
	return &reading->summary;
}

static void add_metric(struct point *point, int metric, double median)
{
	static const double values[] = {1.5, 1.0 / 3, 1e-9};

	struct metric_values *reading = point_add_metric(point, metric);

	cr_assert(reading);
	reading->summary = (struct summary){.count = 3,
		.outliers = 1,
		.median = median,
		.mean = median + 0.1,
		.p5 = median - 1,
		.p95 = median + 1,
		.mad = 0.1 + 0.2,
		.low = median - 0.5,
		.high = median + 0.5};
	reading->values = calloc(3, sizeof(double));
	cr_assert(reading->values);
	memcpy(reading->values, values, sizeof(values));
	reading->value_count = 3;
}

static void add_points(struct series *series)
{
	struct point *point;
	unsigned bytes;

	for (bytes = 4096; bytes < 100000; bytes *= 4) {
		double x = bytes;

		point = series_add_point(series, x);
		point->clock_hz = 1.755e9 + 1.0 / 3;
		point->program = strdup("nearfar-program 1\nname \"x\"\n");
		add_metric(point, METRIC_LATENCY_CYCLES, log2(x) * 20);
		add_metric(point, METRIC_SHARE_L1, 1 / log2(x));
		add_regions(point);
		add_samples(point, 12);
		add_spans(point);
		add_counters(point);
	}
	point = series_add_point(series, 262144);
	point->skipped = strdup("no room, \"really\": line\nbreak, ünï");
	point = series_add_point(series, 524288);
	fixture_summary(point, METRIC_LATENCY_CYCLES)->median = NAN;
	summary_clear(fixture_summary(point, METRIC_SHARE_L1));
}

void fixture_full(struct series_list *list)
{
	struct series *series;

	*list = (struct series_list){0};
	series = series_list_add(list);
	series->bench = strdup("pointer-chase");
	series->axis = strdup("footprint_bytes");
	series->metrics = 1u << METRIC_LATENCY_CYCLES | 1u << METRIC_SHARE_L1;
	facts_add(&series->options, "op", "ld.cg");
	facts_add(&series->options, "note", "a, \"b\" # c\\n\t\x01");
	facts_add(&series->provenance, "backend", "sim");
	facts_add(&series->provenance, "warning", "the load average is 3.5");
	facts_add(&series->provenance, "warning", "two\nlines");
	facts_add(&series->provenance, "machine", "h200-sxm");
	add_points(series);
	series = series_list_add(list);
	series->bench = strdup("atomics");
	series->axis = strdup("sm_count");
	series->metrics = 1u << METRIC_ATOMICS_PER_CYCLE;
	add_metric(series_add_point(series, 1), METRIC_ATOMICS_PER_CYCLE, 0.25);
}

struct series *fixture_curve(struct series_list *list, const char *bench,
	const double *x, const double *y, size_t count)
{
	struct series *series = series_list_add(list);
	size_t i;

	series->bench = strdup(bench);
	series->axis = strdup("footprint_bytes");
	series->metrics = 1u << METRIC_LATENCY_CYCLES;
	for (i = 0; i < count; i++) {
		struct point *point = series_add_point(series, x[i]);

		point->clock_hz = 1e9;
		*fixture_summary(point, METRIC_LATENCY_CYCLES) =
			(struct summary){.count = 8,
				.median = y[i],
				.mean = y[i],
				.p5 = y[i] - 1,
				.p95 = y[i] + 1,
				.mad = 0.5,
				.low = y[i] - 0.5,
				.high = y[i] + 0.5};
	}
	return series;
}

char *fixture_text(const struct series_list *list, enum series_format format)
{
	char *text = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);
	struct error error;

	cr_assert(stream);
	cr_assert_eq(0, series_write(list, format, stream, &error));
	fclose(stream);
	return text;
}

char *fixture_path(const char *name)
{
	char folder[] = "/tmp/nearfar-test-XXXXXX", *path;

	cr_assert(mkdtemp(folder));
	cr_assert(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

void fixture_remove(char *path)
{
	unlink(path);
	*strrchr(path, '/') = '\0';
	cr_expect_eq(0, rmdir(path), "something is left in %s", path);
	free(path);
}

size_t fixture_mutate(
	char *text, size_t length, size_t capacity, struct random_state *random)
{
	static const char likely[] = "{}[]\",:0123456789.-e#\n\\ nulltrue\t";
	uint64_t changes = 1 + random_below(random, 3);

	while (changes-- && length) {
		const size_t at = (size_t)random_below(random, length);
		const size_t room = length - at;
		const size_t cut =
			1 + (size_t)random_below(random, room < 40 ? room : 40);
		const uint64_t kind = random_below(random, 5);

		if (kind == 0) {
			memmove(text + at, text + at + cut, room - cut);
			length -= cut;
		} else if (kind == 1 && length + cut <= capacity) {
			memmove(text + at + cut, text + at, room);
			length += cut;
		} else if (kind == 2) {
			text[at] = (char)random_next(random);
		} else {
			text[at] = likely[random_below(
				random, sizeof(likely) - 1)];
		}
	}
	return length;
}
