/* Machine files: what a wrong one is told, bases, and settings. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend_sim/machine/machine.h"
#include "harness/contract/backend.h"
#include "harness/program/text/text.h"

TestSuite(machine, .timeout = 120);

#define HEAD  "schema: nearfar-machine/1\nname: test\n"
#define BASED HEAD "base: h200-sxm\nparameters:\n"

static char path[] = "/tmp/nearfar-machine-XXXXXX.yaml";

static int load(const char *text, struct machine *m, struct error *error)
{
	char name[sizeof(path)];
	FILE *file;
	int fd, code;

	memcpy(name, path, sizeof(path));
	fd = mkstemps(name, 5);
	cr_assert_geq(fd, 0);
	file = fdopen(fd, "w");
	fputs(text, file);
	fclose(file);
	code = machine_load(name, m, error);
	unlink(name);
	return code;
}

/* Where the sentence says the mistake is, and what it says. */
static const struct {
	const char *text, *place, *sentence;
} wrong[] = {
	{"", ":1:1: ", "expected a machine"},
	{"- a\n", ":1:1: ", "expected a machine"},
	{"a: [1\n", ":2:1: ", "did not find expected"},
	{"\tb: 1\n", ":1:1: ", "cannot start any token"},
	{"schema: other\nname: x\n", ":1:9: ", "nearfar-machine/1"},
	{"name: x\n", ":1:1: ", "nearfar-machine/1"},
	{"schema: nearfar-machine/1\n", ":1:1: ", "expected a name"},
	{"schema: nearfar-machine/1\nname: []\n", ":2:7: ", "expected a name"},
	{HEAD "base: [a]\n", ":3:7: ", "expected the name of a base"},
	{HEAD "base: h300\n", ":3:7: ", "there is no machine 'h300'"},
	{HEAD "bse: h200-sxm\n", ":3:1: ", "expected schema, name, base"},
	{HEAD "base: h200-sxm\nparameters: 4\n",
		":4:13: ", "expected a mapping"},
	{BASED "  sms: {value: 1, unit: count, origin: assumed}\n",
		":5:3: ", "there is no parameter 'sms'"},
	{BASED "  sm_count: 4\n", ":5:13: ", "expected {value:"},
	{BASED "  sm_count: {value: 4, unit: count}\n",
		":5:3: ", "sm_count has no origin"},
	{BASED "  sm_count: {value: 4, origin: assumed}\n",
		":5:3: ", "sm_count has no unit"},
	{BASED "  sm_count: {unit: count, origin: assumed}\n",
		":5:3: ", "sm_count has no value"},
	{BASED "  sm_count: {value: [4], unit: count, origin: assumed}\n",
		":5:14: ", "expected value, unit or origin"},
	{BASED "  sm_count: {value: 4, unit: SM, origin: assumed}\n",
		":5:30: ", "the unit of sm_count is count"},
	{BASED "  sm_count: {value: 4, unit: count, origin: heard}\n",
		":5:45: ", "an origin begins with"},
	{BASED "  sm_count: {value: four, unit: count, origin: assumed}\n",
		":5:21: ", "'four' is not a number"},
	{BASED "  sm_count: {value: 4.5, unit: count, origin: assumed}\n",
		":5:21: ", "whole number"},
	{BASED "  sm_count: {value: 0, unit: count, origin: assumed}\n",
		":5:21: ", "must lie between"},
	{BASED "  sm_count: {value: inf, unit: count, origin: assumed}\n",
		":5:21: ", ""},
	{BASED "  l2_bytes: {value: 60MX, unit: bytes, origin: assumed}\n",
		":5:21: ", "'60MX' is not a size"},
	{BASED "  home_hash_mask: {value: 0xg, unit: mask, origin: assumed}\n",
		":5:27: ", "'0xg' is not a mask"},
	{BASED "  sm_count: {value: 4, unit: count, origin: assumed}\n"
	       "  sm_count: {value: 4, unit: count, origin: assumed}\n",
		":6:3: ", "given twice"},
	{HEAD "parameters: {}\n", ":3:13: ", "there is no base"},
};

Test(machine, a_mistake_is_told_with_its_place)
{
	struct machine m;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct error error = {""};

		cr_expect_eq(ERR_USAGE, load(wrong[i].text, &m, &error), "%s",
			wrong[i].text);
		cr_expect(strstr(error.text, wrong[i].place), "'%s' in\n%s",
			error.text, wrong[i].text);
		cr_expect(strstr(error.text, wrong[i].sentence), "'%s' in\n%s",
			error.text, wrong[i].text);
	}
}

