#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/fleet/verdicts.h"
#include "harness/stats/stats.h"

TestSuite(verdicts, .timeout = 60);

#define DEVICES 40
#define FDR     0.001

static struct fleet_device items[DEVICES];
static struct fleet_devices devices;

static void forget(float figures[FIGURE_COUNT])
{
	int id;

	for (id = 0; id < FIGURE_COUNT; id++)
		figures[id] = NAN;
}

/* Devices of one SKU with one figure, spread evenly over 20 around 1000. */
static void make(size_t count)
{
	size_t i;

	devices = (struct fleet_devices){items, count};
	for (i = 0; i < count; i++) {
		struct fleet_device *d = &items[i];

		memset(d, 0, sizeof(*d));
		snprintf(d->name, sizeof(d->name), "d%zu", i);
		strcpy(d->sku, "kind");
		forget(d->last.value);
		forget(d->last.half);
		forget(d->past_median);
		forget(d->past_deviation);
		d->last.value[FIGURE_dram_gb_per_s] =
			(float)(990 + 20.0 * (double)i / (double)count);
	}
}

static void give_past(struct fleet_device *d, double median, double deviation)
{
	d->past_days = 20;
	d->past_median[FIGURE_dram_gb_per_s] = (float)median;
	d->past_deviation[FIGURE_dram_gb_per_s] = (float)deviation;
}

static struct verdicts judge(void)
{
	struct verdicts j;
	struct error error;

	cr_assert_eq(verdicts_find(&devices, FDR, &j, &error), 0);
	return j;
}

static void nobody_is_odd(void)
{
	struct verdicts j = judge();

	cr_assert_eq(j.odd, 0);
	verdicts_free(&j);
}

static void one_is_odd(const struct fleet_device *who, enum verdict_kind kind)
{
	struct verdicts j = judge();

	cr_assert_eq(j.odd, 1);
	cr_assert_eq(j.items[0].device, who);
	cr_assert_eq(j.items[0].kind, kind);
	cr_assert_lt(j.items[0].chance, FDR);
	verdicts_free(&j);
}

Test(verdicts, a_fleet_that_is_well)
{
	make(DEVICES);
	nobody_is_odd();
}

Test(verdicts, one_far_from_its_peers)
{
	make(DEVICES);
	items[7].last.value[FIGURE_dram_gb_per_s] = 700;
	one_is_odd(&items[7], VERDICT_LEVEL);
}

Test(verdicts, another_kind_is_no_peer)
{
	make(DEVICES);
	items[7].last.value[FIGURE_dram_gb_per_s] = 700;
	strcpy(items[7].sku, "other");
	nobody_is_odd();
}

Test(verdicts, three_peers_are_needed)
{
	make(3);
	items[2].last.value[FIGURE_dram_gb_per_s] = 1;
	nobody_is_odd();
	cr_assert_eq(judge().judged, 0);
	make(4);
	items[2].last.value[FIGURE_dram_gb_per_s] = 1;
	one_is_odd(&items[2], VERDICT_LEVEL);
}

/* Of which nobody knows what chips differ by. */
Test(verdicts, eight_peers_are_needed_where_nothing_is_known)
{
	size_t i;

	make(8);
	for (i = 0; i < 8; i++) {
		items[i].last.value[FIGURE_dram_gb_per_s] = NAN;
		items[i].last.value[FIGURE_ecc_corrected] = 94;
	}
	items[3].last.value[FIGURE_ecc_corrected] = 1;
	nobody_is_odd();
	cr_assert_eq(judge().judged, 0);
}

/* What seven chips differed by, in a rack of eight; the rest of the figures as
   near to each other. */
static void make_rack(size_t count)
{
	size_t i;
	int id;

	make(count);
	for (i = 0; i < count; i++)
		for (id = 0; id < FIGURE_COUNT; id++)
			items[i].last.value[id] =
				(float)(1000 *
					(1 + fmax(figure_about[id].chips, 0) *
							((double)((i * 5 +
									  (size_t)id) %
								  count) /
									(double)count -
								0.5) *
							3));
}

Test(verdicts, a_slow_one_in_a_rack_of_eight)
{
	make_rack(8);
	nobody_is_odd();
	items[5].last.value[FIGURE_dram_gb_per_s] *= 0.93F;
	one_is_odd(&items[5], VERDICT_LEVEL);
}

Test(verdicts, one_that_fell_in_a_history_of_five_days)
{
	make(1);
	give_past(&items[0], 1000, 1);
	items[0].past_days = 4;
	items[0].days = 5;
	items[0].last.value[FIGURE_dram_gb_per_s] = 998;
	nobody_is_odd();
	items[0].last.value[FIGURE_dram_gb_per_s] = 930;
	one_is_odd(&items[0], VERDICT_CHANGE);
	items[0].past_days = 2;
	nobody_is_odd();
}

