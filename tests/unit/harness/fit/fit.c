#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fit/device.h"
#include "harness/fit/folder.h"
#include "harness/fit/known.h"
#include "harness/observe/rotation.h"
#include "harness/fit/start.h"
#include "harness/measures/rows.h"
#include "harness/program/legality/legality.h"
#include "harness/program/text/text.h"
#include "harness/run/registry.h"
#include "tests/unit/machine_fixture.h"

TestSuite(fit, .timeout = 60);

/* A chip with sides by TPC: 'a' and 'b'. */
static struct chip chip_with(
	const struct model_parameters *known, const char *sides)
{
	struct device device = device_of(NULL);
	struct chip chip;
	size_t i;

	device.sm_count = 2 * (uint32_t)strlen(sides);
	chip_start(&chip, &device, known);
	chip.mapped = true;
	chip.partitions = 2;
	for (i = 0; i < 2 * strlen(sides); i++)
		chip.side[i] = sides[i / 2] == 'b';
	rotation_choose(&chip, known);
	return chip;
}

/* ---- the suite ---- */

static void check_program(const struct measure *row, const struct chip *chip,
	unsigned count, const struct device *device)
{
	struct program *program = malloc(sizeof(*program));
	struct error error = {""};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int code = row->program(chip, count, out, &error);

	fclose(out);
	cr_expect(code == 0 || code == ERR_SKIPPED, "%s: %s", row->name,
		error.text);
	if (!code) {
		cr_expect_eq(program_parse(text, row->name, program, &error), 0,
			"%s", error.text);
		cr_expect_eq(
			program_check(program, &error), 0, "%s", error.text);
		cr_expect_eq(program_fits(program, device, &error), 0, "%s",
			error.text);
	}
	free(text);
	free(program);
}

Test(fit, every_row_can_be_planned_on_every_machine)
{
	static const char *const names[] = {
		"h200-sxm", "h100-pcie", "a100-sxm"};
	size_t i, k, offset;

	for (k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		struct model_parameters known = parameters_of(names[k]);
		const struct device device = device_of(names[k]);
		struct chip chip;

		chip_start(&chip, &device, &known);
		for (offset = 0; offset < 80; offset++)
			chip.together[chip.together_count++] =
				(uint32_t)offset * 4096;
		for (i = 0; i < measure_count; i++) {
			const char *at = measures[i].counts;
			struct measure_plan made;
			struct error error = {""};
			char *end;

			if (!measures[i].words) {
				for (; at && *at; at = end)
					check_program(&measures[i], &chip,
						(unsigned)strtoul(at, &end, 10),
						&device);
				if (!measures[i].counts)
					check_program(&measures[i], &chip, 0,
						&device);
				continue;
			}
			cr_assert_eq(measure_plan_make(&made, &measures[i], "",
					     &device, &error),
				0, "%s: %s", measures[i].name, error.text);
			cr_expect_gt(made.plan.sweep.count, 0);
			measure_plan_free(&made);
		}
		model_parameters_free(&known);
	}
}

Test(fit, sizes_of_rows_follow_the_chip)
{
	const struct measure row = {"r", USE_TARGET,
		"bandwidth --footprint %L/4 -x 1,%S/2,%S-2,%S", NULL, NULL};
	struct device device = device_of(NULL);
	struct measure_plan made;
	struct error error;

	device.sm_count = 100;
	device.l2_bytes = 8 << 20;
	cr_assert_eq(measure_plan_make(&made, &row, "", &device, &error), 0,
		"%s", error.text);
	cr_expect_eq(bench_number(&made.plan.args, "footprint"), 2 << 20);
	cr_assert_eq(made.plan.sweep.count, 4);
	cr_expect_eq(made.plan.sweep.points[1], 50);
	cr_expect_eq(made.plan.sweep.points[2], 98);
	cr_expect_eq(made.plan.sweep.points[3], 100);
	measure_plan_free(&made);
}

/* Of a row of the TLB: the loads of its first repeat. */
static unsigned long long tlb_loads_of(uint64_t l2_bytes)
{
	const struct measure *row = measure_find("tlb-all");
	struct program *program = malloc(sizeof(*program));
	struct chip chip = {.device = device_of(NULL)};
	unsigned long long loads;
	struct error error = {""};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	chip.device.l2_bytes = l2_bytes;
	cr_assert_eq(row->program(&chip, 192, out, &error), 0);
	fclose(out);
	cr_assert_eq(program_parse(text, row->name, program, &error), 0, "%s",
		error.text);
	cr_assert_eq(program->insns[0].op, OP_REPEAT);
	loads = program->insns[0].count;
	free(text);
	free(program);
	return loads;
}

Test(fit, loads_of_tlb_rows_stay_in_l2)
{
	cr_expect_eq(tlb_loads_of(60 << 20), 4096);
	cr_expect_eq(tlb_loads_of(4 << 20), 4096);
	cr_expect_eq(tlb_loads_of(1 << 20), 1024);
}

