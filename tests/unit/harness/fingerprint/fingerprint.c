#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fingerprint/fingerprint.h"
#include "harness/measures/rows.h"
#include "harness/observe/readers.h"
#include "harness/program/legality/legality.h"
#include "harness/run/registry.h"
#include "tests/unit/machine_fixture.h"

TestSuite(fingerprint, .timeout = 60);

Test(fingerprint, every_figure_has_a_row_and_a_name_of_its_own)
{
	int id;

	for (id = 0; id < FIGURE_COUNT; id++) {
		const struct figure_about *about = &figure_about[id];

		cr_assert_eq(figure_find(about->name), id, "%s", about->name);
		cr_assert((about->grain >= 0 || about->grain == EVENTS) &&
			  about->sentence[0]);
		if (about->row)
			cr_assert_lt(quick_measure_find(about->row),
				quick_measure_count, "%s", about->row);
	}
	cr_assert_eq(figure_find("other"), -1);
}

Test(fingerprint, every_row_makes_a_legal_program)
{
	static const char *const machines[] = {
		"h200-sxm", "a100-sxm", "v100", "l40"};
	struct program *program = calloc(1, sizeof(*program));
	struct measure_plan made;
	struct error error;
	size_t i, k;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const struct device device = device_of(machines[i]);

		for (k = 0; k < quick_measure_count; k++) {
			const struct measure *row = &quick_measures[k];

			cr_assert_eq(measure_plan_make(
					     &made, row, NULL, &device, &error),
				0, "%s: %s", row->name, error.text);
			cr_assert_eq(plan_build(&made.plan, &device,
					     made.plan.sweep.points[0], 1,
					     program, &error),
				0, "%s: %s", row->name, error.text);
			measure_plan_free(&made);
		}
	}
	free(program);
}

Test(fingerprint, little_memory_shows_no_regions)
{
	struct device device = device_of(NULL);
	const size_t row = quick_measure_find("region-rate");
	struct measure_plan made;
	struct error error;

	device.memory_bytes = 64 << 20;
	cr_assert_eq(measure_plan_make(&made, &quick_measures[row], NULL,
			     &device, &error),
		ERR_SKIPPED);
}

/* ---- readers ---- */

static void add_sample(struct point *point, uint32_t repeat, unsigned region,
	unsigned sm, double cycles)
{
	const struct sample sample = {.cycles = cycles,
		.sm = (uint16_t)sm,
		.region = (uint16_t)region};

	cr_assert_eq(sample_table_add(&point->samples, repeat, &sample), 0);
}

static struct series series_of(struct point *point)
{
	return (struct series){.points = point, .point_count = 1};
}

Test(fingerprint, the_slowest_sm_is_the_one_whose_last_warp_is_last)
{
	struct point point = {.clock_hz = 1e9};
	const struct series series = series_of(&point);
	const struct reading r = {.series = &series};
	struct observed f = {NAN, NAN, NAN};
	unsigned sm;

	for (sm = 0; sm < 9; sm++) {
		add_sample(&point, 0, 0, sm, 10);
		add_sample(&point, 0, 0, sm, sm == 4 ? 200 : 100);
	}
	cr_assert_eq(read_slowest_sm(&r, &f), 0);
	cr_assert_float_eq(f.value, 0.5, 1e-9);
	point_free(&point);
}

Test(fingerprint, a_region_is_read_by_itself_and_in_time)
{
	struct point point = {.clock_hz = 2e9};
	const struct series series = series_of(&point);
	struct reading r = {.series = &series};
	struct observed f = {NAN, NAN, NAN};
	unsigned k;

	for (k = 0; k < OBSERVE_REGIONS; k++)
		add_sample(&point, 0, k, 0, k == 3 ? 800 : 600);
	r.argument = 2;
	read_region_latency(&r, &f);
	cr_assert_float_eq(f.value, 300, 1e-9);
	r.argument = 3;
	read_region_latency(&r, &f);
	cr_assert_float_eq(f.value, 400, 1e-9);
	read_farthest_region(&r, &f);
	cr_assert_float_eq(f.value, 4.0 / 3, 1e-9);
	point_free(&point);
}

