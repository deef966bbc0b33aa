/* What atomics that come late say of slices. */
#include <criterion/criterion.h>
#include <math.h>

#include "backend_sim/machine/slices.h"
#include "harness/observe/chip.h"
#include "harness/observe/delayed.h"
#include "harness/run/registry.h"
#include "tests/unit/machine_fixture.h"

TestSuite(contention, .timeout = 60);

/* ---- how many ---- */

/* Atomics on `pages` pages: what `cycles` says of each part. */
static void add_parts(struct point *point, uint32_t pages,
	double (*cycles)(uint32_t page, uint32_t part))
{
	struct sample sample = {.cycles = 0};

	for (sample.warp = 0; sample.warp < pages; sample.warp++)
		for (sample.iteration = 0; sample.iteration < 8192;
			sample.iteration++) {
			sample.cycles = cycles(sample.warp, sample.iteration);
			cr_assert_eq(
				sample_table_add(&point->samples, 0, &sample),
				0);
		}
}

static double slices_of(
	struct chip *chip, double (*cycles)(uint32_t page, uint32_t part))
{
	struct point point = {.x = 0};
	struct model_parameters known = parameters_of("h200-sxm");
	struct error error;

	add_parts(&point, 4, cycles);
	cr_assert_eq(chip_read_contention(chip, &known, &point, &error), 0);
	model_parameters_free(&known);
	point_free(&point);
	return chip->slices;
}

static double one_of_94(uint32_t page, uint32_t part)
{
	return (page * 8192 + part) % 94 == 50 ? 5000 : 300 + part % 40;
}

/* One of 94 is delayed; of the first page, parts 50 and 144. */
Test(contention, slices_are_counted_by_contention)
{
	struct chip chip = {.partitions = 1};

	cr_expect_float_eq(slices_of(&chip, one_of_94), 94, 0.5);
	cr_expect_eq(chip.together_count, 87);
	cr_expect_eq(chip.together[0], 50 * 256);
	cr_expect_eq(chip.together[1], 144 * 256);
}

/* Bit 12 is the home: every 16 parts. */
#define HOME_BIT 0x1000

static int home_of(uint32_t page, uint32_t part)
{
	return (int)((part * 256 / HOME_BIT + page) & 1);
}

/* Far is 1.9 times near, and what waits is hardly later than far. */
static double far_is_far(uint32_t page, uint32_t part)
{
	const double cycles = (home_of(page, part) ? 570 : 300) + part % 40;

	return (page * 256 + part / 32) % 47 == 7 && !home_of(page, part)
		       ? 650
		       : cycles;
}

Test(contention, a_far_home_is_not_late)
{
	struct chip chip = {.partitions = 2, .home_hash_mask = HOME_BIT};

	cr_expect_float_eq(
		slices_of(&chip, far_is_far), 94, 4, "%g", chip.slices);
	cr_expect_leq(chip.together_count, 96);
}

/* One slice of a home is late by very different times. */
static double some_are_later(uint32_t page, uint32_t part)
{
	const double cycles = (home_of(page, part) ? 510 : 300) + part % 40;

	if (home_of(page, part) != 0)
		return part == 16 * 16 * 5 + 16 ? 40000 : cycles;
	return (page * 256 + part / 32) % 47 == 7 ? 6000 + 100 * part % 7000
						  : cycles;
}

/* A single one of the other home is no slice of so many. */
Test(contention, a_stray_is_no_slice)
{
	struct chip chip = {.partitions = 2, .home_hash_mask = HOME_BIT};

	cr_expect_float_eq(
		slices_of(&chip, some_are_later), 94, 4, "%g", chip.slices);
}

/* A page that one warp alone has named is a page. */
Test(contention, the_last_page_is_one)
{
	const struct chip chip = {.partitions = 1};
	struct delayed late;
	uint32_t pages;

	for (pages = 1; pages <= 4; pages++) {
		struct point point = {0};

		add_parts(&point, pages, one_of_94);
		cr_assert_eq(delayed_find(&chip, &point.samples, &late), 0);
		cr_expect_eq(late.pages, pages);
		delayed_free(&late);
		point_free(&point);
	}
}

static double three_strays(uint32_t page, uint32_t part)
{
	return part == 1000 * page + 7 ? 9000 : 300 + part % 40;
}