Test(verdicts, what_is_nearly_odd_is_borderline)
{
	struct verdicts j;

	make_rack(8);
	items[5].last.value[FIGURE_dram_gb_per_s] *= 0.97F;
	j = judge();
	cr_expect_eq(j.odd, 0);
	cr_assert_eq(j.border, 1);
	cr_expect_eq(j.items[0].device, &items[5]);
	cr_expect(j.items[0].border);
	verdicts_free(&j);
	items[2].last.value[FIGURE_l2_bytes_per_cycle] *= 0.8F;
	j = judge();
	cr_expect_eq(j.odd, 1);
	cr_expect_eq(j.items[0].device, &items[2]);
	cr_expect_not(j.items[0].border);
	verdicts_free(&j);
}

Test(verdicts, a_wide_interval_excuses)
{
	make(DEVICES);
	items[7].last.value[FIGURE_dram_gb_per_s] = 700;
	items[7].last.half[FIGURE_dram_gb_per_s] = 300;
	nobody_is_odd();
}

Test(verdicts, days_that_differ_by_much_excuse)
{
	size_t i;

	make(DEVICES);
	for (i = 0; i < DEVICES; i++)
		give_past(&items[i], items[i].last.value[FIGURE_dram_gb_per_s],
			100);
	items[7].last.value[FIGURE_dram_gb_per_s] -= 100;
	nobody_is_odd();
}

Test(verdicts, one_that_has_changed)
{
	size_t i;

	make(DEVICES);
	for (i = 0; i < DEVICES; i++)
		give_past(&items[i],
			items[i].last.value[FIGURE_dram_gb_per_s] +
				0.1 * (double)(i % 5),
			0.2);
	items[7].past_median[FIGURE_dram_gb_per_s] += 15;
	one_is_odd(&items[7], VERDICT_CHANGE);
}

Test(verdicts, what_changes_for_all_is_nobodys_fault)
{
	size_t i;

	make(DEVICES);
	for (i = 0; i < DEVICES; i++)
		give_past(&items[i],
			items[i].last.value[FIGURE_dram_gb_per_s] + 50 +
				0.1 * (double)(i % 5),
			0.2);
	nobody_is_odd();
}

Test(verdicts, one_alone_has_its_own_days)
{
	make(1);
	give_past(&items[0], 992, 0.5);
	nobody_is_odd(); /* at 990: 2.7 widths */
	items[0].last.value[FIGURE_dram_gb_per_s] = 700;
	one_is_odd(&items[0], VERDICT_CHANGE);
}

Test(verdicts, a_grain_is_no_oddity)
{
	size_t i;

	make(DEVICES);
	for (i = 0; i < DEVICES; i++)
		items[i].last.value[FIGURE_l2_near_cycles] = 297;
	items[3].last.value[FIGURE_l2_near_cycles] = 298;
	nobody_is_odd();
	items[3].last.value[FIGURE_l2_near_cycles] = 310;
	one_is_odd(&items[3], VERDICT_LEVEL);
}

Test(verdicts, counted_events_scatter_by_their_root)
{
	size_t i;

	make(DEVICES);
	for (i = 0; i < DEVICES; i++)
		items[i].last.value[FIGURE_ecc_corrected] = 0;
	items[3].last.value[FIGURE_ecc_corrected] = 9; /* 3 widths */
	nobody_is_odd();
	items[3].last.value[FIGURE_ecc_corrected] = 400;
	one_is_odd(&items[3], VERDICT_LEVEL);
}

Test(verdicts, verdicts_are_device_by_device)
{
	struct verdicts j;
	int id;

	make(DEVICES);
	for (id = 0; id < DEVICES; id++)
		items[id].last.value[FIGURE_l2_near_cycles] = 297;
	items[7].last.value[FIGURE_dram_gb_per_s] = 800;
	items[9].last.value[FIGURE_dram_gb_per_s] = 700;
	items[9].last.value[FIGURE_l2_near_cycles] = 302;
	j = judge();
	cr_assert_eq(j.odd, 2);
	cr_assert_eq(j.count, 3);
	cr_assert_eq(j.items[0].device, j.items[1].device);
	cr_assert_neq(j.items[0].device, j.items[2].device);
	verdicts_free(&j);
}

Test(verdicts, without_any_width_nothing_is_said)
{
	size_t i;

	make(DEVICES);
	for (i = 0; i < DEVICES; i++)
		items[i].last.value[FIGURE_dram_gb_per_s] = 1000;
	items[3].last.value[FIGURE_dram_gb_per_s] = 999;
	nobody_is_odd();
}

Test(verdicts, many_comparisons_are_counted)
{
	struct verdict verdicts[2 * FIGURE_COUNT];
	struct error error;
	double alone;
	size_t count, i;
	int id;

	make(DEVICES);
	items[7].last.value[FIGURE_dram_gb_per_s] = 1030;
	cr_assert_eq(
		verdicts_of(&devices, &items[7], verdicts, &count, &error), 0);
	cr_assert_eq(count, 1);
	alone = verdicts[0].chance;
	for (i = 0; i < DEVICES; i++)
		for (id = 0; id < 4; id++)
			items[i].last.value[id] =
				items[i].last.value[FIGURE_dram_gb_per_s];
	cr_assert_eq(
		verdicts_of(&devices, &items[7], verdicts, &count, &error), 0);
	cr_assert_eq(count, 5);
	cr_assert_float_eq(verdicts[4].chance, fmin(5 * alone, 1), 1e-9);
}