Test(machine, a_refused_file_leaves_the_machine)
{
	struct machine m, before;
	struct error error;

	memset(&m, 0x55, sizeof(m));
	before = m;
	load(BASED "  sm_count: 4\n", &m, &error);
	cr_expect_eq(0, memcmp(&m, &before, sizeof(m)));
}

Test(machine, rules_between_parameters)
{
	static const char *const settings[] = {"l2_slices=95",
		"l2_slices_used=97", "l2_slices_used=93", "slice_hash_mask_3=0",
		"slice_hash_mask_3=0x192800", "l1_cache_bytes=1000",
		"tlb_ways=127", "l2_bytes=70000"};
	struct machine m;
	struct error error;
	size_t i;

	cr_assert_eq(0, machine_load(NULL, &m, &error), "%s", error.text);
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct machine before = m;

		cr_expect_eq(ERR_USAGE, machine_set(&m, settings[i], &error),
			"%s", settings[i]);
		cr_expect_eq(0, memcmp(&m, &before, sizeof(m)));
	}
}

Test(machine, what_is_not_set_comes_from_the_base)
{
	struct machine base, m;
	struct error error = {""};
	int i;

	cr_assert_eq(0, machine_load("h200-sxm", &base, &error));
	cr_assert_eq(0,
		load(BASED "  sm_count: {value: 4, unit: count, "
			   "origin: \"published: a page\"}\n",
			&m, &error),
		"%s", error.text);
	cr_expect_str_eq(m.name, "test");
	cr_expect_str_eq(m.origin[PARAMETER_sm_count], "published: a page");
	for (i = 0; i < PARAMETER_COUNT; i++)
		if (i == PARAMETER_sm_count)
			cr_expect_eq(m.value[i], 4);
		else
			cr_expect_eq(m.value[i], base.value[i], "%s",
				parameters[i].name);
	cr_expect_neq(machine_digest(&m), machine_digest(&base));
	cr_expect_str_eq(
		base.origin[PARAMETER_l2_bytes], "measured: device attribute");
	cr_expect_str_eq(m.origin[PARAMETER_l2_bytes],
		"measured: device attribute, of h200-sxm");
	cr_expect_str_eq(
		m.origin[PARAMETER_l1_miss_cycles], "assumed: of h200-sxm");
}

/* Geometry that is no power of two, and origins that own what is taken over. */
Test(machine, derived_machines_state_what_they_know)
{
	static const struct {
		const char *name;
		double sms, clock_hz, l2_bytes, slices;
	} rows[] = {
		{"h100-pcie", 114, 1755e6, 50 << 20, 80},
		{"h100-sxm", 132, 1980e6, 50 << 20, 80},
		{"a100-sxm", 108, 1410e6, 40 << 20, 80},
	};
	struct machine m;
	struct error error = {""};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_assert_eq(0, machine_load(rows[i].name, &m, &error), "%s",
			error.text);
		cr_expect_eq(machine_get(&m, PARAMETER_sm_count), rows[i].sms);
		cr_expect_eq(
			machine_get(&m, PARAMETER_clock_hz), rows[i].clock_hz);
		cr_expect_eq(
			machine_get(&m, PARAMETER_l2_bytes), rows[i].l2_bytes);
		cr_expect_eq(
			machine_get(&m, PARAMETER_l2_slices), rows[i].slices);
		cr_expect(strstr(m.origin[PARAMETER_atomic_sector_cycles],
			"of h200-sxm"));
		cr_expect(!strstr(m.origin[PARAMETER_l2_slices], "of h200"));
	}
}

Test(machine, a_chain_of_bases_and_its_end)
{
	struct machine m;
	struct error error = {""};

	cr_assert_eq(0,
		machine_load("tests/golden/machines/derived.yaml", &m, &error),
		"%s", error.text);
	cr_expect_eq(machine_get(&m, PARAMETER_sm_count), 2);
	cr_expect_eq(machine_get(&m, PARAMETER_l2_bytes), 1 << 20);
	cr_expect_eq(
		ERR_USAGE, machine_load("tests/golden/machines/own-base.yaml",
				   &m, &error));
	cr_expect(strstr(error.text, "at most 8 deep"), "%s", error.text);
}

