/* What is said of what to measure next. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/calibrate/measures.h"
#include "harness/fit/suite.h"
#include "harness/run/opened.h"
#include "harness/run/registry.h"

TestSuite(calibrate_next, .timeout = 240);

#define MACHINE "tests/golden/machines/small.yaml"

/* The measures as the machine of the tests takes them. */
static struct probe *make_probes(struct calibration *c)
{
	const struct backend_config config = {MACHINE, NULL, 0, 0};
	struct probe *probes = calloc(measure_count, sizeof(*probes));
	struct opened opened;
	struct error error = {""};
	size_t i;

	cr_assert(probes);
	cr_assert_eq(
		opened_open(&opened, backend_find("sim"), &config, &error), 0);
	c->device = opened.device;
	opened_close(&opened);
	for (i = 0; i < measure_count; i++)
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
	return fit_row_find(name) != NULL;
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
		for (k = 0; k < measure_count; k++)
			found |= pattern_matches(
				readoffs[i].series, &probes[k].series);
	}
	return found;
}

/* Every parameter of the tables has a measure or a row that informs it. */
Test(calibrate_next, each_parameter_can_be_measured)
{
	static struct calibration c;
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
		for (k = 0; k < measure_count; k++)
			found |= pattern_matches(
				groups[i].series, &probes[k].series);
		cr_expect(found && next_word(&at, word, sizeof(word)), "%s",
			groups[i].name);
	}
	for (k = 0; k < measure_count; k++)
		probe_free(&probes[k]);
	free(probes);
}

/* Each measure informs something. */
Test(calibrate_next, each_measure_informs)
{
	static struct calibration c;
	struct probe *probes = make_probes(&c);
	char command[256];
	bool found;
	size_t i, k;

	for (k = 0; k < measure_count; k++) {
		found = false;
		for (i = 0; i < readoff_count; i++)
			found |= pattern_matches(
				readoffs[i].series, &probes[k].series);
		for (i = 0; i < group_count; i++)
			found |= pattern_matches(
				groups[i].series, &probes[k].series);
		measure_command(k, command, sizeof(command));
		cr_expect(found, "%s", command);
		probe_free(&probes[k]);
	}
	free(probes);
}
