/* What is said of what to measure next. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fit/search/probe.h"
#include "harness/measures/rows.h"
#include "harness/run/opened.h"
#include "harness/run/registry.h"

TestSuite(search_next, .timeout = 240);

#define MACHINE "tests/golden/machines/small.yaml"

/* The measures as the machine of the tests takes them. */
static struct probe *make_probes(struct search *c)
{
	const struct backend_config config = {MACHINE, NULL, 0, 0};
	struct probe *probes = calloc(probe_count, sizeof(*probes));
	struct opened opened;
	struct error error = {""};
	size_t i;

	cr_assert(probes);
	cr_assert_eq(
		opened_open(&opened, backend_find("sim"), &config, &error), 0);
	c->device = opened.device;
	opened_close(&opened);
	for (i = 0; i < probe_count; i++)
		cr_assert_eq(probe_make(c, i, &probes[i], &error), 0, "%zu: %s",
			i, error.text);
	return probes;
}

/* A row of the suite of `nearfar fit` that a pattern names is there. */
static bool has_row(const char *patterns)
{
	const char *at = strchr(patterns, '@');
	char name[64];

	if (!at)
		return false;
	snprintf(
		name, sizeof(name), "%.*s", (int)strcspn(at + 1, "* "), at + 1);
	return measure_find(name) != NULL;
}

/* By some row of the parameter's. */
static bool is_measured(const char *parameter, const struct probe *probes)
{
	bool found = false;
	size_t i, k;

	for (i = 0; i < readoff_count; i++) {
		if (strcmp(readoffs[i].parameter, parameter))
			continue;
		found |= has_row(readoffs[i].series);
		for (k = 0; k < probe_count; k++)
			found |= pattern_matches(
				readoffs[i].series, &probes[k].series);
	}
	return found;
}

/* Every parameter of the tables has a measure or a row that informs it. */
Test(search_next, each_parameter_can_be_measured)
{
	static struct search c;
	struct probe *probes = make_probes(&c);
	const char *at;
	char word[64];
	bool found;
	size_t i, k;

	for (i = 0; i < readoff_count; i++)
		cr_expect(is_measured(readoffs[i].parameter, probes), "%s",
			readoffs[i].parameter);
	for (i = 0; i < group_count; i++) {
		at = groups[i].parameters;
		found = false;
		for (k = 0; k < probe_count; k++)
			found |= pattern_matches(
				groups[i].series, &probes[k].series);
		cr_expect(found && next_word(&at, word, sizeof(word)), "%s",
			groups[i].name);
	}
	for (k = 0; k < probe_count; k++)
		probe_free(&probes[k]);
	free(probes);
}

/* What is read off a series of a bench is proposed, too, but for streams of
   footprints and chases in order, of which the suite of `nearfar fit` has rows.
 */
Test(search_next, each_series_of_a_bench_is_proposed)
{
	static struct search c;
	struct probe *probes = make_probes(&c);
	bool found;
	size_t i, k;

	for (i = 0; i < readoff_count; i++) {
		found = strchr(readoffs[i].series, '@') ||
			strstr(readoffs[i].series, "over=footprint") ||
			strstr(readoffs[i].series, "order=sequential");
		for (k = 0; k < probe_count; k++)
			found |= pattern_matches(
				readoffs[i].series, &probes[k].series);
		cr_expect(found, "%s: %s", readoffs[i].parameter,
			readoffs[i].series);
	}
	for (k = 0; k < probe_count; k++)
		probe_free(&probes[k]);
	free(probes);
}

/* Which row of the suite of `nearfar fit` tells which rate. */
Test(search_next, each_rate_is_read_off_its_row)
{
	static const char *const rows[][2] = {
		{"slice_bytes_per_cycle", "@slice"},
		{"slice_request_cycles", "@slice-sectors"},
		{"crossbar_bytes_per_cycle", "@chip-read"},
		{"side_store_bytes_per_cycle", "@chip-store"},
		{"dram_bytes_per_s", "@dram-read"},
		{"dram_activate_cycles", "@dram-read"},
		{"dram_reread_cycles", "@chip-write"},
		{"sm_request_cycles", "@atomics-warp"},
		{"atomic_kept_cycles", "@atomics-word"},
		{"atomic_whole_cycles", "@atomics-line"},
		{"atomic_flit_cycles", "@atomics-sector"},
		{"atomic_port_flit_cycles", "@atomics-words"},
		{"atomic_sector_cycles", "@atomics-lines"},
		{"atomic_whole_sector_cycles", "@atomics-fresh"},
	};
	bool found;
	size_t i, k;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		found = false;
		for (k = 0; k < readoff_count; k++)
			found |= !strcmp(readoffs[k].parameter, rows[i][0]) &&
				 !strcmp(readoffs[k].series, rows[i][1]);
		cr_expect(found, "%s", rows[i][0]);
	}
}

/* Each measure informs something. */
Test(search_next, each_measure_informs)
{
	static struct search c;
	struct probe *probes = make_probes(&c);
	char command[512];
	bool found;
	size_t i, k;

	for (k = 0; k < probe_count; k++) {
		found = false;
		for (i = 0; i < readoff_count; i++)
			found |= pattern_matches(
				readoffs[i].series, &probes[k].series);
		for (i = 0; i < group_count; i++)
			found |= pattern_matches(
				groups[i].series, &probes[k].series);
		probe_command(k, command, sizeof(command));
		cr_expect(found, "%s", command);
		probe_free(&probes[k]);
	}
	free(probes);
}