Test(contention, strays_alone_count_no_slices)
{
	struct chip chip = {.partitions = 1};

	cr_expect(isnan(slices_of(&chip, three_strays)));
	cr_expect_eq(chip.together_count, 0);
}

Test(contention, without_delays_no_slices_are_counted)
{
	struct point point = {.x = 0};
	struct sample sample = {.cycles = 300};
	struct chip chip = {.partitions = 1};
	struct model_parameters known = parameters_of("h200-sxm");
	struct error error;
	uint32_t i;

	for (i = 0; i < 1000; i++) {
		sample.iteration = i;
		cr_assert_eq(sample_table_add(&point.samples, 0, &sample), 0);
	}
	cr_assert_eq(chip_read_contention(&chip, &known, &point, &error), 0);
	cr_expect(isnan(chip.slices));
	cr_expect_eq(chip.together_count, 0);
	model_parameters_free(&known);
	point_free(&point);
}

/* ---- where memory begins ---- */

/* Atomics on 8 pages from `first` on, while the slice of 1 MiB is busy; lines
   whose copies it keeps are late, too, if `copies`. */
static void add_contention(struct sample_table *t, struct machine *machine,
	uint32_t first, bool copies)
{
	struct sample sample = {.cycles = 300};
	struct slices_place busy, place;
	struct slices slices;

	cr_assert(slices_init(&slices, machine));
	busy = slices_find(&slices, first * 16384 + 8192);
	for (sample.warp = 0; sample.warp < 8; sample.warp++)
		for (sample.iteration = 0; sample.iteration < 8192;
			sample.iteration++) {
			place = slices_find(
				&slices, (first + sample.warp) * 16384 +
						 2 * sample.iteration);
			sample.cycles = place.home == 0 ? 300 : 480;
			if (place.slice == busy.slice &&
				(copies || place.home == busy.home))
				sample.cycles = 900;
			cr_assert_eq(sample_table_add(t, 0, &sample), 0);
		}
}

static void expect_begin(uint32_t first, bool copies)
{
	struct model_parameters known = parameters_of("h200-sxm");
	struct chip chip = {
		.partitions = 2, .home_hash_mask = 0xab000, .page_shift = 21};
	struct point point = {.x = 0};
	struct machine machine;
	struct error error;

	cr_assert_eq(machine_load("h200-sxm", &machine, &error), 0);
	chip.device = device_of("h200-sxm");
	add_contention(&point.samples, &machine, first, copies);
	cr_assert_eq(chip_read_contention(&chip, &known, &point, &error), 0);
	cr_expect_eq(chip.page_first, first);
	cr_expect_eq(chip.home_beyond,
		(uint64_t)machine.value[PARAMETER_home_hash_mask] >> 21 << 21);
	cr_expect_float_eq(chip.slices, 94, 1e-9, "%g", chip.slices);
	model_parameters_free(&known);
	point_free(&point);
}

Test(contention, the_known_hash_says_where_memory_begins)
{
	expect_begin(261, true);
	expect_begin(264, false);
}

/* Homes in large blocks: what is delayed counts 94 to a few, and other slices
   and home bits than the known machine's are what gives it one slice. */
Test(contention, the_known_hash_is_found_for_other_slices_and_homes)
{
	struct model_parameters known = parameters_of("h200-sxm");
	struct chip chip = {
		.partitions = 2, .home_hash_mask = 0x180000, .page_shift = 21};
	struct point point = {.x = 0};
	struct machine machine;
	struct error error;

	cr_assert_eq(machine_load("h200-sxm", &machine, &error), 0);
	machine.value[PARAMETER_home_hash_mask] = 0x380000;
	machine.value[PARAMETER_l2_slices_used] = 90;
	chip.device = device_of("h200-sxm");
	add_contention(&point.samples, &machine, 261, false);
	cr_assert_eq(chip_read_contention(&chip, &known, &point, &error), 0);
	cr_expect_float_eq(chip.slices, 90, 1e-9, "%g", chip.slices);
	cr_expect_eq(chip.home_beyond, 0x200000, "%#llx",
		(unsigned long long)chip.home_beyond);
	model_parameters_free(&known);
	point_free(&point);
}