Test(fit, rows_are_chosen_by_patterns)
{
	const struct measure row = {"chase-ca", USE_TARGET, "", NULL, NULL};

	cr_expect(measure_wanted(&row, NULL));
	cr_expect(measure_wanted(&row, "one-*,chase-*"));
	cr_expect(measure_wanted(&row, "chase-ca"));
	cr_expect_not(measure_wanted(&row, "chase-c"));
	cr_expect_not(measure_wanted(&row, "one-*"));
}

Test(fit, rows_are_found_by_name)
{
	size_t i;

	for (i = 0; i < measure_count; i++)
		cr_expect_eq(measure_find(measures[i].name), &measures[i]);
	cr_expect_null(measure_find("none"));
}

/* ---- the rotation ---- */

/* Sides as the known machine's rotation gives them keep it. */
Test(fit, a_rotation_that_gives_the_sides_is_kept)
{
	struct model_parameters known = parameters_of("h100-pcie");
	const uint64_t mask = (uint64_t)chip_known(&known, "gpc_side_mask");
	char sides[58] = "";
	struct chip chip;
	size_t i;

	for (i = 0; i < 57; i++)
		sides[i] = mask >> i % 8 & 1 ? 'b' : 'a';
	chip = chip_with(&known, sides);
	cr_expect(chip.rotation_is_known);
	cr_expect(chip.rotation_fits);
	cr_expect_eq(chip.gpc_count, 8);
	cr_expect_eq(chip.gpc_side_mask, mask);
	model_parameters_free(&known);
}

/* The known machine's GPCs have so many TPCs, of which a chip with another
   number of SMs has others. */
Test(fit, tpcs_of_gpcs_are_those_of_as_many_sms)
{
	struct model_parameters known = parameters_of("h200-sxm");
	const double tpcs = chip_known(&known, "gpc_tpcs");
	struct device device = device_of("h200-sxm");
	struct chip chip;

	cr_assert(tpcs > 0);
	chip_start(&chip, &device, &known);
	cr_expect_eq(chip.gpc_tpcs, (uint64_t)tpcs);
	device.sm_count -= 2;
	chip_start(&chip, &device, &known);
	cr_expect_eq(chip.gpc_tpcs, 0);
	model_parameters_free(&known);
}

/* Eight GPCs, of which the third has five TPCs only. */
Test(fit, a_rotation_is_found_for_other_sides)
{
	struct model_parameters known = parameters_of("h100-pcie");
	static const char order[] = "aababbba";
	char sides[64] = "";
	size_t round, gpc, count = 0;
	struct chip chip;

	for (round = 0; round < 7; round++)
		for (gpc = 0; gpc < 8; gpc++)
			if (gpc != 2 || round < 5)
				sides[count++] = order[gpc];
	chip = chip_with(&known, sides);
	cr_expect_not(chip.rotation_is_known);
	cr_expect(chip.rotation_fits);
	cr_assert_eq(chip.gpc_count, 8);
	cr_expect_eq(chip.gpc_side_mask, 0x74);
	cr_expect_eq(chip.gpc_tpcs >> 8 & 15, 5);
	model_parameters_free(&known);
}

static void expect_seven_gpcs(size_t tpcs)
{
	struct model_parameters known = parameters_of("h100-pcie");
	static const char order[] = "aabbabb";
	char sides[72] = "";
	struct chip chip;
	size_t i;

	for (i = 0; i < tpcs; i++)
		sides[i] = order[i % 7];
	chip = chip_with(&known, sides);
	cr_expect(chip.rotation_fits);
	cr_expect_eq(chip.gpc_count, 7);
	cr_expect_eq(chip.gpc_tpcs, 0);
	model_parameters_free(&known);
}

/* Nor are they fourteen, which give the same sides. */
Test(fit, seven_gpcs_are_not_eight)
{
	expect_seven_gpcs(60);
}

/* With so many TPCs that a GPC has ten. */
Test(fit, a_plain_rotation_may_have_larger_gpcs)
{
	expect_seven_gpcs(64);
}

/* ---- the start ---- */

static const struct start_value *value_of(
	const struct fit_start *start, const char *name)
{
	size_t i;

	for (i = 0; i < start->count; i++)
		if (!strcmp(start->items[i].name, name))
			return &start->items[i];
	return NULL;
}

Test(fit, a_start_has_the_geometry_and_is_accepted)
{
	struct model_parameters known = parameters_of("h200-sxm");
	struct device device = device_of("h100-pcie");
	char path[] = "/tmp/nearfar-start-XXXXXX.yaml";
	struct fit_start *start = malloc(sizeof(*start));
	struct chip chip;
	struct error error;

	close(mkstemps(path, 5));
	device.l2_bytes = 50 << 20;
	chip_start(&chip, &device, &known);
	chip.mapped = chip.hash_settled = true;
	chip.partitions = 2;
	chip.home_hash_mask = 0x55000;
	chip.slices = 79.8;
	start_make(start, &chip, 1.5e9, "h200-sxm", &known);
	cr_expect_eq(value_of(start, "sm_count")->value, 114);
	cr_expect_eq(value_of(start, "clock_hz")->value, 1.5e9);
	cr_expect_eq(value_of(start, "l2_slices_used")->value, 80);
	cr_expect_eq(value_of(start, "home_hash_mask")->value, 0x1cbd655000);
	/* DRAM takes the same time, in cycles of another clock */
	cr_expect_float_eq(value_of(start, "dram_near_cycles")->value,
		chip_known(&known, "dram_near_cycles") * 1500 / 1980, 0.1);
	cr_assert_eq(start_write(start, path, &error), 0, "%s", error.text);
	cr_expect_eq(device_of(path).sm_count, 114);
	remove(path);
	free(start);
	model_parameters_free(&known);
}

