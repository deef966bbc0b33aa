/* Targets that others measured: what their tools say beside their curves, and
   values that the model cannot say to the digit. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fit/search/parts.h"
#include "harness/run/registry.h"
#include "harness/series/io.h"

TestSuite(search_whole, .timeout = 120);

#define MACHINE "tests/golden/machines/small.yaml"

static char folder[] = "/tmp/nearfar-others-XXXXXX";
static char target[64], output[64];

static void prepare(void)
{
	cr_assert(mkdtemp(folder));
	snprintf(target, sizeof(target), "%s/target.json", folder);
	snprintf(output, sizeof(output), "%s/out.yaml", folder);
}

static void clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0); /* NOLINT(cert-env33-c) */
}

/* A chase of plain loads as gpu-benches makes it, in L1 and beyond. */
static struct series *add_chase(struct series_list *list, const double *cycles)
{
	static const double bytes[] = {
		4096, 8192, 16384, 1 << 20, 2 << 20, 3 << 20};
	static const char *const options[] = {"op", "ld.ca", "order", "shuffle",
		"warps", "1", "lanes", "1", "page-stride", "no", "samples",
		"no", "loads", "512"};
	struct series *s = series_list_add(list);
	size_t i;

	cr_assert(s);
	s->bench = strdup("pointer-chase");
	s->axis = strdup("footprint_bytes");
	s->metrics = 1u << METRIC_LATENCY_CYCLES;
	cr_assert_eq(facts_add(&s->provenance, "backend", "import"), 0);
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i += 2)
		cr_assert_eq(facts_add(&s->options, options[i], "%s",
				     options[i + 1]),
			0);
	for (i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		struct point *p = series_add_point(s, bytes[i]);
		struct metric_values *m =
			p ? point_add_metric(p, METRIC_LATENCY_CYCLES) : NULL;

		cr_assert(m);
		m->summary.count = 1;
		m->summary.median = cycles[i];
	}
	return s;
}

/* Without programs: the search builds them for its machine. */
static void put(struct series_list *list)
{
	struct error error = {""};

	cr_assert_eq(series_write_file(list, FORMAT_JSON, target, &error), 0,
		"%s", error.text);
	series_list_free(list);
}

static size_t length(const char *const *names)
{
	size_t count = 0;

	while (names[count])
		count++;
	return count;
}

/* The machine file and, behind it, the report; `names` ends with NULL. */
static void fit_names(
	char *text, size_t bytes, const char *const *names, bool next)
{
	const char *targets[] = {target};
	const struct search_config config = {
		.ops = backend_find("sim"),
		.machine = MACHINE,
		.targets = targets,
		.target_count = 1,
		.free = names,
		.free_count = length(names),
		.next = next,
		.evaluations = 1,
		.seed = 1,
		.jobs = 1,
		.output = output,
	};
	struct error error = {""};
	char *report = NULL;
	size_t size, got;
	FILE *out = open_memstream(&report, &size), *in;

	cr_assert_eq(search_run(&config, out, &error), 0, "%s", error.text);
	fclose(out);
	in = fopen(output, "r");
	cr_assert(in);
	got = fread(text, 1, bytes - 1, in);
	fclose(in);
	snprintf(text + got, bytes - got, "%s", report);
	free(report);
}

static void fit_it(char *text, size_t bytes, const char *parameter)
{
	const char *const names[] = {parameter, NULL};

	fit_names(text, bytes, names, false);
}

static const double stairs[] = {37.3, 37.3, 37.3, 290, 290, 290};

/* A latency that no whole number of cycles gives is met as nearly as one can.
 */
Test(search_whole, what_falls_between_values_is_read_off, .init = prepare,
	.fini = clean)
{
	static char text[131072];
	struct series_list list = {0};

	add_chase(&list, stairs);
	put(&list);
	fit_it(text, sizeof(text), "l1_hit_cycles");
	cr_expect(strstr(text, "measured: read off target"), "%s", text);
	cr_expect_not(strstr(text, "does not depend on it"), "%s", text);
	cr_expect(strstr(text, "l1_hit_cycles: {value: 35"), "%s", text);
}

/* What a tool says of the device is taken; what the model has no room for, or
   does not take, is said. */
Test(search_whole, what_is_told_is_taken, .init = prepare, .fini = clean)
{
	static char text[131072];
	struct series_list list = {0};
	struct series *s = add_chase(&list, stairs);

	facts_add(&s->provenance, "reported.sm_count", "3");
	facts_add(&s->provenance, "reported.l2_bytes", "1000000");
	facts_add(&s->provenance, "reported.l1_line_bytes", "64");
	put(&list);
	fit_it(text, sizeof(text), NULL);
	cr_expect(strstr(text, "sm_count: {value: 3, unit: count, origin: "
			       "\"measured: told by target\"}"),
		"%s", text);
	cr_expect(strstr(text, "l2_bytes: the targets say 1000000, which the "
			       "model does not take"),
		"%s", text);
	cr_expect(strstr(text, "reported.l1_line_bytes: the targets say 64, "
			       "the model knows 128 only"),
		"%s", text);
}

/* A fit that names its parameters is told no others. */
Test(search_whole, what_is_not_free_is_not_told, .init = prepare, .fini = clean)
{
	static char text[131072];
	struct series_list list = {0};
	struct series *s = add_chase(&list, stairs);

	facts_add(&s->provenance, "reported.sm_count", "3");
	put(&list);
	fit_it(text, sizeof(text), "l1_hit_cycles");
	cr_expect_not(strstr(text, "told by"), "%s", text);
}

/* What the targets leave open is to be measured, what moves most first; what is
   known is not. */
Test(search_whole, the_dearest_is_to_be_measured_first, .init = prepare,
	.fini = clean)
{
	static const char *const names[] = {"crossbar_bytes_per_cycle",
		"sm_reply_bytes_per_cycle", "l1_hit_cycles", NULL};
	static char text[131072];
	struct series_list list = {0};
	const char *next, *rate, *chip;
	unsigned rows;

	add_chase(&list, stairs);
	put(&list);
	fit_names(text, sizeof(text), names, true);
	next = strstr(text, "what to measure next");
	cr_assert(next, "%s", text);
	rate = strstr(next, "sm_reply_bytes_per_cycle");
	chip = strstr(next, "crossbar_bytes_per_cycle");
	cr_assert(rate && chip, "%s", next);
	cr_expect(rate < chip, "%s", next);
	/* One SM reads by its warps, or is the first of the SMs: as good. */
	cr_expect(strstr(rate, "nearfar run bandwidth "), "%s", next);
	cr_expect_not(strstr(next, "l1_hit_cycles"), "%s", next);
	for (rows = 0; next; rows += next != NULL)
		next = strstr(next + 1, "nearfar ");
	cr_expect_eq(rows, 2, "%s", text);
}