Test(machine, sizes_and_masks_have_their_spellings)
{
	struct machine m;
	struct error error = {""};

	cr_assert_eq(0, machine_load(NULL, &m, &error));
	cr_expect_eq(0, machine_set(&m, "memory_bytes=80GiB", &error));
	cr_expect_eq(machine_get(&m, PARAMETER_memory_bytes), 80.0 * (1 << 30));
	cr_expect_eq(0, machine_set(&m, "home_hash_mask=0x3000", &error));
	cr_expect_eq(machine_get(&m, PARAMETER_home_hash_mask), 0x3000);
	cr_expect_eq(0, machine_set(&m, "l1_hit_cycles=33.5", &error));
	cr_expect_eq(machine_get(&m, PARAMETER_l1_hit_cycles), 33.5);
	cr_expect_str_eq(
		m.origin[PARAMETER_l1_hit_cycles], "set on the command line");
}

Test(machine, a_wrong_setting_is_refused)
{
	static const char *const settings[] = {"", "=", "sm_count",
		"sm_count=", "=4", "sms=4", "sm_count=4 ", "sm_count=-1",
		"sm_count=nan", "l2_bytes=1", "clock_hz=0"};
	struct machine m;
	struct error error;
	size_t i;

	cr_assert_eq(0, machine_load(NULL, &m, &error));
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		cr_expect_eq(ERR_USAGE, machine_set(&m, settings[i], &error),
			"'%s'", settings[i]);
}

/* What travels in the program is complete and says where it comes from. */
Test(machine, every_built_in_machine_loads)
{
	const struct machine_file *file;
	size_t count = 0;

	for (file = machine_files; file->name; file++) {
		struct machine m;
		struct error error = {""};
		int i;

		cr_assert_eq(0, machine_load(file->name, &m, &error), "%s",
			error.text);
		cr_expect_str_eq(m.name, file->name);
		cr_expect(*m.about);
		for (i = 0; i < PARAMETER_COUNT; i++)
			cr_expect(*m.origin[i], "%s of %s", parameters[i].name,
				m.name);
		count++;
	}
	cr_expect_geq(count, 1);
}

/* ---- bounds ---- */

static const char small_program[] =
	"nearfar-program 1\nname test\nseed 1\n"
	"buffer ring bytes=512KiB fill=ring slot=128 order=shuffle seed=1\n"
	"buffer data bytes=256KiB\n"
	"launch one\nrole chase sms=0:1 lanes=1\n"
	"repeat 64 time=each region=measure\n"
	"ld.global.ca.b64 [ring chase]\nend\n"
	"repeat 16\nst.global.v4.b32 [data + lane*16 + loop0*512]\n"
	"atom.global.add.u32 [data]\nred.global.add.u32 [data + lane*4]\n"
	"prefetch.global.L2 [data + lane*128]\nend\n";

/* In a process of its own: 0 if the machine is refused or runs. */
static int run_with(const char *set)
{
	struct backend_config config = {.sets = &set, .set_count = 1};
	struct backend *model;
	struct result result = {0};
	struct error error;
	struct program p;
	int code;

	if (program_parse(small_program, "test", &p, &error))
		return 2;
	code = backend_sim.open(&model, &config, &error);
	if (code)
		return code == ERR_USAGE ? 0 : 3;
	code = backend_sim.run(model, &p, &result, &error);
	result_free(&result);
	backend_sim.close(model);
	/* ERR_USAGE: PTX has no such target, or not in that version. */
	return code && code != ERR_SKIPPED && code != ERR_USAGE ? 4 : 0;
}

/* A machine that its own bounds allow is not one that hangs or crashes. */
Test(machine, every_bound_runs_or_is_refused)
{
	int i, status;

	for (i = 0; i < 2 * PARAMETER_COUNT; i++) {
		const struct parameter_info *info = &parameters[i / 2];
		char set[96];
		pid_t child;

		snprintf(set, sizeof(set), "%s=%.10g", info->name,
			i % 2 ? info->maximum : info->minimum);
		child = fork();
		if (!child) {
			alarm(10);
			_exit(run_with(set));
		}
		cr_assert_eq(waitpid(child, &status, 0), child);
		cr_expect_eq(status, 0, "--set %s: status %#x", set, status);
	}
}