Test(fit, the_nearest_machine_is_of_the_same_kind)
{
	struct device device = device_of("a100-sxm");
	struct model_parameters known = {0};
	char *name = NULL;
	struct error error;

	device.sm_count = 120; /* nearer to an H100's */
	cr_assert_eq(known_nearest(backend_find("sim"), NULL, &device, &name,
			     &known, &error),
		0);
	cr_expect_str_eq(name, "a100-sxm");
	free(name);
	model_parameters_free(&known);
	/* a pair is the same chip with far memory, which no row shows */
	device = device_of("h200-sxm-x2");
	cr_assert_eq(known_nearest(backend_find("sim"), NULL, &device, &name,
			     &known, &error),
		0);
	cr_expect_str_eq(name, "h200-sxm");
	free(name);
	model_parameters_free(&known);
	/* a part of the die with all of the memory */
	device.sm_count = 108;
	device.l2_bytes = 40 << 20;
	cr_assert_eq(known_nearest(backend_find("sim"), NULL, &device, &name,
			     &known, &error),
		0);
	cr_expect_str_eq(name, "h200-sxm");
	free(name);
	model_parameters_free(&known);
	cr_expect_eq(known_nearest(backend_find("sim"), "nobody", &device,
			     &name, &known, &error),
		ERR_USAGE);
	model_parameters_free(&known);
}

/* ---- the device's file ---- */

Test(fit, a_device_is_read_as_it_was_written)
{
	const struct device device = device_of(NULL);
	char path[] = "/tmp/nearfar-device-XXXXXX";
	struct device read;
	struct error error = {""};
	FILE *out;

	close(mkstemp(path));
	cr_assert_eq(device_write(&device, path, &error), 0, "%s", error.text);
	cr_assert_eq(device_read(&read, path, &error), 0, "%s", error.text);
	cr_expect_str_eq(read.name, device.name);
	cr_expect_eq(read.sm_count, device.sm_count);
	cr_expect_eq(read.l2_bytes, device.l2_bytes);
	cr_expect_eq(read.persisting_bytes_max, device.persisting_bytes_max);
	cr_expect_eq(read.clock_hz, device.clock_hz);
	out = fopen(path, "w");
	fputs("{\"name\": \"x\", \"sm_count\": \"many\"}\n", out);
	fclose(out);
	cr_expect_eq(device_read(&read, path, &error), ERR_USAGE);
	cr_expect(strstr(error.text, "sm_count"), "%s", error.text);
	remove(path);
}

/* A folder goes on with the device that it was begun with, and no other. */
Test(fit, a_folder_is_of_one_device)
{
	struct device device = device_of(NULL);
	char folder[] = "/tmp/nearfar-folder-XXXXXX";
	char path[FOLDER_PATH_BYTES];
	struct error error = {""};

	cr_assert(mkdtemp(folder));
	cr_assert_eq(folder_path(folder, "device", ".json", path, &error), 0);
	cr_expect_eq(folder_check_device(folder, &device, &error), 0);
	cr_assert_eq(device_write(&device, path, &error), 0, "%s", error.text);
	cr_expect_eq(folder_check_device(folder, &device, &error), 0, "%s",
		error.text);
	device.l2_bytes /= 2;
	cr_expect_eq(folder_check_device(folder, &device, &error), ERR_USAGE);
	cr_expect(strstr(error.text, "measurements of another device"), "%s",
		error.text);
	remove(path);
	rmdir(folder);
}

/* Rows of rates alone say nothing of the geometry, and are not read. */
Test(fit, a_chip_is_learned_from_rows_of_its_geometry)
{
	const struct model_parameters none = {0};
	struct measure row = {.name = "damaged"};
	struct chip chip = {0};
	char folder[] = "/tmp/nearfar-folder-XXXXXX";
	char path[FOLDER_PATH_BYTES];
	struct error error = {""};
	FILE *out;

	cr_assert(mkdtemp(folder));
	cr_assert_eq(
		folder_path(folder, "damaged", ".json.gz", path, &error), 0);
	row.use = USE_BOTH;
	cr_expect_eq(folder_learn(folder, &row, &chip, &none, &error), 0);
	out = fopen(path, "w");
	cr_assert(out && fputs("no series", out) >= 0 && !fclose(out));
	row.use = USE_GEOMETRY;
	cr_expect_neq(folder_learn(folder, &row, &chip, &none, &error), 0);
	row.use = USE_BOTH;
	cr_expect_neq(folder_learn(folder, &row, &chip, &none, &error), 0);
	row.use = USE_TARGET;
	cr_expect_eq(folder_learn(folder, &row, &chip, &none, &error), 0);
	remove(path);
	rmdir(folder);
}