Test(fingerprint, a_fact_that_is_no_number_is_none)
{
	struct facts facts = {0};
	struct reading r = {.facts = &facts, .argument = FACT_ROWS_REMAPPED};
	struct observed f = {NAN, NAN, NAN};

	cr_assert_eq(read_fact(&r, &f), 0);
	cr_assert(isnan(f.value));
	facts_add(&facts, "rows.remapped", "three");
	read_fact(&r, &f);
	cr_assert(isnan(f.value));
	facts_free(&facts);
	facts_add(&facts, "rows.remapped", "3");
	read_fact(&r, &f);
	cr_assert_eq(f.value, 3);
	facts_free(&facts);
}

/* ---- files ---- */

static char path[] = "/tmp/nearfar-fingerprint-XXXXXX";

static void write_text(const char *text)
{
	FILE *out = fopen(path, "w");

	cr_assert(out);
	fputs(text, out);
	fclose(out);
}

Test(fingerprint, what_is_written_is_read)
{
	struct fingerprint f, g;
	struct error error;

	cr_assert_geq(mkstemp(path), 0);
	fingerprint_init(&f);
	strcpy(f.device, "GPU-\"1\"");
	strcpy(f.sku, "a kind");
	facts_add(&f.identity, "warning", "one");
	facts_add(&f.identity, "warning", "two");
	f.figures[FIGURE_dram_gb_per_s] = (struct figure){3.5, 3, 4, NULL};
	f.figures[FIGURE_l2_slices].reason = strdup("too small");
	f.map = json_pack("{s:i}", "sm_count", 4);
	cr_assert_eq(fingerprint_write(&f, path, NULL, &error), 0);
	cr_assert_eq(fingerprint_read(path, &g, &error), 0, "%s", error.text);
	cr_assert_str_eq(g.device, f.device);
	cr_assert_str_eq(g.sku, f.sku);
	cr_assert_eq(g.identity.count, 2);
	cr_assert_eq(g.figures[FIGURE_dram_gb_per_s].high, 4);
	cr_assert(isnan(g.figures[FIGURE_l2_slices].value));
	cr_assert_str_eq(g.figures[FIGURE_l2_slices].reason, "too small");
	cr_assert(json_equal(f.map, g.map));
	fingerprint_free(&f);
	fingerprint_free(&g);
	unlink(path);
}

#define BEGIN                                                                  \
	"{\"schema\": \"nearfar-fingerprint/1\", \"device\": \"a\", \"sku\": " \
	"\"b\", \"identity\": {}, \"figures\": "

Test(fingerprint, what_is_no_fingerprint_is_refused_with_its_place)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"[]", "must be an object"},
		{"{\"schema\": \"other/1\"}", "nearfar-fingerprint/1"},
		{BEGIN "{\"l2_colour\": {}}}", "is no figure"},
		{BEGIN "{\"l2_slices\": 3}}", "must be an object"},
		{BEGIN "{\"l2_slices\": {\"value\": 3, \"low\": 4, \"high\": "
		       "5}}}",
			"between low and high"},
		{"{\"schema\": \"nearfar-fingerprint/1\", \"device\": \"\"}",
			"must have 1 to 95 bytes"},
	};
	struct fingerprint f;
	struct error error;
	size_t i;

	cr_assert_geq(mkstemp(path), 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_text(cases[i].text);
		cr_assert_eq(fingerprint_read(path, &f, &error), ERR_USAGE,
			"%s", cases[i].text);
		cr_assert(strstr(error.text, cases[i].says), "%s", error.text);
		cr_assert(!strncmp(error.text, path, strlen(path)));
	}
	unlink(path);
}
